import { describe, expect, it } from 'vitest';
import type { ToolCallUpsert } from '../../../../shared/stream-contracts.ts';
import {
  agentMessage,
  at,
  SESSION_ID,
  started,
  toolCall,
  turn,
  userMessage,
} from '../../../fixtures/conversation/upserts.ts';
import { startPage } from './rig/page-rig.ts';

/** The page's clock starts one hour after the fixture's. */
const NOW = 3_600;

const done = { turnId: 't1', sessionId: SESSION_ID, type: 'turn_complete', status: 'completed' } as const;
const agent = toolCall(
  't1:0:0',
  'Agent',
  { description: 'Look around', prompt: 'Find it' },
  { toolKind: 'think', background: true, emittedAt: at(NOW) },
);
const shell = toolCall(
  't1:0:1',
  'Bash',
  { command: 'npm run dev' },
  { toolKind: 'execute', background: true, emittedAt: at(NOW) },
);
const running = (call: ToolCallUpsert, changes: Partial<ToolCallUpsert> = {}): ToolCallUpsert => ({
  ...call,
  status: 'update',
  ...changes,
});
const step = (itemId: string, name: string, target: string, parentItemId: string, seconds: number) =>
  started(toolCall(itemId, name, { pattern: target }, { parentItemId }), seconds);

const lineOf = (itemText: string) =>
  [...document.querySelectorAll<HTMLElement>('.tool')].find(
    (row) => row.querySelector('summary')?.textContent?.includes(itemText) === true,
  );
const stateOf = (itemText: string) => lineOf(itemText)?.dataset.state;
const summaryOf = (itemText: string) => lineOf(itemText)?.querySelector('summary')?.textContent;
const announced = () => document.querySelector('[role="status"]')?.textContent;

type Page = ReturnType<typeof startPage>;

function tellCount(page: Page, background: number): void {
  page.tell({
    type: 'session:info',
    title: 'Fix the login',
    agentLabel: 'Claude Code',
    cliType: 'claude-code',
    projectPath: '/home/dev/project',
    demo: false,
    background,
  });
}

/** A page whose turn has ended while its sub-agent goes on. */
function openWithWork(): Page {
  const page = startPage();
  page.open([userMessage('t1:user', 'Go')]);
  page.start('t1');
  page.upsert(started(agent, NOW, { background: undefined }), running(agent));
  page.turn(done);
  tellCount(page, 1);
  return page;
}

