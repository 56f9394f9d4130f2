import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFolders } from '../../server/found/walk.ts';
import { listingFormats } from '../../server/listing-formats.ts';
import { writeManyTranscripts } from '../../tests/support/found/many-transcripts.ts';
import { type Silence, startProbe } from '../limits/probe.ts';
import { describeCircumstances } from '../product/circumstances.ts';
import { processorSeconds, residentMib } from '../product/process-facts.ts';
import { createScratch, type Product, type Scratch, startProduct } from '../product/rig.ts';
import type { BenchReport, BenchRow } from '../report.ts';

const COUNT = Number(process.env.LIMINAL_TRANSCRIPT_COUNT ?? 10_000);
const PROJECTS = 20;
/** Of one transcript and one rollout, as real ones are. */
const BYTES = { claude: 290_000, codex: 37_000 };
const TARGETS = { firstMs: 1_500, laterMs: 100, silenceMs: 30, memoryMib: 100 };
const SETTLE_MS = 3_000;

interface Measured {
  /** From the first session that was looked for until all are listed. */
  readonly listMs: number;
  readonly silence: Silence;
  readonly mib: number;
  readonly peakMib: number;
  readonly watches: number;
  /** Processor time of the server, all threads. */
  readonly seconds: number;
  /** 1,000 sessions, when everything is known. */
  readonly firstPageMs: number;
  readonly pagesMs: number;
}

/** Measures what it costs to list the sessions of terminals. */
export async function run(): Promise<BenchReport> {
  const circumstances = describeCircumstances();
  const scratch = createScratch();
  try {
    writeProjects(scratch);
    const without = await measure(scratch, 0);
    writeManyTranscripts({
      count: COUNT,
      claudeHome: join(scratch.home, '.claude'),
      codexHome: join(scratch.home, '.codex'),
      directories: directoriesOf(scratch),
      bytes: BYTES,
    });
    // Once more from the beginning with the probe, which takes processor time itself.
    const first = await measure(scratch, 2 * COUNT);
    rmSync(join(scratch.dataDir, 'journal.sqlite'));
    const { silence } = await measure(scratch, 2 * COUNT, true);
    const later = await measure(scratch, 2 * COUNT, true);
    return {
      title: 'Terminal sessions',
      method: `${COUNT.toLocaleString('en')} transcripts of Claude Code (${BYTES.claude / 1_000} KB each) and as many rollouts of Codex (${BYTES.codex / 1_000} KB) of ${PROJECTS} projects; the built server in its own process, with a window that is told of each session. Memory is compared with the same server without any. The files were just written, so that they are in the memory of the system. ${circumstances}`,
      rows: rowsOf(scratch, without, { ...first, silence }, later),
    };
  } finally {
    scratch.remove();
  }
}

function rowsOf(scratch: Scratch, without: Measured, first: Measured, later: Measured): BenchRow[] {
  const folders = foldersOf(scratch);
  const memory = Math.max(first.mib, later.mib) - without.mib;
  const peak = Math.max(first.peakMib, later.peakMib) - without.peakMib;
  const silence = Math.max(first.silence.busyMs, later.silence.busyMs);
  const watches = first.watches - without.watches;
  return [
    timeRow('first list, in the background: until the window has all of them', first.listMs, TARGETS.firstMs),
    timeRow('after a restart: until the window has all of them', later.listMs, undefined),
    {
      measure:
        'processor time of all threads for the first list and its cache, and after a restart, s more than without',
      value: [first, later].map(({ seconds }) => (seconds - without.seconds).toFixed(1)).join(', '),
    },
    timeRow('later: a list of 1,000, one page', later.firstPageMs, TARGETS.laterMs),
    timeRow('later: all pages of the list', later.pagesMs, undefined),
    { measure: 'a list from the cache against the first one', value: `${(later.listMs / first.listMs).toFixed(2)} ×` },
    {
      measure:
        'longest silence of the server meanwhile in processor time (on the clock), first and after a restart, ms',
      value: [first, later].map(({ silence: s }) => `${s.busyMs.toFixed(0)} (${s.clockMs.toFixed(0)})`).join(', '),
      target: `≤ ${TARGETS.silenceMs} ms`,
      met: silence <= TARGETS.silenceMs,
    },
    {
      measure: 'memory with all of them listed (at its highest), MB more than without',
      value: `${memory.toFixed(0)} (${peak.toFixed(0)})`,
      target: `≤ ${TARGETS.memoryMib} MB`,
      met: memory <= TARGETS.memoryMib,
    },
    {
      measure: 'watches, against folders',
      value: `${watches} against ${folders}`,
      target: '≤ one per folder',
      met: watches <= folders,
    },
  ];
}

