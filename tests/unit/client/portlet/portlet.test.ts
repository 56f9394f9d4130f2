import { describe, expect, it } from 'vitest';
import { agentMessage, SESSION_ID, toolCall, turn, userMessage } from '../../../fixtures/conversation/upserts.ts';
import { idOf } from './rig/manual-environment.ts';
import { startPage } from './rig/page-rig.ts';

const SENT = idOf(1);
const end = { turnId: 't1', sessionId: SESSION_ID };

describe('a sent message', () => {
  it('mvp/TC-3.1a appears at once', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    page.env.frame();
    expect(page.rows().map((row) => row.textContent)).toEqual(['Hello']);
    expect(page.find('.user').classList).toContain('is-pending');
  });

  it('is shown once if its item arrives after the response', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    page.tell({ type: 'session:sent', turnId: SENT });
    expect(page.rows()).toHaveLength(1);
    page.upsert(userMessage(`${SENT}:user`, 'Hello'));
    expect(page.rows()).toHaveLength(1);
    expect(page.find('.user').classList).not.toContain('is-pending');
  });

  it('is shown once if its item arrives before the response', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    page.upsert(userMessage(`${SENT}:user`, 'Hello'));
    expect(page.rows()).toHaveLength(1);
    page.tell({ type: 'session:sent', turnId: SENT });
    expect(page.rows()).toHaveLength(1);
  });

  it('is shown once if it is in the history', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    page.tell({ type: 'session:history', entries: [userMessage(`${SENT}:user`, 'Hello')], turns: [] });
    expect(page.rows()).toHaveLength(1);
  });

  it('does not restart a turn that ended before the response', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    page.start(SENT);
    page.turn({ ...end, turnId: SENT, type: 'turn_complete', status: 'completed' });
    page.tell({ type: 'session:sent', turnId: SENT });
    expect(page.button('Cancel').hidden).toBe(true);
  });
});

describe('a turn that failed', () => {
  it.each(['constructor', '__proto__', 'toString'])(
    'safe/agent-names with the unknown code %s is explained in general words',
    (errorCode) => {
      const page = startPage();
      page.open([userMessage('t1:user', 'Hello')], [turn('t1', { status: 'error', errorCode, errorMessage: 'Why.' })]);
      expect(page.text('.turn-error-title')).toBe('The turn failed');
      page.button('Send again').click();
      expect(page.said).toContainEqual(expect.objectContaining({ type: 'session:send', content: 'Hello' }));
    },
  );
});

describe('cancelling', () => {
  it('mvp/TC-3.7b stops the turn, keeps the text and enables the composer', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.upsert(agentMessage('t1:0:0', 'Half an ans', { status: 'update' }));
    page.button('Cancel').click();
    expect(page.said).toEqual([{ type: 'session:cancel' }]);
    expect(page.text('.working')).toBe('Claude Code · cancelling');
    expect(page.button('Cancel').disabled).toBe(true);
    page.turn({ ...end, type: 'turn_complete', status: 'cancelled' });
    page.type('Something else');
    expect(page.text('.agent')).toBe('Half an ans');
    expect(page.find('.agent').classList).not.toContain('is-streaming');
    expect(page.button('Send').disabled).toBe(false);
    expect(page.button('Cancel').hidden).toBe(true);
  });

  it('works with Escape, once, and only while a turn is running', () => {
    const page = startPage();
    page.open();
    page.press('Escape');
    expect(page.said).toEqual([]);
    page.start('t1');
    page.press('Escape');
    page.press('Escape');
    expect(page.said).toEqual([{ type: 'session:cancel' }]);
  });

  it('can be retried after a failure, which is shown', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.button('Cancel').click();
    page.tell({ type: 'session:error', error: { code: 'INTERRUPT_FAILED', message: 'Could not be cancelled.' } });
    expect(page.text('[role="alert"]')).toBe('Could not be cancelled.');
    expect(page.button('Cancel').disabled).toBe(false);
  });
});

