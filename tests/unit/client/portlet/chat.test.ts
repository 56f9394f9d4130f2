import { describe, expect, it } from 'vitest';
import {
  agentMessage,
  at,
  notice,
  SESSION_ID,
  started,
  thinking,
  toolCall,
  turn,
  userMessage,
} from '../../../fixtures/conversation/upserts.ts';
import { idOf } from './rig/manual-environment.ts';
import { startPage } from './rig/page-rig.ts';

const SENT = idOf(1);

describe('a message of the agent', () => {
  it('mvp/TC-3.2a grows with every chunk', () => {
    const page = startPage();
    page.open();
    for (const content of ['Hello', 'Hello, the answer', 'Hello, the answer is 42']) {
      page.upsert(agentMessage('t1:0:0', content, { status: 'update' }));
      expect(page.text('.agent')).toBe(content);
    }
    expect(page.rows()).toHaveLength(1);
  });

  it('mvp/TC-3.2b is formatted Markdown while it streams and when it is complete', () => {
    const page = startPage();
    page.open();
    const markdown = '# Title\n\nSome **bold** text and `code`.\n\n- one\n- two';
    for (const status of ['update', 'complete'] as const) {
      page.upsert(agentMessage('t1:0:0', markdown, { status }));
      expect(page.text('.agent h2')).toBe('Title');
      expect(page.text('.agent strong')).toBe('bold');
      expect(page.text('.agent code')).toBe('code');
      expect(document.querySelectorAll('.agent li')).toHaveLength(2);
    }
  });

  it('stream/TC-7.2a is replaced in place by the latest text', () => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Hi')]);
    page.upsert(agentMessage('t1:0:0', 'One', { status: 'create' }));
    const row = page.find('.agent');
    page.upsert(agentMessage('t1:0:0', 'One two', { status: 'update' }));
    page.upsert(agentMessage('t1:0:0', 'One two three'));
    expect(page.find('.agent')).toBe(row);
    expect(row.textContent).toBe('One two three');
    expect(page.rows()).toHaveLength(2);
  });

  it('shows a caret while it streams and none afterwards', () => {
    const page = startPage();
    page.open();
    page.upsert(agentMessage('t1:0:0', 'One', { status: 'create' }));
    expect(page.find('.agent').classList).toContain('is-streaming');
    page.upsert(agentMessage('t1:0:0', 'One two'));
    expect(page.find('.agent').classList).not.toContain('is-streaming');
  });

  it('that was abandoned says that the agent tried again', () => {
    const page = startPage();
    page.open([agentMessage('t1:0:0', 'half', { status: 'error', errorCode: 'STREAM_RETRIED', errorMessage: 'cut' })]);
    expect(page.text('.item-error')).toContain('started again');
    expect(page.find('.item-error').classList).toContain('is-quiet');
  });

  it('cut off by a crash says so briefly, because the end of the turn gives the reason', () => {
    const page = startPage();
    page.open([
      agentMessage('t1:0:0', 'half', { status: 'error', errorCode: 'PROCESS_CRASH', errorMessage: 'It died.' }),
    ]);
    expect(page.text('.item-error')).toBe('Not finished.');
    expect(page.find('.item-error').classList).toContain('is-quiet');
  });

  it('with an error shows the reason', () => {
    const page = startPage();
    page.open([
      agentMessage('t1:0:0', 'half', { status: 'error', errorCode: 'INVALID_STREAM_EVENT', errorMessage: 'It died.' }),
    ]);
    expect(page.text('.agent')).toBe('halfIt died.');
  });

  it('is drawn at most once per frame', () => {
    const page = startPage();
    page.open();
    page.env.frame();
    const observed: MutationRecord[] = [];
    const observer = new MutationObserver((records) => observed.push(...records));
    page.upsert(agentMessage('t1:0:0', 'w0', { status: 'create' }));
    const text = page.find('.agent p').firstChild as Text;
    observer.observe(text, { characterData: true });
    let content = 'w0';
    page.tell(
      ...Array.from({ length: 50 }, (_, index) => {
        content += ` w${index + 1}`;
        return { type: 'session:upsert' as const, payload: agentMessage('t1:0:0', content, { status: 'update' }) };
      }),
    );
    expect(text.data).toBe(content);
    expect(observer.takeRecords()).toHaveLength(1);
    expect(observed).toHaveLength(0);
  });
});