describe('the row of background work', () => {
  it('engine/background-live page: runs and counts after its turn has ended, until it ends', () => {
    const page = openWithWork();
    page.env.pass(12_000);
    expect(summaryOf('Look around')).toBe('runningAgentLook aroundbackground12 s');
    expect(page.rows().map((row) => row.className)).toEqual(['row user', 'row tool', 'row turn-end']);
    expect(page.find('.turn-end').dataset.status).toBe('completed');
    page.upsert({ ...agent, toolOutput: 'Found **two**.', emittedAt: at(NOW + 15) });
    expect(summaryOf('Look around')).toBe('doneAgentLook aroundbackground15 s');
    page.find('summary').click();
    expect(page.text('.tool-body strong')).toBe('two');
    page.env.pass(60_000);
    expect(summaryOf('Look around')).toContain('15 s');
  });

  it('engine/background-live page: runs on if its turn was cancelled or failed', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.upsert(started(agent, NOW), started(shell, NOW));
    page.turn({
      turnId: 't1',
      sessionId: SESSION_ID,
      type: 'turn_error',
      errorCode: 'MODEL_ERROR',
      errorMessage: 'No.',
    });
    expect([stateOf('Look around'), stateOf('npm run dev')]).toEqual(['running', 'running']);
  });

  it('engine/background-live page: shows its steps with their names as they happen, nested ones too', () => {
    const page = openWithWork();
    page.upsert(step('t1:1:0', 'Grep', 'returnTo', agent.itemId, NOW + 1));
    page.upsert(
      started(toolCall('t1:1:1', 'Task', { description: 'Deeper' }, { parentItemId: agent.itemId }), NOW + 2),
    );
    page.upsert(step('t1:2:0', 'Read', 'login', 't1:1:1', NOW + 3));
    page.upsert(agentMessage('t1:1:2', 'Found on', { parentItemId: agent.itemId, status: 'update' }));
    expect(page.rows()).toHaveLength(3);
    expect([stateOf('returnTo'), stateOf('Deeper'), stateOf('login')]).toEqual(['running', 'running', 'running']);
    expect(page.find('.steps .agent').classList).toContain('is-streaming');
    expect(lineOf('Deeper')?.contains(lineOf('login') ?? null)).toBe(true);
    expect(page.find<HTMLDetailsElement>('.steps').open).toBe(true);
  });

  it('engine/background-live page: does not leave a step running after it ended', () => {
    const page = openWithWork();
    page.upsert(step('t1:1:0', 'Grep', 'returnTo', agent.itemId, NOW + 1));
    page.upsert({ ...agent, status: 'error', errorCode: 'PROCESS_CRASH', errorMessage: 'The agent process ended.' });
    expect(stateOf('returnTo')).toBe('stopped');
    expect(stateOf('Look around')).toBe('failed');
    expect(page.text('.tool > .item-error')).toBe('The agent process ended.');
  });

  it('engine/background-live page: shows the last lines of its output while it runs', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.upsert(started(shell, NOW));
    expect(page.isVisible('.tail')).toBe(false);
    const lines = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`);
    page.upsert(running(shell, { toolOutput: `${lines.join('\n')}\n\u001b[32mready\u001b[39m\n` }));
    page.turn(done);
    expect(page.text('.tail')).toBe('line 6\nline 7\nline 8\nline 9\nready');
    expect(page.text('.tail .ansi-green')).toBe('ready');
    page.upsert(running(shell, { toolOutput: 'start\n\n\nvite\n\n  ready\n\n' }));
    expect(page.text('.tail')).toBe('vite\n\n  ready');
    page.upsert({ ...shell, toolOutput: 'ready', exitCode: 0 });
    expect(page.isVisible('.tail')).toBe(false);
  });

  it('engine/background-live page: is announced once when it starts, ends, fails and is stopped', () => {
    const page = openWithWork();
    expect(announced()).toBe('Claude Code has finished.');
    page.upsert(started(shell, NOW, { background: undefined, turnId: 't2' }));
    page.upsert(running(shell, { turnId: 't2' }));
    expect(announced()).toBe('Background task started: npm run dev.');
    page.upsert(running(shell, { turnId: 't2', toolOutput: 'more' }));
    page.upsert({ ...agent, toolOutput: 'Two.' });
    expect(announced()).toBe('Background task finished: Look around.');
    page.upsert({ ...shell, turnId: 't2', status: 'error', errorCode: 'PROCESS_CRASH', errorMessage: 'It died.' });
    expect(announced()).toBe('Background task failed: npm run dev.');
  });

  it('engine/background-live page: says together what ended together', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.upsert(started(agent, NOW), started(shell, NOW));
    expect(announced()).toBe('Background task started: Look around. Background task started: npm run dev.');
  });
});

describe('the status of the page', () => {
  it('engine/background-live page: counts background work instead of being ready, and beside a turn', () => {
    const page = openWithWork();
    expect(page.text('.agent-state')).toBe('Claude Code · 1 task in the background');
    expect(page.find('.agent-state').classList).toContain('working');
    tellCount(page, 3);
    expect(page.text('.agent-state')).toBe('Claude Code · 3 tasks in the background');
    page.start('t2');
    page.env.pass(4_000);
    expect(page.text('.agent-state')).toBe('Claude Code · working 4 s · 3 tasks in the background');
    page.turn({ ...done, turnId: 't2' });
    tellCount(page, 0);
    expect(page.text('.agent-state')).toBe('Claude Code · ready');
    expect(page.button('Stop all').hidden).toBe(true);
  });

  it('engine/background-live page: leaves the composer free', () => {
    const page = openWithWork();
    page.type('And another thing');
    expect(page.button('Send').disabled).toBe(false);
    expect(page.button('Cancel').hidden).toBe(true);
    page.press('Escape');
    expect(page.said).toEqual([]);
  });

  it('engine/background-live page: does not claim that something runs while the connection is lost', () => {
    const page = openWithWork();
    page.tell({ type: 'connection', state: 'reconnecting' });
    expect(page.text('.agent-state')).toBe('Claude Code · offline');
    expect(page.button('Stop all').hidden).toBe(true);
  });
});

describe('a reload', () => {
  const entries = [
    userMessage('t1:user', 'Go'),
    running(agent, { emittedAt: at(NOW - 1), startedAt: at(NOW - 90) }),
    toolCall('t1:1:0', 'Grep', { pattern: 'returnTo' }, { parentItemId: agent.itemId, toolOutput: 'a.ts' }),
    agentMessage('t1:0:2', 'It runs.'),
    step('t1:1:1', 'Read', 'login', agent.itemId, NOW - 5),
  ];

  it('engine/background-reload page: shows the running work, its steps and its time, though its turn has ended', () => {
    const page = startPage();
    page.open(entries, [turn('t1')]);
    page.env.pass(1_000);
    expect(summaryOf('Look around')).toBe('runningAgentLook aroundbackground1 m 31 s');
    expect([stateOf('returnTo'), stateOf('login')]).toEqual(['done', 'running']);
    expect(page.rows().map((row) => row.className)).toEqual(['row user', 'row tool', 'row agent', 'row turn-end']);
    page.upsert({ ...agent, emittedAt: at(NOW + 30) });
    expect(summaryOf('Look around')).toContain('2 m 0 s');
  });

  it('engine/background-reload page: shows the same as the page that saw it happen', () => {
    const shown = () => [...document.querySelectorAll('.rows summary')].map((line) => line.textContent);
    const live = startPage();
    live.open([userMessage('t1:user', 'Go')]);
    live.start('t1');
    live.upsert(started(agent, NOW - 90), ...entries.slice(1));
    live.turn(done);
    live.env.pass(1_000);
    const before = shown();
    document.body.replaceChildren();
    const reloaded = startPage();
    reloaded.open(entries, [turn('t1')]);
    reloaded.env.pass(1_000);
    expect(before.join()).toContain('Look around');
    // Times of steps are known only to a page that saw them start.
    expect(shown()).toEqual(before);
  });

  it('engine/background-reload page: lets steps run whose work is on a page that is read later', () => {
    const page = startPage();
    const many = Array.from({ length: 80 }, (_, index) =>
      toolCall(`t1:2:${index}`, 'Read', { path: `${index}` }, { parentItemId: agent.itemId }),
    );
    page.open([...entries.slice(0, 2), ...many, step('t1:3:0', 'Grep', 'last', agent.itemId, NOW)], [turn('t1')]);
    expect(page.rows()).toHaveLength(3);
    expect(stateOf('last')).toBe('running');
  });

  it('engine/background-reload page: says nothing to a screen reader about what was running before', () => {
    const page = startPage();
    page.open(entries, [turn('t1')]);
    expect(announced()).toBe('');
  });

  it('engine/background-reload page: a snapshot in which the work has ended ends it', () => {
    const page = openWithWork();
    page.tell({
      type: 'session:history',
      entries: [userMessage('t1:user', 'Go'), { ...agent, toolOutput: 'Two.', emittedAt: at(NOW + 7) }],
      turns: [turn('t1')],
    });
    expect(summaryOf('Look around')).toBe('doneAgentLook aroundbackground7.0 s');
  });
});

describe('stopping', () => {
  it('engine/background-stop page: asks to stop one, says so while that is under way, and shows it as stopped', () => {
    const page = openWithWork();
    const stop = page.button('Stop Look around');
    expect(stop.textContent).toBe('Stop');
    stop.focus();
    stop.click();
    stop.click();
    page.env.frame();
    expect(page.said).toEqual([{ type: 'session:stop-background', itemId: agent.itemId }]);
    expect(stop.textContent).toBe('Stopping…');
    expect(stop.getAttribute('aria-disabled')).toBe('true');
    expect(document.activeElement).toBe(stop);
    page.upsert({ ...agent, status: 'error', errorCode: 'STOPPED', errorMessage: 'Stopped.', emittedAt: at(NOW + 5) });
    expect(summaryOf('Look around')).toBe('stoppedAgentLook aroundbackgroundStopped after 5.0 s');
    expect(page.isVisible('.item-error')).toBe(false);
    expect(stop.hidden).toBe(true);
    expect(document.activeElement?.textContent).toContain('Look around');
    expect(announced()).toBe('Background task stopped: Look around.');
  });

  it('engine/background-stop page: says that it was stopped after a reload', () => {
    const page = startPage();
    page.open([{ ...agent, status: 'error', errorCode: 'STOPPED', errorMessage: 'Stopped.' }], [turn('t1')]);
    expect(summaryOf('Look around')).toBe('stoppedAgentLook aroundbackgroundStopped');
  });

  it('engine/background-stop page: stops all, until new work starts or none is left', () => {
    const page = openWithWork();
    page.button('Stop all').click();
    page.env.frame();
    expect(page.said).toEqual([{ type: 'session:stop-background' }]);
    expect(page.text('.stop-all')).toBe('Stopping…');
    expect(page.button('Stopping Look around').textContent).toBe('Stopping…');
    page.upsert(started(shell, NOW));
    tellCount(page, 2);
    expect(page.text('.stop-all')).toBe('Stop all');
    expect(page.button('Stop npm run dev').textContent).toBe('Stop');
    page.button('Stop all').focus();
    page.button('Stop all').click();
    page.upsert(agent, shell);
    tellCount(page, 0);
    expect(page.isVisible('.stop-all')).toBe(false);
    expect(document.activeElement).toBe(page.field());
    page.upsert(started({ ...shell, itemId: 't1:9:0', callId: 'again' }, NOW));
    tellCount(page, 1);
    expect(page.text('.stop-all')).toBe('Stop all');
  });

  it.each([
    ['one', 'Stop Look around', { itemId: agent.itemId }],
    ['all', 'Stop all', {}],
  ])('engine/background-stop page: can be retried after a failure to stop %s, which is shown', (_, name, what) => {
    const page = openWithWork();
    page.button(name).click();
    page.env.frame();
    page.tell({ type: 'session:stop-failed', ...what, error: { code: 'INTERNAL_ERROR', message: 'It went on.' } });
    expect(page.text('[role="alert"]')).toBe('It went on.');
    page.button(name).click();
    expect(page.said).toHaveLength(2);
  });

  it('engine/background-stop page: names the work in the words of the agent', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.upsert(started({ ...shell, toolArguments: { command: 'npm run dev', description: 'Start the server' } }, NOW));
    expect(page.button('Stop Start the server').textContent).toBe('Stop');
  });

  it('engine/background-stop page: a call that is not in the background has no button', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.upsert(started(toolCall('t1:0:0', 'Bash', { command: 'ls' }), NOW));
    expect(document.querySelector('.stop')).toBeNull();
  });
});
