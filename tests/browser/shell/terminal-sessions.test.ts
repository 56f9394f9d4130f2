import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Holder, SessionMeta } from '../../../shared/entities.ts';
import type { EventMessage } from '../../../shared/events.ts';
import type { AppRig, SessionSeed } from '../../support/browser/app-rig.ts';
import { createUser } from '../../support/browser/user.ts';
import { violations } from '../rig/axe.ts';
import { traceTasks } from '../rig/cpu-trace.ts';
import { insertFrames } from '../rig/inserted-frames.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

const heldBy: Holder = { label: 'Claude Code', pid: 1234, tty: 'pts/3', certain: true };

/** CPU time, which does not depend on how busy the machine is. */
const LONGEST_TASK_MS = 100;

const runs = (count: number): SessionSeed[] =>
  Array.from({ length: count }, (_, index) => ({
    title: `Run ${index}`,
    minutesAgo: 60,
    run: true,
    source: 'terminal',
  }));

/** A page to which the test can say frames. */
async function open(rig: AppRig): Promise<{ page: Page; say: (frame: EventMessage) => void }> {
  let say: (frame: EventMessage) => void = () => undefined;
  const page = await rig.open({}, async (context) => {
    say = await insertFrames(context);
  });
  return { page, say: (frame) => say(frame) };
}

const listed = (meta: SessionMeta, changes: object) => ({
  id: meta.id,
  sessionId: meta.id,
  projectId: meta.projectId,
  cliType: meta.cliType,
  title: meta.title,
  lastActiveAt: meta.lastActiveAt,
  createdAt: meta.createdAt,
  state: 'closed' as const,
  running: false,
  background: 0,
  failed: false,
  pinned: false,
  kept: false,
  source: 'terminal' as const,
  ...changes,
});

describe('sessions from terminals', () => {
  it('follow/held are marked, and say who has them open', async () => {
    const rig = await app.start();
    const { sessions } = await rig.seed('api', [{ title: 'Ours' }, { title: 'Theirs', source: 'terminal' }]);
    const { page, say } = await open(rig);
    const user = createUser(page);
    await user.row('Theirs').getByRole('img', { name: 'From a terminal' }).waitFor();
    expect(await user.row('Ours').getByRole('img').count()).toBe(0);
    const [ours] = sessions;
    if (ours === undefined) throw new Error('There is no session.');
    say({ type: 'session:changed', sessionId: ours.id, session: listed(ours, { heldBy, source: 'here' }) });
    await user.row('Ours').getByRole('img', { name: 'Open in a terminal: pts/3, process 1234' }).waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
  });

  it('follow/runs are folded, open with the keyboard, and stay so after a reload', async () => {
    const rig = await app.start();
    await rig.seed('api', [{ title: 'Talk' }, ...runs(12)]);
    const { page } = await open(rig);
    const user = createUser(page);
    const fold = page.locator('summary', { hasText: '12 runs' });
    await fold.waitFor();
    expect(await user.row('Run 3').count()).toBe(0);
    await user.row('Talk').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await user.row('Run 3').waitFor();
    expect(await page.getByRole('list', { name: 'Runs in api' }).getByRole('listitem').count()).toBe(12);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await user.row('Run 3').waitFor();
    await fold.click();
    await user.row('Run 3').waitFor({ state: 'hidden' });
  });

  it('follow/fork opens in a tab from the page of the session', async () => {
    const rig = await app.start();
    const { sessions } = await rig.seed('api', [{ title: 'Talk', messages: 2 }]);
    const { page, say } = await open(rig);
    const user = createUser(page);
    await user.open('Talk');
    await user.sees('Message 2');
    const [talk] = sessions;
    if (talk === undefined) throw new Error('There is no session.');
    say({ type: 'session:changed', sessionId: talk.id, session: listed(talk, { heldBy }) });
    await user.chatButton('Fork here').click();
    await expect.poll(() => user.tabs()).toEqual(['Talk', 'Talk (fork)']);
    await user.sees('Message 2');
  });

  it('follow/offered directories are picked with the keyboard when a project is added', async () => {
    const rig = await app.start();
    const { page } = await open(rig);
    const lastActiveAt = new Date(Date.now() - 3_600_000).toISOString();
    const directories = [
      { path: `${rig.directory}/other`, sessions: 1, lastActiveAt },
      { path: rig.directory, sessions: 12, lastActiveAt },
    ];
    await page.getByText('Server connected').waitFor();
    await page.route('**/api/directories/with-sessions', (route) => route.fulfill({ json: { directories } }));
    await page.getByRole('button', { name: 'Add project' }).click();
    const option = page.getByRole('option', { name: `${rig.directory} 12 sessions, 1 h` });
    await option.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await option.getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const name = rig.directory.split('/').at(-1) ?? '';
    await page.getByRole('button', { name: `New session in ${name}` }).waitFor();
  });
});

describe('twenty thousand sessions', () => {
  it('follow/list keep the page usable: no task is long while they arrive, are filtered and change', async () => {
    const rig = await app.start();
    const { project: large } = await rig.seed('large');
    const { project: other } = await rig.seed('other', [{ title: 'Ours' }]);
    const { page, say } = await open(rig);
    const user = createUser(page);
    await user.row('Ours').waitFor();
    const sessionOf = (index: number) => {
      const at = new Date(Date.UTC(2026, 0, 1) + ((index * 7_919) % 20_000) * 60_000).toISOString();
      const project = index % 2 === 0 ? large : other;
      const meta = { projectId: project.id, cliType: 'claude-code', archived: false, lastActiveAt: at, createdAt: at };
      return listed({ ...meta, id: `claude-code:found-${index}`, title: `Found ${index}.` }, {});
    };
    const filter = page.getByRole('searchbox', { name: 'Filter sessions and projects' });
    const changed = sessionOf(4);
    const steps: readonly [string, () => Promise<void>][] = [
      [
        'arrive',
        async () => {
          for (let batch = 0; batch < 40; batch += 1) {
            const sessions = Array.from({ length: 500 }, (_, index) => sessionOf(batch * 500 + index));
            say({ type: 'session:found', sessions });
          }
          await page.getByRole('button', { name: 'Show 100 of 9,970 more' }).waitFor();
        },
      ],
      [
        'are filtered',
        async () => {
          await filter.fill('found 19998.');
          await expect.poll(() => page.locator('.session').count()).toBe(1);
          await filter.fill('');
          await page.getByRole('button', { name: 'Show 100 of 9,970 more' }).waitFor();
        },
      ],
      [
        'change',
        async () => {
          const lastActiveAt = '2030-01-01T00:00:00.000Z';
          say({ type: 'session:changed', sessionId: changed.id, session: { ...changed, lastActiveAt } });
          await user.row('Found 4.').waitFor();
        },
      ],
      [
        'are shown',
        async () => {
          await page.getByRole('button', { name: 'Show 100 of 9,970 more' }).click();
          await page.getByRole('button', { name: 'Show 100 of 9,870 more' }).waitFor();
        },
      ],
    ];
    const browser = page.context().browser();
    if (browser === null) throw new Error('There is no browser.');
    for (const [what, act] of steps) {
      const tasks = await traceTasks(browser, page, act);
      expect.soft(Math.max(...tasks), what).toBeLessThan(LONGEST_TASK_MS);
    }
  });
});