describe('a tool call', () => {
  const call = toolCall('t1:0:0', 'Read', { file_path: '/home/dev/project/src/a.ts' }, { toolKind: 'read' });

  it('mvp/TC-3.3a shows its name and that it is running', () => {
    const page = startPage();
    page.open();
    page.upsert({ ...call, status: 'create' });
    expect(page.text('.tool-name')).toBe('Read');
    expect(page.text('.tool-target')).toBe('src/a.ts');
    expect(page.find('.tool').dataset.state).toBe('running');
    expect(page.find('.tool svg').getAttribute('class')).toContain('spinning');
  });

  it('mvp/TC-3.3b is collapsed with a success icon when it is complete, and opens on click', () => {
    const page = startPage();
    page.open();
    page.upsert({ ...call, status: 'create' });
    page.upsert({ ...call, toolOutput: 'line one\nline two' });
    expect(page.find('.tool').dataset.state).toBe('done');
    expect(page.find<HTMLDetailsElement>('.tool details').open).toBe(false);
    page.find('.tool summary').click();
    expect(page.find<HTMLDetailsElement>('.tool details').open).toBe(true);
    expect(page.text('.tool .output')).toBe('line one\nline two');
  });

  it('mvp/TC-3.3c is open and shows the message if it failed', () => {
    const page = startPage();
    page.open();
    page.upsert({ ...call, status: 'create' });
    page.upsert({ ...call, toolOutput: 'File does not exist.', toolOutputIsError: true });
    expect(page.find('.tool').dataset.state).toBe('failed');
    expect(page.find<HTMLDetailsElement>('.tool details').open).toBe(true);
    expect(page.text('.tool .output')).toBe('File does not exist.');
  });

  it('stream/TC-7.2b shows its invocation first and its result in the same place', () => {
    const page = startPage();
    page.open();
    page.upsert(toolCall('t1:0:0', 'Bash', {}, { status: 'create', toolKind: 'execute' }));
    const row = page.find('.tool');
    page.upsert(toolCall('t1:0:0', 'Bash', { command: 'npm test' }, { status: 'update', toolKind: 'execute' }));
    expect(page.text('.tool-target')).toBe('npm test');
    page.upsert(
      toolCall('t1:0:0', 'Bash', { command: 'npm test' }, { toolKind: 'execute', toolOutput: 'ok', exitCode: 0 }),
    );
    page.find('.tool summary').click();
    expect(page.find('.tool')).toBe(row);
    expect(page.text('.tool .command')).toBe('npm test');
    expect(page.text('.tool .output')).toBe('ok');
    expect(page.text('.tool .exit')).toBe('exit code 0');
  });

  it('stays as the user left it when its result arrives', () => {
    const page = startPage();
    page.open();
    page.upsert({ ...call, status: 'create' });
    page.find('.tool summary').click();
    page.find('.tool summary').click();
    page.upsert({ ...call, toolOutput: 'no', toolOutputIsError: true });
    expect(page.find<HTMLDetailsElement>('.tool details').open).toBe(false);
  });

  it('shows the elapsed time while it runs, and its duration afterwards', () => {
    const page = startPage();
    page.open();
    const now = new Date(page.env.now()).toISOString();
    page.start('t1');
    page.upsert({ ...call, status: 'create', emittedAt: now });
    expect(page.text('.tool-time')).toBe('');
    page.env.pass(3_000);
    expect(page.text('.tool-time')).toBe('3.0 s');
    page.upsert({ ...call, toolOutput: 'x', emittedAt: new Date(page.env.now() + 500).toISOString() });
    expect(page.text('.tool-time')).toBe('3.5 s');
  });

  it('shows a very short duration as such', () => {
    const page = startPage();
    page.open();
    const now = new Date(page.env.now()).toISOString();
    page.upsert({ ...call, status: 'create', emittedAt: now });
    page.upsert({ ...call, toolOutput: 'x', emittedAt: now });
    expect(page.text('.tool-time')).toBe('< 0.1 s');
  });

  it('is neither open nor red after it was cancelled', () => {
    const page = startPage();
    page.open([{ ...call, status: 'error', errorCode: 'CANCELLED', errorMessage: 'The turn ended before.' }]);
    expect(page.find('.tool').dataset.state).toBe('stopped');
    expect(page.find<HTMLDetailsElement>('.tool details').open).toBe(false);
  });

  it('without a result stops running when its turn ends', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.upsert({ ...call, status: 'create' });
    page.turn({ type: 'turn_complete', turnId: 't1', sessionId: SESSION_ID, status: 'cancelled' });
    expect(page.find('.tool').dataset.state).toBe('stopped');
    page.tell({ type: 'session:history', entries: [{ ...call, status: 'create' }], turns: [turn('t1')] });
    expect(page.find('.tool').dataset.state).toBe('stopped');
  });

  it('of a sub-agent contains its steps, open while it works and collapsed when it is done', () => {
    const page = startPage();
    page.open();
    const parent = toolCall('t1:0:0', 'Agent', { description: 'Look around' }, { toolKind: 'think' });
    page.upsert({ ...parent, status: 'create' });
    page.upsert(toolCall('t1:0:1', 'Grep', { pattern: 'x' }, { parentItemId: 't1:0:0', status: 'create' }));
    page.upsert(agentMessage('t1:0:2', 'Found it.', { parentItemId: 't1:0:0' }));
    expect(page.rows()).toHaveLength(1);
    expect(page.text('.steps > summary')).toBe('2 steps');
    expect(page.find<HTMLDetailsElement>('.steps').open).toBe(true);
    expect(page.text('.steps .agent')).toBe('Found it.');
    page.upsert({ ...parent, toolOutput: 'Done.' });
    expect(page.find<HTMLDetailsElement>('.steps').open).toBe(false);
  });

  it('adopts steps that arrived before it', () => {
    const page = startPage();
    page.open();
    page.upsert(agentMessage('t1:0:2', 'Early.', { parentItemId: 't1:0:0' }));
    page.upsert(toolCall('t1:0:0', 'Agent', {}, { status: 'create' }));
    expect(page.rows()).toHaveLength(1);
    expect(page.text('.steps .agent')).toBe('Early.');
  });
});

