import { describe, expect, it } from 'vitest';
import { addressOf, answer, project, refuse, row, titles } from './rig/session-rows.ts';
import { sessionOf, startShellRig } from './rig/shell-rig.ts';

const SENT = '00000000-0000-4000-8000-0000000000aa';

async function openPage() {
  const session = sessionOf(project, 'A');
  const origin = sessionOf(project, 'Origin');
  const rig = startShellRig({ projects: [project], sessions: [session, origin] });
  await rig.connect();
  row('A').click();
  rig.posted(session.id);
  rig.fromPortlet(session.id, { type: 'portlet:ready' });
  const posts = (type: string) => rig.posted(session.id).filter((message) => message.type === type);
  const calls = (path: string) => rig.calls.filter((call) => call.path === path).map(({ body }) => body);
  const tabs = () => [...document.querySelectorAll('[role=tab]')].map(({ textContent }) => textContent);
  return { rig, session, origin, posts, calls, tabs };
}

describe('a session page in the shell', () => {
  it('follow/fork opens the copy of its conversation in a tab', async () => {
    const { rig, session, calls, tabs } = await openPage();
    const fork = sessionOf(project, 'A (fork)');
    const address = addressOf(session, '/fork');
    answer(rig, address, () => ({ sessionId: fork.id, cliType: fork.cliType, projectId: project.id, session: fork }));
    rig.fromPortlet(session.id, { type: 'session:fork', branch: 'b1' });
    await rig.settle();
    expect(calls(address)).toEqual([{ branch: 'b1' }]);
    expect(tabs()).toEqual(['A', 'A (fork)']);
    expect(titles()).toContain('A (fork)');
  });

  it('follow/fork is told if that failed', async () => {
    const { rig, session, posts, tabs } = await openPage();
    refuse(rig, addressOf(session, '/fork'), 'It cannot.');
    rig.fromPortlet(session.id, { type: 'session:fork' });
    await rig.settle();
    expect(posts('session:fork-failed')).toMatchObject([{ error: { message: 'It cannot.' } }]);
    expect(tabs()).toEqual(['A']);
  });

  it('follow/ask passes on what the user accepted', async () => {
    const { rig, session, calls } = await openPage();
    rig.fromPortlet(session.id, { type: 'session:send', turnId: SENT, content: 'Hi', accept: 'reset' });
    await rig.settle();
    expect(calls(addressOf(session, '/send'))).toEqual([{ content: 'Hi', turnId: SENT, ask: true, accept: 'reset' }]);
  });

  it('follow/held is told who has the session open, what the model has, and where that is from', async () => {
    const { rig, session, origin, posts } = await openPage();
    const facts = {
      heldBy: { label: 'Claude Code', certain: true },
      context: { state: 'forked', from: origin.id },
    };
    rig.say({ type: 'session:changed', sessionId: session.id, session: { ...session, ...facts } });
    expect(posts('session:info').at(-1)).toMatchObject({
      ...facts,
      origin: { sessionId: origin.id, title: 'Origin' },
    });
    rig.say({ type: 'session:changed', sessionId: session.id, session });
    expect(posts('session:info').at(-1)?.heldBy).toBeUndefined();
  });

  it('follow/context opens the session that it came from, and only one that is known', async () => {
    const { rig, session, origin, tabs } = await openPage();
    rig.fromPortlet(session.id, { type: 'session:open', sessionId: 'codex:unknown' });
    expect(tabs()).toEqual(['A']);
    rig.fromPortlet(session.id, { type: 'session:open', sessionId: origin.id });
    expect(tabs()).toEqual(['A', 'Origin']);
  });
});
