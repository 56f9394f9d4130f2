import { setTimeout as pause } from 'node:timers/promises';
import type { BenchRow } from '../report.ts';
import { growthRow, type Silence, silenceRow } from './probe.ts';
import { openReader, type Protocol, startVolumeRig } from './volume.ts';

const MB = 1_000_000;
const SIZES: readonly number[] = [1, 2, 5, 10, 20];
const GIVE_UP_MS = 120_000;

interface Measured {
  readonly ms: number;
  readonly silence: Silence;
  readonly bytes: number;
  readonly isRead: boolean;
}

/** Answers of growing size, to a window that takes appends and to one that does not. */
export async function longAnswers(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const protocol of ['envelope', 'acp'] as const) {
    for (const appends of [true, false]) {
      const measured: Measured[] = [];
      for (const mb of SIZES) measured.push(await answerOnce(protocol, mb * MB, appends));
      rows.push(...toRows(protocol, appends, measured));
    }
  }
  return rows;
}

async function answerOnce(protocol: Protocol, length: number, appends: boolean): Promise<Measured> {
  const rig = await startVolumeRig();
  const sessionId = await rig.server.createSession(protocol, rig.scratch.projectDir);
  const reader = await openReader(rig, sessionId, { appends });
  const before = reader.bytes();
  await rig.probe.longest();
  const startedAt = performance.now();
  await rig.server.send(sessionId, `answer ${length}`);
  const gaveUp = pause(GIVE_UP_MS, { text: '', isWhole: false }, { ref: false });
  const { text, isWhole } = await Promise.race([reader.ended, gaveUp]);
  const ms = performance.now() - startedAt;
  const silence = await rig.probe.longest();
  const bytes = (reader.bytes() - before) / length;
  reader.close();
  await rig.close();
  return { ms, silence, bytes, isRead: isWhole && text.length === length };
}

function toRows(protocol: Protocol, appends: boolean, measured: readonly Measured[]): BenchRow[] {
  const what = `answers of ${SIZES.join(', ')} MB over ${protocol}, a window ${appends ? 'with' : 'without'} appends`;
  const seconds = ({ ms, isRead }: Measured) => (isRead ? (ms / 1000).toFixed(1) : 'disconnected');
  const times = measured.map(({ ms }) => ms);
  const isRead = measured.every((one) => one.isRead);
  return [
    {
      measure: `${what}: seconds until the window has read it whole`,
      value: measured.map(seconds).join(', '),
      target: 'all of them',
      met: isRead,
    },
    ...(isRead ? [growthRow(`${what}: time per MB, last against the one before`, SIZES, times)] : []),
    {
      measure: `${what}: bytes through the socket for each of the text`,
      value: measured.map(({ bytes }) => bytes.toFixed(1)).join(', '),
      target: '≤ 10',
      met: measured.every(({ bytes }) => bytes <= 10),
    },
    silenceRow(
      what,
      measured.map(({ silence }) => silence),
    ),
  ];
}