describe('thinking', () => {
  it('mvp/TC-3.4a is muted and collapsible, open while it streams, one line afterwards', () => {
    const page = startPage();
    page.open();
    const thought = thinking('t1:0:0', 'Let me see.', { emittedAt: at(12) });
    page.upsert(started(thought, 0));
    expect(page.find<HTMLDetailsElement>('.row.thought details').open).toBe(true);
    expect(page.text('.thinking .markdown')).toBe('Let me see.');
    page.upsert(thought);
    expect(page.find<HTMLDetailsElement>('.row.thought details').open).toBe(false);
    expect(page.text('.thinking-label')).toBe('Thought for 12 s');
  });

  it('from the history opens on click', () => {
    const page = startPage();
    page.open([thinking('t1:0:0', 'Old *thought*.')]);
    expect(page.text('.thinking-label')).toBe('Thought');
    expect(page.text('.thinking .markdown')).toBe('');
    page.find('.thinking summary').click();
    expect(page.text('.thinking em')).toBe('thought');
  });

  it('without text is not shown', () => {
    const page = startPage();
    page.open([thinking('t1:0:0', '')]);
    expect(page.isVisible('.thought summary')).toBe(false);
  });
});

describe('items', () => {
  it('stream/TC-7.2c change independently when they arrive interleaved', () => {
    const page = startPage();
    page.open();
    page.upsert(
      agentMessage('t1:0:0', 'First', { status: 'create' }),
      toolCall('t1:0:1', 'Bash', { command: 'ls' }, { status: 'create' }),
    );
    const [first, second] = page.rows();
    const before = second?.innerHTML;
    page.upsert(agentMessage('t1:0:0', 'First grows', { status: 'update' }));
    expect(second?.innerHTML).toBe(before);
    const message = first?.innerHTML;
    page.upsert(toolCall('t1:0:1', 'Bash', { command: 'ls' }, { toolOutput: 'a' }));
    expect(first?.innerHTML).toBe(message);
    expect(page.rows()).toEqual([first, second]);
  });

  it('keep the order of their first appearance', () => {
    const page = startPage();
    page.open();
    page.upsert(agentMessage('t1:0:0', 'a', { status: 'create' }), agentMessage('t1:0:1', 'b', { status: 'create' }));
    page.upsert(agentMessage('t1:0:0', 'a!'));
    expect(page.rows().map((row) => row.textContent)).toEqual(['a!', 'b']);
  });

  it('from the system are shown as notices', () => {
    const page = startPage();
    page.open([notice('t1:n', 'Compacted.')]);
    expect(page.find('.notice').textContent).toBe('Compacted.');
  });

  it('show control and bidirectional characters instead of applying them', () => {
    const page = startPage();
    page.open([
      userMessage('t1:user', 'a\u202Eb'),
      agentMessage('t1:0:0', 'c\u202Ed &#x202e; e\u0007'),
      toolCall('t1:0:1', 'Ba\u200Bsh', { command: 'x\u202Ey' }),
      notice('t1:n', 'n\u2066'),
    ]);
    expect(page.rows().map((row) => row.textContent)).toEqual([
      'a⟨U+202E⟩b',
      'c⟨U+202E⟩d ⟨U+202E⟩ e␇',
      'doneBa⟨U+200B⟩shx⟨U+202E⟩y',
      'n⟨U+2066⟩',
    ]);
  });
});

