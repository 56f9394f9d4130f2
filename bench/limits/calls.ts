import { setTimeout as pause } from 'node:timers/promises';
import { startProduct } from '../product/rig.ts';
import type { BenchRow } from '../report.ts';
import { growthRow, type Silence, silenceRow, startProbe } from './probe.ts';
import { openReader, type Protocol, startVolumeRig, type VolumeRig } from './volume.ts';

const COUNTS: readonly number[] = [100, 1_000, 10_000, 100_000];
const GIVE_UP_MS = 240_000;

interface Measured {
  readonly ms: number;
  readonly silence: Silence;
  readonly isWhole: boolean;
}

/** Turns with a growing number of tool calls, live and then loaded by a server that was just started. */
export async function manyCalls(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const protocol of ['envelope', 'acp'] as const) {
    const [live, loaded]: [Measured[], Measured[]] = [[], []];
    for (const count of COUNTS) {
      const rig = await startVolumeRig();
      const sessionId = await rig.server.createSession(protocol, rig.scratch.projectDir);
      live.push(await callOnce(rig, sessionId, count));
      await rig.stop();
      loaded.push(await loadOnce(rig, sessionId));
      rig.scratch.remove();
    }
    rows.push(...toRows(protocol, 'live', live), ...toRows(protocol, 'loaded', loaded));
  }
  return rows;
}

async function callOnce(rig: VolumeRig, sessionId: string, count: number): Promise<Measured> {
  const reader = await openReader(rig, sessionId, { appends: true });
  await rig.probe.longest();
  const startedAt = performance.now();
  await rig.server.send(sessionId, `calls ${count}`);
  const gaveUp = pause(GIVE_UP_MS, { isWhole: false }, { ref: false });
  const { isWhole } = await Promise.race([reader.ended, gaveUp]);
  const ms = performance.now() - startedAt;
  reader.close();
  return { ms, silence: await rig.probe.longest(), isWhole };
}

async function loadOnce({ scratch }: VolumeRig, sessionId: string): Promise<Measured> {
  const server = await startProduct(scratch);
  const probe = startProbe(server);
  const window = await server.window();
  await window.settled();
  await probe.longest();
  const startedAt = performance.now();
  const page = await window.ask('session:subscribe', { sessionId });
  const ms = performance.now() - startedAt;
  const silence = await probe.longest();
  await window.close();
  await probe.stop();
  await server.stop();
  return { ms, silence, isWhole: (page.entries?.length ?? 0) > 1 };
}

function toRows(protocol: Protocol, how: 'live' | 'loaded', measured: readonly Measured[]): BenchRow[] {
  const counts = COUNTS.map((count) => count.toLocaleString('en')).join(', ');
  const what = `turns of ${counts} tool calls over ${protocol}, ${how}`;
  const times = measured.map(({ ms }) => ms);
  return [
    {
      measure: `${what}: seconds`,
      value: measured.map(({ ms, isWhole }) => (isWhole ? (ms / 1000).toFixed(1) : 'lost')).join(', '),
      target: 'all of them',
      met: measured.every(({ isWhole }) => isWhole),
    },
    growthRow(`${what}: time per call, last against the one before`, COUNTS, times),
    silenceRow(
      what,
      measured.map(({ silence }) => silence),
    ),
  ];
}
