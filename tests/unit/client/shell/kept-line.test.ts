import { describe, expect, it } from 'vitest';
import type { KeepStatus } from '../../../../shared/entities.ts';
import { all, isShown } from './rig/page.ts';
import { startShellRig } from './rig/shell-rig.ts';

const kept: KeepStatus = {
  on: true,
  bytes: 1_288_490_189,
  sessions: 1_312,
  files: 2_000,
  limitBytes: 20 * 1024 ** 3,
  state: 'idle',
};
const shown = () => [...document.querySelectorAll<HTMLElement>('.kept')].filter(isShown);
const line = () => shown().map((element) => (element.querySelector('summary') ?? element).textContent);

async function start(status: KeepStatus) {
  const rig = startShellRig({ kept: status });
  await rig.connect();
  return rig;
}

describe('the line about what is kept', () => {
  it('keep/size shows how much room the copies take and of how many sessions', async () => {
    await start(kept);
    expect(line()).toEqual(['Kept: 1.2 GB, 1,312 sessions']);
  });

  it.each([
    [1, 'Kept: 1 KB, 1 session'],
    [200 * 1024, 'Kept: 200 KB, 1 session'],
    [1024 ** 2 - 1, 'Kept: 1 MB, 1 session'],
    [5.25 * 1024 ** 2, 'Kept: 5.3 MB, 1 session'],
    [340.4 * 1024 ** 2, 'Kept: 340 MB, 1 session'],
    [3 * 1024 ** 4, 'Kept: 3 TB, 1 session'],
  ])('keep/size names %i bytes in a unit that fits', async (bytes, expected) => {
    await start({ ...kept, bytes: Math.ceil(bytes), sessions: 1 });
    expect(line()).toEqual([expected]);
  });

  it('keep/size follows the server, also after a reconnect', async () => {
    const rig = await start({ ...kept, bytes: 0, sessions: 0, files: 0 });
    expect(line()).toEqual([]);
    rig.say({ type: 'keep:status', ...kept, bytes: 1024, sessions: 1, state: 'copying' });
    expect(line()).toEqual(['Kept: 1 KB, 1 session']);
    rig.data.kept = { ...kept, bytes: 2048, sessions: 2 };
    rig.exchange.end().drop();
    rig.timers.advance(10_000);
    await rig.connect();
    expect(line()).toEqual(['Kept: 2 KB, 2 sessions']);
  });

  it.each([
    ['full', 'Kept: 1.2 GB, 1,312 sessions (limit reached)'],
    ['failed', 'Kept: 1.2 GB, 1,312 sessions (not complete)'],
  ] as const)('keep/size says in words that copying is %s, with what to do', async (state, expected) => {
    await start({ ...kept, state, message: 'Do this.' });
    expect(line()).toEqual([expected]);
    expect(shown()[0]?.querySelector('p')?.textContent).toBe('Do this.');
  });

  it('keep/size says that nothing is copied', async () => {
    await start({ ...kept, on: false, state: 'off', bytes: 0, sessions: 0, files: 0 });
    expect(line()).toEqual(['Kept: nothing (off)']);
    expect(shown()[0]?.querySelector('p')?.textContent).toContain('LIMINAL_KEEP=0');
  });

  it('keep/size tells once, in a notice, that something could not be kept', async () => {
    const rig = await start(kept);
    const alerts = () => all('alert').map(({ textContent }) => textContent);
    const problem = { type: 'keep:status', ...kept, state: 'full', message: 'The limit is reached.' };
    rig.say(problem);
    rig.say({ ...problem, files: 2_001 });
    expect(alerts()).toEqual(['The limit is reached.']);
    all('button', 'Dismiss')[0]?.click();
    rig.say(problem);
    expect(alerts()).toEqual([]);
    rig.say({ type: 'keep:status', ...kept });
    expect(line()).toEqual(['Kept: 1.2 GB, 1,312 sessions']);
    rig.say(problem);
    expect(alerts()).toEqual([]);
    rig.say({ ...problem, message: 'The disk is full.' });
    expect(alerts()).toEqual(['The disk is full.']);
  });

  it('keep/size shows a problem from before this page in the sidebar only', async () => {
    await start({ ...kept, state: 'full', message: 'The limit is reached.' });
    expect(all('alert')).toEqual([]);
  });
});