describe('the end of a turn', () => {
  const end = { turnId: 't1', sessionId: SESSION_ID };

  it('is a line with duration and tokens, with details on hover and focus', () => {
    const page = startPage();
    const usage = { inputTokens: 1_000, outputTokens: 234 };
    page.open([userMessage('t1:user', 'Hi'), agentMessage('t1:0:0', 'Yes')], [turn('t1', { usage, modelId: 'big' })]);
    expect(page.text('button.turn-facts')).toBe('12 s · 1,234 tokens');
    expect(page.find('.turn-facts').getAttribute('aria-describedby')).toBe(page.find('.turn-details').id);
    expect(page.text('.turn-details')).toContain('Modelbig');
  });

  const items = [userMessage('t1:user', 'Hi'), agentMessage('t1:0:0', 'Yes')];

  it('has the times of the server, whatever the clock of the page says', () => {
    const page = startPage();
    page.open(items);
    page.tell({ type: 'session:sent', turnId: 't1' });
    page.env.pass(60_000);
    const payload = { ...end, type: 'turn_complete', status: 'completed', stopReason: 'end_turn' } as const;
    page.tell({ type: 'session:turn', payload, times: { startedAt: at(0), endedAt: at(12) } });
    const live = page.text('.turn-end');
    expect(page.text('.turn-facts')).toBe('12 s');

    page.open(items, [turn('t1', { startedAt: at(0), endedAt: at(12), stopReason: 'end_turn' })]);
    expect(page.text('.turn-end')).toBe(live);
  });

  it('has the time that passed on the page if the server sent no times', () => {
    const page = startPage();
    page.open(items);
    page.start('t1');
    page.env.pass(30_000);
    page.turn({ ...end, type: 'turn_complete', status: 'completed' });
    expect(page.text('.turn-facts')).toBe('30 s');
  });

  it('comes after the last item of its turn', () => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Hi')], []);
    page.start('t1');
    page.upsert(agentMessage('t1:0:0', 'Yes'));
    page.turn({ ...end, type: 'turn_complete', status: 'completed' });
    page.upsert(userMessage('t2:user', 'More'));
    expect(page.rows().map((row) => row.className.split(' ')[1])).toEqual(['user', 'agent', 'turn-end', 'user']);
  });

  it('is a single line, however many items the turn has', () => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Hi'), agentMessage('t1:0:0', 'a'), agentMessage('t1:0:1', 'b')], [turn('t1')]);
    expect(page.rows().map((row) => row.className.split(' ')[1])).toEqual(['user', 'agent', 'agent', 'turn-end']);
  });

  it('is not shown for a message that another turn answered', () => {
    const page = startPage();
    page.open(
      [userMessage('t1:user', 'Hi'), userMessage('t2:user', 'And'), agentMessage('t1:0:0', 'a')],
      [turn('t1'), turn('t2')],
    );
    expect(page.rows().map((row) => row.className.split(' ')[1])).toEqual(['user', 'user', 'agent', 'turn-end']);
  });

  it('shows that the turn was cancelled', () => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Hi')], []);
    page.start('t1');
    page.turn({ ...end, type: 'turn_complete', status: 'cancelled' });
    expect(page.text('.turn-facts')).toContain('Cancelled');
  });

  it('shows the error and offers to send the message again', () => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Try this')], []);
    page.start('t1');
    page.turn({ ...end, type: 'turn_error', errorCode: 'MODEL_ERROR', errorMessage: 'Overloaded.' });
    expect(page.text('.turn-facts')).toMatch(/^Failed/);
    expect(page.text('.turn-error-message')).toBe('Overloaded.');
    page.button('Send again').click();
    expect(page.said.at(-1)).toEqual({ type: 'session:send', turnId: SENT, content: 'Try this' });
  });

  it('offers the command to sign in with', async () => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Hi')], []);
    page.start('t1');
    const errorMessage = 'Codex is not signed in. Run "codex login" in a terminal.';
    page.turn({ ...end, type: 'turn_error', errorCode: 'AGENT_NOT_SIGNED_IN', errorMessage });
    page.button('Copy command').click();
    expect(page.env.copied).toEqual(['codex login']);
  });

  it('offers a remedy only for the last turn', () => {
    const page = startPage();
    const failed = turn('t1', { status: 'error', errorCode: 'MODEL_ERROR', errorMessage: 'No.' });
    page.open(
      [userMessage('t1:user', 'Hi'), userMessage('t2:user', 'Again'), agentMessage('t2:0:0', 'Yes')],
      [failed, turn('t2')],
    );
    expect(page.text('.turn-error')).toContain('No.');
    expect(() => page.button('Send again')).toThrow();
  });
});