describe('the state of the page', () => {
  it('mvp/TC-5.4a says that the agent is starting', () => {
    const page = startPage();
    page.open();
    page.tell({ type: 'agent:status', status: 'starting' });
    expect(page.text('.banner')).toContain('Claude Code is starting');
    expect(page.find('.banner').classList).toContain('is-busy');
    page.tell({ type: 'agent:status', status: 'connected' });
    expect(page.isVisible('.banner')).toBe(false);
  });

  it('shows a skeleton if the history takes longer than 150 ms', () => {
    const page = startPage();
    page.env.pass(149);
    expect(document.querySelector('.skeleton')).toBeNull();
    page.env.pass(1);
    expect(document.querySelector('.skeleton')).not.toBeNull();
    page.open([userMessage('t1:user', 'Hi')]);
    expect(document.querySelector('.skeleton')).toBeNull();
  });

  it('explains what to do in an empty session', () => {
    const page = startPage();
    page.open();
    expect(page.text('.empty')).toContain('Start a conversation with Claude Code');
    expect(page.text('.empty')).toContain('/home/dev/project');
    page.upsert(userMessage('t1:user', 'Hi'));
    expect(document.querySelector('.empty')).toBeNull();
  });

  it('counts the attempts to restart a crashed agent', () => {
    const page = startPage();
    page.open();
    page.tell({ type: 'agent:status', status: 'reconnecting', attempt: 2, maxAttempts: 5, retryInMs: 4_000 });
    expect(page.text('.banner-text')).toBe(
      'Claude Code ended unexpectedly. Starting it again, attempt 2 of 5, in 4 s…',
    );
    page.env.pass(3_000);
    expect(page.text('.banner-text')).toContain('attempt 2 of 5, in 1 s…');
    page.env.pass(1_000);
    expect(page.text('.banner-text')).toMatch(/attempt 2 of 5…$/);
  });

  it('offers to reconnect after the last attempt to restart an agent', () => {
    const page = startPage();
    page.open();
    page.tell({ type: 'agent:status', status: 'disconnected', message: 'It ended five times.' });
    expect(page.text('.banner-text')).toBe('It ended five times.');
    page.button('Reconnect').click();
    expect(page.said).toEqual([{ type: 'session:reconnect' }]);
  });

  it('offers to retry if the history could not be loaded', () => {
    const page = startPage();
    page.tell(
      { type: 'connection', state: 'connected' },
      { type: 'session:error', error: { code: 'SESSION_NOT_FOUND', message: 'Its transcript is gone.' } },
    );
    expect(page.text('.banner-text')).toBe('Its transcript is gone.');
    expect(page.text('.agent-state')).toContain('not loaded');
    page.button('Try again').click();
    expect(page.text('.agent-state')).toContain('loading');
    expect(page.said).toEqual([{ type: 'session:reload' }]);
  });

  it('shows when the connection is lost and when everything is up to date again', () => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Hi')]);
    page.tell({ type: 'connection', state: 'reconnecting' });
    expect(page.text('.banner-text')).toContain('connection to the server is lost');
    page.tell(
      { type: 'connection', state: 'connected' },
      { type: 'session:history', entries: [userMessage('t1:user', 'Hi')], turns: [] },
    );
    expect(page.text('.banner-text')).toBe('Connected again. Everything is up to date.');
    page.env.pass(4_000);
    expect(page.isVisible('.banner')).toBe(false);
  });

  it('says that permissions are answered automatically', () => {
    const page = startPage();
    page.open();
    expect(page.text('.status-line')).toContain('Permissions are answered automatically');
    expect(page.text('.status-line')).toContain('Claude Code · ready');
  });

  it.each([
    ['plan', 'Plan mode: permissions are denied'],
    ['read-only', 'Read-only: permissions are denied'],
    ['never-ask', 'Permissions are denied'],
  ] as const)('safe/modes says what the mode %s means for permissions', (access, text) => {
    const page = startPage();
    page.open();
    const info = { title: 'T', agentLabel: 'Codex', cliType: 'codex', projectPath: '/p', demo: false, background: 0 };
    page.tell({ type: 'session:info', ...info, access });
    expect(page.text('.permissions')).toBe(text);
  });

  it('shows that it is a demo', () => {
    const page = startPage();
    page.open();
    expect(page.isVisible('.demo')).toBe(false);
    page.tell({
      type: 'session:info',
      title: 'T',
      agentLabel: 'Codex',
      cliType: 'codex',
      projectPath: '/p',
      demo: true,
    });
    expect(page.isVisible('.demo')).toBe(true);
  });

  it('uses agent name and project path even if they arrive after the conversation', () => {
    const page = startPage();
    const edit = { file_path: '/home/dev/project/src/a.ts' };
    const entries = [agentMessage('t1:0:0', 'Hi'), toolCall('t1:0:1', 'Read', edit, { toolOutput: 'x' })];
    page.tell({ type: 'session:history', entries, turns: [] });
    page.env.pass(0);
    page.env.frame();
    expect(page.text('.tool-target')).toBe('/home/dev/project/src/a.ts');
    page.find('.tool summary').click();
    page.open(entries);
    const label = page.find('.row.agent').getAttribute('aria-labelledby');
    expect(page.text(`#${label}`)).toBe('Claude Code');
    expect(page.text('.tool-target')).toBe('src/a.ts');
  });

  it('follows the chosen theme', () => {
    const page = startPage();
    page.tell({ type: 'theme', theme: 'light' });
    expect(document.documentElement.dataset.theme).toBe('light');
    page.tell({ type: 'theme', theme: 'system' });
    expect(document.documentElement.dataset.theme).toBeUndefined();
  });

  it('skips invalid entries and says how many, also those of a history that is read in parts', () => {
    const page = startPage();
    page.open();
    page.tell({ type: 'session:history', entries: [userMessage('t1:user', 'Hi'), { nonsense: true }], turns: [] });
    expect(page.rows()).toHaveLength(1);
    expect(page.text('.banner-text')).toMatch(/^1 entry of this conversation could not be read\. /);

    const long = startPage();
    const entries = Array.from({ length: 100 }, (_, index) => userMessage(`t${index}:user`, 'Hi'));
    const nonsense = [{ nonsense: true }];
    long.tell(
      { type: 'connection', state: 'connected' },
      { type: 'session:history', entries: [...nonsense, ...entries, ...nonsense], turns: [] },
    );
    expect(document.body.textContent).toContain('1 entry of this');
    long.env.pass(0);
    expect(document.body.textContent).toContain('2 entries of this conversation could not be read.');
  });
});

