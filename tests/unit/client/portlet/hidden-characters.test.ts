import { describe, expect, it } from 'vitest';
import { agentMessage, notice, thinking, toolCall, turn, userMessage } from '../../../fixtures/conversation/upserts.ts';
import { findHidden, hiddenName } from '../../../support/hostile/hidden-characters.ts';
import { idOf } from './rig/manual-environment.ts';
import { startPage } from './rig/page-rig.ts';

const name = hiddenName('Word');
const info = {
  type: 'session:info',
  title: name,
  agentLabel: name,
  cliType: 'claude-code',
  projectPath: `/${name}`,
  demo: false,
} as const;
const failed = { toolOutputIsError: true, toolOutput: name } as const;
const running = { status: 'update', background: true, toolOutput: name, toolKind: 'execute' } as const;

const entries = [
  userMessage('t1:user', name),
  agentMessage(
    't1:0:0',
    `${name} [${name}](https://example.com "${name}") [${name}](${name})\n\n\`\`\`${name}\n${name}`,
  ),
  thinking('t1:0:1', name),
  notice('t1:0:2', name),
  toolCall('t1:1:0', name, { command: name, description: name, [name]: name }, { ...failed, toolKind: 'execute' }),
  toolCall(
    't1:1:1',
    'Edit',
    {},
    { ...failed, diffs: [{ path: `/${name}/${name}`, oldText: name, newText: `${name}\nx` }] },
  ),
  toolCall('t1:1:2', 'Agent', { [name]: { [name]: name } }, { ...failed, toolKind: 'think' }),
  agentMessage('t1:1:3', name, { status: 'error', errorCode: 'X', errorMessage: name, parentItemId: 't1:1:2' }),
  toolCall('t1:1:4', 'TodoWrite', { todos: [{ content: name, status: 'pending' }] }, failed),
  toolCall('t1:1:5', name, {}, running),
  toolCall('t1:1:6', 'Bash', { command: name, description: name }, running),
];

/** Opens everything that can be opened. */
function openAll(): void {
  for (const summary of document.querySelectorAll('summary')) summary.click();
  for (const button of document.querySelectorAll<HTMLElement>('.more, .diff-fold')) button.click();
}

describe('safe/visible hidden characters are written out', () => {
  it('in the page of a session without messages', () => {
    const page = startPage();
    page.tell({ type: 'connection', state: 'connected' }, info, { type: 'session:history', entries: [], turns: [] });
    page.env.frame();
    expect(page.text('.empty')).toContain('Word⟨U+202E⟩');
    expect(document.title).toContain('Word⟨U+202E⟩');
    expect(findHidden(document)).toEqual([]);
  });

  it('in every kind of row, open and closed', () => {
    const page = startPage();
    page.open();
    const turns = [
      turn('t1', {
        status: 'error',
        errorCode: 'AGENT_NOT_SIGNED_IN',
        errorMessage: `Run "${name}"`,
        modelId: name,
        stopReason: name,
      }),
    ];
    page.tell(info, { type: 'session:history', entries, turns });
    page.env.frame();
    openAll();
    expect(page.rows().length).toBeGreaterThan(9);
    expect(page.find('.diff-lines').getAttribute('aria-label')).toContain('Changes in /Word⟨U+202E⟩');
    expect(page.find('.stop').getAttribute('aria-label')).toContain('Stop Word⟨U+202E⟩');
    expect(findHidden(document)).toEqual([]);
    page.button('Copy command').click();
    expect(page.env.copied).toEqual([expect.stringContaining('Word⟨U+202E⟩')]);
  });

  it.each([
    ['an error', { type: 'session:error', error: { code: 'INTERNAL_ERROR', message: name } }],
    ['a failed cancel', { type: 'session:error', error: { code: 'INTERRUPT_FAILED', message: name } }],
    ['a failed stop', { type: 'session:stop-failed', error: { code: 'INTERNAL_ERROR', message: name } }],
    [
      'a failed send',
      { type: 'session:send-failed', turnId: idOf(1), error: { code: 'INTERNAL_ERROR', message: name } },
    ],
    ['an agent that ended with a reason', { type: 'agent:status', status: 'disconnected', message: name }],
    ['an agent that ended', { type: 'agent:status', status: 'disconnected' }],
    ['an agent that starts', { type: 'agent:status', status: 'starting' }],
    ['an agent that starts again', { type: 'agent:status', status: 'reconnecting', attempt: 1 }],
  ] as const)('in the message about %s', (_, message) => {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    page.tell(info, message);
    expect(document.body.textContent).toContain('Word⟨U+202E⟩');
    expect(findHidden(document)).toEqual([]);
  });

  it('in what a screen reader hears', () => {
    const page = startPage();
    page.open();
    page.tell(info);
    page.start('t1');
    page.upsert(toolCall('t1:0:0', name, {}, { ...running, status: 'create' }));
    page.env.frame();
    expect(page.text('[role=status]')).toContain('Word⟨U+202E⟩');
    page.turn({
      type: 'turn_error',
      turnId: 't1',
      sessionId: 'claude-code:fixture',
      errorCode: 'X',
      errorMessage: name,
    });
    page.env.frame();
    expect(page.text('[role=status]')).toContain('Word⟨U+202E⟩');
    expect(findHidden(document)).toEqual([]);
  });
});
