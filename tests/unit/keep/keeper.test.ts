import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createThrottle } from '../../../server/keep/throttle.ts';
import { createClaudeHome } from '../../support/agents/native-homes.ts';
import { watchEventLoop } from '../../support/event-loop.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createMemoryFiles, failFiles, type KeptDisk } from '../../support/store/memory-kept-files.ts';
import { createKeepRig, PROJECT } from './keep-rig.ts';

const LARGE_MB = Number(process.env.LIMINAL_KEPT_MB ?? 20);
const MANY = Number(process.env.LIMINAL_KEPT_FILES ?? 500);

const incompressible = (bytes: number) => randomBytes(bytes / 2).toString('hex');

describe('the limit', () => {
  it('keep/copies-limit stops copying, deletes nothing, and is told in log, status and event, once', async () => {
    const native = createClaudeHome();
    native.write('one', PROJECT, 'small');
    const dataDir = (await createKeepRig({ native })).dataDir;
    const small = await createKeepRig({ native, dataDir });
    await small.keep.copyAll();
    const { bytes } = await small.keep.status();
    await small.keep.close();
    const limitBytes = bytes + 30_000;
    const rig = await createKeepRig({ native, dataDir, limitBytes });
    native.write('large', PROJECT, incompressible(200_000));
    await rig.keep.copyAll();
    await rig.keep.copyAll();
    const status = await rig.keep.status();
    expect(status).toMatchObject({ on: true, state: 'full', limitBytes, sessions: 1 });
    expect(status.message).toContain('LIMINAL_KEEP_LIMIT_MB');
    expect(status.bytes).toBeLessThanOrEqual(limitBytes);
    expect(rig.keep.isKept('claude-code:one')).toBe(true);
    expect(rig.keep.isKept('claude-code:large')).toBe(false);
    expect(rig.statuses.filter(({ state }) => state === 'full')).toHaveLength(1);
    expect(rig.logLines.filter((line) => line.includes('limit'))).toHaveLength(1);
    await rig.keep.close();

    const raised = await createKeepRig({ native, dataDir });
    await raised.keep.copyAll();
    expect(await raised.keep.status()).toMatchObject({ state: 'idle', sessions: 2 });
  });

  it('keep/copies-limit stops in the middle of a file, which goes on when there is room', async () => {
    const native = createClaudeHome();
    const path = native.write('one', PROJECT, 'hello');
    appendFileSync(path, incompressible(3 * 1024 * 1024));
    const rig = await createKeepRig({ native, limitBytes: 1024 * 1024 });
    await rig.keep.copyAll();
    expect(await rig.keep.status()).toMatchObject({ state: 'full', sessions: 1 });
    expect((await rig.keep.status()).bytes).toBeGreaterThan(500_000);
    expect(rig.keep.isKept('claude-code:one')).toBe(false);
    await rig.keep.close();
    const raised = await createKeepRig({ native, dataDir: rig.dataDir });
    expect(raised.keep.isKept('claude-code:one')).toBe(true);
    await raised.keep.status();
    expect(raised.keep.isKept('claude-code:one')).toBe(false);
    await raised.keep.copyAll();
    expect(raised.keep.isKept('claude-code:one')).toBe(true);
    expect(readdirSync(join(rig.dataDir, 'kept', 'claude-code', 'one'))).toEqual(['0.gz', 'index.jsonl']);
  });

  it('keep/copies-limit a full disk is told, and copying goes on when there is room', async () => {
    const native = createClaudeHome();
    const disk: KeptDisk = new Map();
    native.write('one', PROJECT, 'hello');
    const failing = failFiles(createMemoryFiles(disk), { call: 5, count: 3, done: 'half', code: 'ENOSPC' });
    const rig = await createKeepRig({ native, files: failing.files });
    await rig.keep.copyAll();
    expect(await rig.keep.status()).toMatchObject({ state: 'failed', message: expect.stringContaining('full') });
    for (let look = 0; look < 3; look += 1) await rig.keep.copyAll();
    expect(await rig.keep.status()).toMatchObject({ state: 'idle', sessions: 1 });
    expect(rig.statuses.map(({ state }) => state)).toEqual(['copying', 'failed', 'copying', 'idle']);
  });

  it('keep/copies-limit one conversation that cannot be copied does not stop the others', async () => {
    const native = createClaudeHome();
    native.write('one', PROJECT, 'hello');
    native.write('two', PROJECT, 'hello');
    const rig = await createKeepRig({ native });
    mkdirSync(join(rig.dataDir, 'kept', 'claude-code'), { recursive: true });
    writeFileSync(join(rig.dataDir, 'kept', 'claude-code', 'one'), 'in the way');
    await rig.keep.copyAll();
    expect(rig.keep.isKept('claude-code:two')).toBe(true);
    expect(rig.keep.isKept('claude-code:one')).toBe(false);
    expect(await rig.keep.status()).toMatchObject({ state: 'failed', message: expect.stringContaining('Claude Code') });
  });
});

describe('LIMINAL_KEEP=0', () => {
  it('keep/off copies nothing, and existing copies can be read and put back', async () => {
    const rig = await createKeepRig();
    rig.native.write('one', PROJECT, 'hello');
    await rig.keep.copyAll();
    await rig.keep.close();
    const off = await createKeepRig({ dataDir: rig.dataDir, native: rig.native, on: false, timing: { soonMs: 0 } });
    rig.native.write('two', PROJECT, 'hello');
    off.keep.copySoon('claude-code:two');
    await off.keep.copyAll();
    expect(await off.keep.status()).toMatchObject({ on: false, state: 'off', sessions: 1, files: 1 });
    expect(off.keep.isKept('claude-code:one')).toBe(true);
    expect(existsSync(join(rig.dataDir, 'kept', 'claude-code', 'two'))).toBe(false);
    rmSync(rig.native.home, { recursive: true });
    expect(await off.keep.readKept('claude-code:one', async (home) => readdirSync(home))).toEqual(['projects']);
    expect(await off.keep.putBack('claude-code:one')).toBe(1);
  });

  it('keep/off starts nothing and makes no directory', async () => {
    const clock = createManualClock();
    const rig = await createKeepRig({ on: false, clock });
    rig.keep.copySoon('claude-code:one');
    expect(clock.pending).toBe(0);
    expect(await rig.keep.status()).toMatchObject({ bytes: 0, sessions: 0, files: 0 });
    expect(existsSync(join(rig.dataDir, 'kept'))).toBe(false);
  });
});