describe('a screen reader', () => {
  it('announces the end of a turn, not every word', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.upsert(agentMessage('t1:0:0', 'Many words', { status: 'update' }));
    expect(page.text('[role="status"]')).toBe('');
    expect(page.find('.agent').getAttribute('aria-live')).toBe('off');
    page.turn({ ...end, type: 'turn_complete', status: 'completed' });
    expect(page.text('[role="status"]')).toBe('Claude Code has finished.');
  });

  it('finds the parts of the page by name', () => {
    const page = startPage();
    page.open();
    expect(page.find('[role="log"]').getAttribute('aria-label')).toBe('Conversation');
    expect(page.field().getAttribute('aria-label')).toBe('Message');
    expect(page.text('h1')).toBe('Fix the login');
  });
});

describe('keys', () => {
  it.each([
    ['k', { ctrlKey: true }, 'filter'],
    ['1', { altKey: true, code: 'Digit1' }, 'tab-1'],
    ['9', { altKey: true, code: 'Digit9' }, 'tab-9'],
  ])('are forwarded if they are shell shortcuts: %s', (key, options, meaning) => {
    const page = startPage();
    page.open();
    expect(page.press(key, options)).toBe(false);
    expect(page.said).toEqual([{ type: 'shell:key', key: meaning }]);
  });

  it('go to the message field when the shell asks for the focus', () => {
    const page = startPage();
    page.tell({ type: 'portlet:focus' });
    expect(document.activeElement).toBe(page.field());
  });
});

describe('a repeated history', () => {
  const entries = [userMessage('t1:user', 'Hi'), agentMessage('t1:0:0', 'Hello **you**')];

  it('does not touch what did not change', async () => {
    const page = startPage();
    page.open(entries, [turn('t1')]);
    const before = page.rows();
    let changes = 0;
    const observer = new MutationObserver((records) => {
      changes += records.length;
    });
    observer.observe(page.find('.rows'), { subtree: true, childList: true, characterData: true, attributes: true });
    page.tell({ type: 'session:history', entries: structuredClone(entries), turns: [turn('t1')] });
    changes += observer.takeRecords().length;
    expect(page.rows()).toEqual(before);
    expect(changes).toBe(0);
  });

  it('adds what was missed and removes what is gone', () => {
    const page = startPage();
    page.open(entries);
    const kept = page.rows()[1];
    page.tell({
      type: 'session:history',
      entries: [entries[1], agentMessage('t1:0:1', 'Missed')].filter((entry) => entry !== undefined),
      turns: [],
    });
    expect(page.rows().map((row) => row.textContent)).toEqual(['Hello you', 'Missed']);
    expect(page.rows()[0]).toBe(kept);
  });
});
