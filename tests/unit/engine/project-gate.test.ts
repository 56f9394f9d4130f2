import { describe, expect, it } from 'vitest';
import { createProvider, type EngineOptions } from '../../../server/engine/create-provider.ts';
import type { Finding } from '../../../server/trust/index.ts';
import { watchProvider } from '../../support/contract/contract-rig.ts';
import { createScriptedDriver, type ScriptedDriverOptions } from '../../support/contract/scripted-driver.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const rounds = async (count = 30) => {
  for (let round = 0; round < count; round += 1) await new Promise(setImmediate);
};

const entry = (id: string): Finding => ({ id, cliType: 'scripted', kind: 'hook', name: id, detail: '', file: 'f' });

const SHARED = { sharedProcess: true, historyWithoutProcess: false, takesMessagesWhileBusy: false };
const OWN_WITH_ALL = { leavesOutProjectSettings: false };

/** `found` is what is in the directory, `allowed` what the user trusts. */
function start(options: ScriptedDriverOptions & Partial<EngineOptions> = {}) {
  const found = new Set<string>();
  const allowed = new Set<string>();
  const clock = createManualClock();
  const driver = createScriptedDriver({ ...options, whatRuns: async () => [...found].map(entry) });
  const provider = createProvider(driver, { clock, onProblem: () => {}, allowedIn: () => allowed, ...options });
  const projectDir = scratchDirectory();
  const watch = watchProvider(provider);
  const create = async () => {
    const { sessionId } = await provider.createSession({ projectDir });
    watch.session(sessionId);
    await rounds();
    return sessionId;
  };
  const send = async (sessionId: string, content: string) => (await provider.sendMessage(sessionId, content)).turnId;
  /** How each process was started. */
  const starts = () => driver.launches.map((launch) => (launch.withoutProjectSettings ? 'without' : 'with'));
  return { found, allowed, clock, driver, provider, projectDir, watch, create, send, starts };
}

describe('an agent that can leave the settings out', () => {
  it('safe/trust-gate starts with them where nothing would run or all of it is trusted, else without', async () => {
    const { found, allowed, create, starts } = start();
    await create();
    found.add('a');
    await create();
    allowed.add('a');
    await create();
    found.add('b');
    await create();
    expect(starts()).toEqual(['with', 'without', 'with', 'without']);
  });

  it('safe/trust-again is looked at again before every start: after sleep, after a crash and for a loaded session', async () => {
    const { found, allowed, clock, driver, provider, projectDir, create, send, starts } = start({
      sleepAfterMs: 1_000,
    });
    found.add('a');
    allowed.add('a');
    const sessionId = await create();
    await send(sessionId, 'hello');
    await rounds();
    clock.advance(1_000);
    await rounds();
    found.add('b');
    await send(sessionId, 'hello');
    expect(starts()).toEqual(['with', 'without']);

    allowed.add('b');
    driver.crash(sessionId);
    await rounds();
    clock.advance(1_000);
    await rounds();
    expect(starts()).toEqual(['with', 'without', 'with']);

    found.add('c');
    await provider.killSession(sessionId);
    await provider.loadSession(sessionId, { projectDir });
    await send(sessionId, 'hello');
    expect(starts()).toEqual(['with', 'without', 'with', 'without']);
  });

  it('safe/trust-gate a spare is never started with settings that are not trusted, nor used after the trust changed', async () => {
    const { found, allowed, clock, provider, projectDir, create, driver, starts } = start({ traits: { spare: true } });
    found.add('a');
    await create();
    clock.advance(500);
    await rounds();
    expect(starts()).toEqual(['without', 'without']);

    allowed.add('a');
    await create();
    expect(starts()).toEqual(['without', 'without', 'with']);
    await rounds();
    expect(driver.running()).toBe(2);

    clock.advance(500);
    await rounds();
    expect(starts()).toEqual(['without', 'without', 'with', 'with']);
    allowed.clear();
    await provider.followTrust(projectDir);
    await rounds();
    expect(driver.running()).toBe(1);
  });

  it('safe/trust-gate is ended when the directory becomes trusted and it has nothing to do; the next message says so', async () => {
    const { found, allowed, provider, projectDir, create, send, starts, watch, driver } = start();
    found.add('a');
    const sessionId = await create();
    const running = await send(sessionId, 'hold');
    allowed.add('a');
    await provider.followTrust(projectDir);
    expect(driver.running()).toBe(1);
    expect(watch.ends(running)).toEqual([]);
    await provider.cancelTurn(sessionId);

    await provider.followTrust(projectDir);
    expect(driver.running()).toBe(0);
    const next = await send(sessionId, 'hello');
    await rounds();
    expect(starts()).toEqual(['without', 'with']);
    const notices = watch.events.flatMap((seen) =>
      seen.kind === 'upsert' && seen.upsert.itemId.startsWith(`${next}:notice`) ? [seen.upsert] : [],
    );
    expect(notices).toMatchObject([{ content: expect.stringContaining('trusted now') }]);
    // Nothing changed since.
    await provider.followTrust(projectDir);
    expect(driver.running()).toBe(1);
  });

  it('safe/trust-gate is ended at once when the trust is withdrawn, its turn as cancelled', async () => {
    const { found, allowed, provider, projectDir, create, send, starts, watch, driver } = start();
    found.add('a');
    allowed.add('a');
    const sessionId = await create();
    const turnId = await send(sessionId, 'hold');
    allowed.clear();
    await provider.followTrust(projectDir);
    expect(watch.ends(turnId)).toMatchObject([{ status: 'cancelled' }]);
    expect(driver.running()).toBe(0);
    await send(sessionId, 'hello');
    expect(starts()).toEqual(['with', 'without']);
  });
});