describe('the keeper', () => {
  it('keep/copies begins some seconds after the start, looks again and again, and stops with the server', async () => {
    const clock = createManualClock();
    const rig = await createKeepRig({ clock, timing: { firstLookMs: 5_000, lookEveryMs: 60_000 } });
    rig.native.write('one', PROJECT, 'hello');
    clock.advance(4_999);
    expect(rig.statuses).toEqual([]);
    clock.advance(1);
    await expect.poll(() => clock.pending).toBe(1);
    expect(rig.keep.isKept('claude-code:one')).toBe(true);
    rig.native.write('two', PROJECT, 'hello');
    clock.advance(60_000);
    await expect.poll(() => rig.keep.isKept('claude-code:two')).toBe(true);
    await rig.keep.close();
    expect(clock.pending).toBe(0);
    expect(rig.statuses.map(({ state }) => state)).toEqual(['copying', 'idle', 'copying', 'idle']);
  });

  it('keep/copies stops in the middle of a file when the server stops, and goes on after the next start', async () => {
    const clock = createManualClock();
    const native = createClaudeHome();
    appendFileSync(native.write('one', PROJECT, 'hello'), incompressible(4 * 1024 * 1024));
    const rig = await createKeepRig({ native, clock, timing: { bytesPerSecond: 1024 * 1024 } });
    const copying = rig.keep.copyAll();
    // The first look, and the wait for more bytes.
    await expect.poll(() => clock.pending).toBe(2);
    await rig.keep.close();
    await copying;
    expect(rig.keep.isKept('claude-code:one')).toBe(false);
    const again = await createKeepRig({ native, dataDir: rig.dataDir });
    const before = (await again.keep.status()).bytes;
    expect(before).toBeGreaterThan(0);
    await again.keep.copyAll();
    expect(again.keep.isKept('claude-code:one')).toBe(true);
    expect(readdirSync(join(rig.dataDir, 'kept', 'claude-code', 'one'))).toEqual(['0.gz', 'index.jsonl']);
  });

  it(`keep/copies a transcript of ${LARGE_MB} MB is copied and put back without blocking the server`, async () => {
    const native = createClaudeHome();
    const path = native.write('one', PROJECT, 'hello');
    const row = `${JSON.stringify({ type: 'x', text: incompressible(100_000), more: 'word '.repeat(20_000) })}\n`;
    for (let written = 0; written < LARGE_MB * 1024 * 1024; written += row.length) appendFileSync(path, row);
    const rig = await createKeepRig({ native });
    const longest = watchEventLoop();
    await rig.keep.copyAll();
    expect(rig.keep.isKept('claude-code:one')).toBe(true);
    rmSync(native.home, { recursive: true });
    expect(await rig.keep.putBack('claude-code:one')).toBe(1);
    const blocked = longest();
    console.info(`${LARGE_MB} MB: the event loop was blocked for at most ${blocked.toFixed(0)} ms`);
    expect(blocked).toBeLessThan(50);
  }, 120_000);

  it(`keep/copies ${MANY} transcripts that did not change cost little, also after a restart`, async () => {
    const native = createClaudeHome();
    for (let made = 0; made < MANY; made += 1) native.write(`s${made}`, PROJECT, 'hello');
    const disk: KeptDisk = new Map();
    const rig = await createKeepRig({ native, files: createMemoryFiles(disk) });
    await rig.keep.copyAll();
    expect(await rig.keep.status()).toMatchObject({ state: 'idle', sessions: MANY, files: MANY });
    await rig.keep.close();
    const counted = failFiles(createMemoryFiles(disk), { call: Number.POSITIVE_INFINITY, done: 'nothing' });
    const again = await createKeepRig({ native, dataDir: rig.dataDir, files: counted.files });
    await again.keep.copyAll();
    const calls = counted.calls();
    // Each index is read once; no copy is opened, nothing is written.
    expect(calls).toBeLessThan(MANY + 10);
    const used = process.cpuUsage();
    await again.keep.copyAll();
    const { user, system } = process.cpuUsage(used);
    expect(counted.calls()).toBe(calls);
    console.info(`${MANY} unchanged transcripts: ${((user + system) / 1000).toFixed(0)} ms of processor time`);
    expect((user + system) / 1000 / MANY).toBeLessThan(1);
  }, 120_000);
});

it('keep/copies the speed of copying is limited, and a wait ends when it is to stop', async () => {
  const clock = createManualClock();
  const aborter = new AbortController();
  const throttle = createThrottle(clock, 1_000, aborter.signal);
  const done: string[] = [];
  await throttle(500);
  void throttle(2_000).then(() => done.push('second'));
  void throttle(10).catch(() => done.push('aborted'));
  clock.advance(499);
  await Promise.resolve();
  expect(done).toEqual([]);
  clock.advance(1);
  await expect.poll(() => done).toEqual(['second']);
  aborter.abort();
  await expect.poll(() => done).toEqual(['second', 'aborted']);
  await expect(throttle(1)).rejects.toThrow();
});
