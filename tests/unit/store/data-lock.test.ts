import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireDataLock, type DataLock, type LockProbe, waitForOwnerUrl } from '../../../server/store/data-lock.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createFakeProcesses } from '../../support/store/fake-processes.ts';

async function mustAcquire(dataDir: string, probe: LockProbe): Promise<DataLock> {
  const result = await acquireDataLock({ dataDir, probe });
  if (result.kind !== 'acquired') throw new Error(`busy: ${result.owner.pid}`);
  return result.lock;
}

test('the first server owns the data directory, the second learns who owns it', async () => {
  const dataDir = scratchDirectory();
  const processes = createFakeProcesses();
  const lock = await mustAcquire(dataDir, processes.start(4711));
  await lock.publish('http://127.0.0.1:3000/');
  expect(await acquireDataLock({ dataDir, probe: processes.start() })).toMatchObject({
    kind: 'busy',
    owner: { pid: 4711, url: 'http://127.0.0.1:3000/' },
  });
});

test('a missing data directory is created with access only for the user', async () => {
  const dataDir = join(scratchDirectory(), 'new');
  await mustAcquire(dataDir, createFakeProcesses().start());
  expect(statSync(join(dataDir, 'lock')).mode & 0o777).toBe(0o700);
  expect(statSync(join(dataDir, 'lock', 'owner.json')).mode & 0o777).toBe(0o600);
});

test('a released directory can be locked again', async () => {
  const dataDir = scratchDirectory();
  const processes = createFakeProcesses();
  const first = await mustAcquire(dataDir, processes.start());
  await first.release();
  await mustAcquire(dataDir, processes.start());
});

test('a former owner cannot disturb the next one after its release', async () => {
  const dataDir = scratchDirectory();
  const processes = createFakeProcesses();
  const first = await mustAcquire(dataDir, processes.start());
  const publishing = first.publish('http://127.0.0.1:1/');
  await first.release();
  await mustAcquire(dataDir, processes.start(4711));
  await Promise.all([publishing, first.publish('http://127.0.0.1:2/'), first.release()]);
  const probe = processes.start();
  expect(await acquireDataLock({ dataDir, probe })).toMatchObject({ kind: 'busy', owner: { pid: 4711 } });
});

test('the lock of an owner that is gone is taken over, repeatedly', async () => {
  const dataDir = scratchDirectory();
  const processes = createFakeProcesses();
  for (let round = 0; round < 5; round += 1) {
    const probe = processes.start();
    await mustAcquire(dataDir, probe);
    processes.kill(probe);
  }
  expect(readdirSync(join(dataDir, 'lock'))).toEqual(['owner.json']);
});

test('an owner whose pid was reused is gone', async () => {
  const dataDir = scratchDirectory();
  const processes = createFakeProcesses();
  const owner = processes.start(4711, 'monday');
  await mustAcquire(dataDir, owner);
  processes.kill(owner);
  processes.start(4711, 'tuesday');
  await mustAcquire(dataDir, processes.start());
});

test.each(['', 'half a rec', '{"id":"../../x"}'])(
  'a damaged record %j does not block the directory',
  async (record) => {
    const dataDir = scratchDirectory();
    mkdirSync(join(dataDir, 'lock'));
    writeFileSync(join(dataDir, 'lock', 'owner.json'), record);
    const processes = createFakeProcesses();
    await mustAcquire(dataDir, processes.start(4711));
    const second = await acquireDataLock({ dataDir, probe: processes.start() });
    expect(second).toMatchObject({ kind: 'busy', owner: { pid: 4711 } });
  },
);

test('a data directory that is a file is a storage failure', async () => {
  const dataDir = join(scratchDirectory(), 'file');
  writeFileSync(dataDir, '');
  await expect(acquireDataLock({ dataDir, probe: createFakeProcesses().start() })).rejects.toMatchObject({
    code: 'STORAGE_FAILED',
    message: expect.stringContaining(dataDir),
  });
});

test('waiting for the address resolves when the owner has published it', async () => {
  const dataDir = scratchDirectory();
  const processes = createFakeProcesses();
  const lock = await mustAcquire(dataDir, processes.start());
  const clock = createManualClock();
  const onTimer = timerWatch(clock);
  const url = waitForOwnerUrl({ dataDir, probe: processes.start(), clock: onTimer.clock });
  await onTimer.next();
  await lock.publish('http://127.0.0.1:3000/');
  clock.advance(50);
  expect(await url).toBe('http://127.0.0.1:3000/');
});

test('waiting for the address of an owner that dies resolves without one', async () => {
  const dataDir = scratchDirectory();
  const processes = createFakeProcesses();
  const owner = processes.start();
  await mustAcquire(dataDir, owner);
  const clock = createManualClock();
  const onTimer = timerWatch(clock);
  const url = waitForOwnerUrl({ dataDir, probe: processes.start(), clock: onTimer.clock });
  await onTimer.next();
  processes.kill(owner);
  clock.advance(50);
  expect(await url).toBeUndefined();
});

test('waiting for an owner that never publishes its address fails and names the owner', async () => {
  const dataDir = scratchDirectory();
  const processes = createFakeProcesses();
  await mustAcquire(dataDir, processes.start(4711));
  const wait = waitForOwnerUrl({ dataDir, probe: processes.start(), timeoutMs: 0 });
  await expect(wait).rejects.toMatchObject({ code: 'DATA_DIR_BUSY', message: expect.stringContaining('4711') });
});

/** Resolves when something waits. */
function timerWatch(clock: ReturnType<typeof createManualClock>) {
  let onTimer = () => {};
  const asked = new Promise<void>((resolve) => {
    onTimer = resolve;
  });
  const watched = {
    ...clock,
    setTimeout(run: () => void, ms: number) {
      const handle = clock.setTimeout(run, ms);
      onTimer();
      return handle;
    },
  };
  return { clock: watched, next: () => asked };
}