describe('a shared process', () => {
  it('safe/trust-gate is ended when the trust in one directory is withdrawn, after the turns of the others', async () => {
    const { found, allowed, provider, projectDir, create, send, watch, driver } = start({
      traits: { ...OWN_WITH_ALL, ...SHARED },
    });
    const elsewhere = scratchDirectory();
    const { sessionId: other } = await provider.createSession({ projectDir: elsewhere });
    watch.session(other);
    const sessionId = await create();
    await send(sessionId, 'hello');
    const running = await send(other, 'hold');
    found.add('a');
    allowed.clear();
    await provider.followTrust(projectDir);
    expect(driver.running()).toBe(1);
    expect(watch.ends(running)).toEqual([]);
    await provider.cancelTurn(other);
    await rounds();
    expect(driver.running()).toBe(0);
  });
});

describe.each([
  ['with one process for all sessions', SHARED],
  ['with a process of its own', OWN_WITH_ALL],
])('an agent %s that cannot leave the settings out', (_how, traits) => {
  it('safe/trust-gate is not started where they are not trusted, and is not retried', async () => {
    const { found, allowed, clock, projectDir, driver, provider, create } = start({
      traits: { ...OWN_WITH_ALL, ...traits },
    });
    found.add('a');
    await expect(provider.createSession({ projectDir })).rejects.toMatchObject({
      code: 'PROJECT_NOT_TRUSTED',
      message: expect.stringContaining('a in f'),
    });
    clock.advance(60_000);
    await rounds();
    expect(driver.launches).toEqual([]);
    allowed.add('a');
    await create();
    expect(driver.launches).toHaveLength(1);
  });

  it('safe/trust-gate refuses the next message where something new appeared, and goes on once it is trusted', async () => {
    const { found, allowed, projectDir, driver, provider, create, send } = start({
      traits: { ...OWN_WITH_ALL, ...traits },
    });
    const sessionId = await create();
    await send(sessionId, 'hello');
    await rounds();
    found.add('a');
    await provider.followTrust(projectDir);
    const prompts = () => driver.processes.flatMap((process) => process.prompts);
    await expect(send(sessionId, 'again')).rejects.toMatchObject({ code: 'PROJECT_NOT_TRUSTED' });
    expect(prompts()).toHaveLength(1);
    allowed.add('a');
    await send(sessionId, 'again');
    expect(prompts()).toHaveLength(2);
  });
});