function timeRow(measure: string, ms: number, target: number | undefined): BenchRow {
  const value = `${ms.toFixed(0)} ms`;
  if (target === undefined) return { measure, value };
  return { measure, value, target: `≤ ${target} ms`, met: ms <= target };
}

async function measure(scratch: Scratch, expected: number, isProbed = false): Promise<Measured> {
  const env = { ...process.env, HOME: scratch.home };
  for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME']) Reflect.deleteProperty(env, name);
  const server = await startProduct(scratch, { env });
  const probe = isProbed ? startProbe(server) : undefined;
  try {
    const listMs = await untilListed(server, expected);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const silence = (await probe?.longest()) ?? { clockMs: 0, busyMs: 0 };
    const seconds = processorSeconds(server.pid);
    const [mib, peakMib] = [residentMib(server.pid), peakMibOf(server.pid)];
    const firstPageMs = await timeFirstPage(server);
    const startedAt = performance.now();
    const count = await countPages(server);
    const pagesMs = performance.now() - startedAt;
    if (count !== expected) throw new Error(`${count} sessions are listed instead of ${expected}.`);
    return { listMs, silence, seconds, mib, peakMib, watches: watchesOf(server.pid), firstPageMs, pagesMs };
  } finally {
    await probe?.stop();
    await server.stop();
  }
}

async function untilListed(server: Product, expected: number): Promise<number> {
  const startedAt = performance.now();
  const seen = new Set<string>();
  const window = await server.window();
  try {
    // The server may have begun before the window was there.
    for (const id of await idsOfPages(window)) seen.add(id);
    while (seen.size < expected) {
      const { sessions = [] } = await window.next('session:found');
      for (const { id } of sessions) seen.add(id);
    }
    return performance.now() - startedAt;
  } finally {
    await window.close();
  }
}

type Window = Awaited<ReturnType<Product['window']>>;

async function idsOfPages(window: Window): Promise<string[]> {
  const ids: string[] = [];
  for (let more = true; more; ) {
    const after = ids.at(-1);
    const page = await window.ask('session:list-all', after === undefined ? {} : { after });
    ids.push(...(page.sessions ?? []).map(({ id }) => id));
    more = page.more ?? false;
  }
  return ids;
}

async function timeFirstPage(server: Product): Promise<number> {
  const window = await server.window();
  const startedAt = performance.now();
  await window.ask('session:list-all');
  const ms = performance.now() - startedAt;
  await window.close();
  return ms;
}

async function countPages(server: Product): Promise<number> {
  const window = await server.window();
  const ids = await idsOfPages(window);
  await window.close();
  return new Set(ids).size;
}

function writeProjects(scratch: Scratch): void {
  const projects = directoriesOf(scratch).map((path, index) => ({
    id: randomUUID(),
    path,
    name: `project-${index}`,
    addedAt: new Date().toISOString(),
  }));
  writeFileSync(join(scratch.dataDir, 'projects.json'), JSON.stringify({ version: 1, projects, removed: [] }));
}

function directoriesOf({ home }: Scratch): string[] {
  return Array.from({ length: PROJECTS }, (_, index) => join(home, 'work', `project-${index}`));
}

function foldersOf({ home }: Scratch): number {
  const folders = ['.claude/projects', '.codex/sessions'].map((folder) => join(home, folder));
  return listingFormats.reduce((sum, format, at) => sum + listFolders({ folder: folders[at] ?? '', format }).length, 0);
}

/** The highest resident memory so far. */
function peakMibOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

function watchesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fdinfo`).reduce((sum, fd) => {
    return sum + (fdInfo(pid, fd).match(/^inotify /gm)?.length ?? 0);
  }, 0);
}

/** Empty if it was closed meanwhile. */
function fdInfo(pid: number, fd: string): string {
  try {
    return readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
  } catch {
    return '';
  }
}
