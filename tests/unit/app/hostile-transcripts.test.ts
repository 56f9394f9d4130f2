import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import type { ProcessHost } from '../../../server/processes/index.ts';
import { createClaudeProvider } from '../../../server/providers/claude/claude-provider.ts';
import { toCanonical } from '../../../shared/ids.ts';
import { upsertObjectSchema } from '../../../shared/stream-contracts.ts';
import { createEnvelopeRig } from '../../support/agents/envelope-rig.ts';
import {
  callingSubAgents,
  hostileEnvelopeTranscripts,
  hostileTranscripts,
  mutateLines,
  taskWithOutput,
} from '../../support/hostile/hostile-transcripts.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import type { Frame } from '../../support/server/socket-client.ts';
import { createTestApp } from '../../support/server/test-app.ts';

const ROUNDS = Number(process.env.LIMINAL_TRANSCRIPTS ?? 60);
/** A server that has many sessions takes longer to store another one. */
const PER_SERVER = 100;
const traces = join(import.meta.dirname, '../../fixtures/traces');

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n');

/** The recorded transcripts, with the transcripts of their sub-agents by the call that started each. */
function readRecordings() {
  const folders = [join(traces, 'claude/transcripts'), join(traces, 'claude-background/transcripts')];
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => {
        const inner = join(folder, name.slice(0, -'.jsonl'.length), 'subagents');
        const metas = existsSync(inner) ? readdirSync(inner).filter((file) => file.endsWith('.meta.json')) : [];
        const agents = metas.map((meta) => ({
          meta: readFileSync(join(inner, meta), 'utf8'),
          lines: linesOf(join(inner, meta.replace('.meta.json', '.jsonl'))),
        }));
        return { lines: linesOf(join(folder, name)), agents };
      }),
  );
}

interface SubAgentFile {
  readonly meta: string;
  readonly lines: readonly string[];
}

const noProcesses: ProcessHost = {
  spawn: () => {
    throw new Error('Reading a transcript starts nothing.');
  },
} as unknown as ProcessHost;

/** A server with the real drivers, whose transcripts the test writes. */
async function startApp() {
  const home = scratchDirectory();
  const dataDir = scratchDirectory();
  const claude: CliProvider = createClaudeProvider({
    host: noProcesses,
    env: { CLAUDE_CONFIG_DIR: home },
    claudePath: '/nowhere/claude',
    onProblem: () => undefined,
  });
  const envelope = createEnvelopeRig({ dataDir }).provider;
  const app = await createTestApp<CliProvider>({ dataDir, providers: [claude, envelope] });
  const project = await app.addProject('project');
  const socket = await app.connect();
  let count = 0;

  function pathOf(cliType: string, nativeId: string): string {
    if (cliType === 'fixture') return join(dataDir, 'envelope', 'fixture', `${nativeId}.jsonl`);
    return join(home, 'projects', 'somewhere', `${nativeId}.jsonl`);
  }

  async function openSession(cliType: string, write: (path: string) => void): Promise<Frame> {
    count += 1;
    const nativeId = `s${count}`;
    const id = toCanonical(cliType, nativeId);
    const path = pathOf(cliType, nativeId);
    mkdirSync(dirname(path), { recursive: true });
    write(path);
    const now = new Date(0).toISOString();
    const meta = { archived: false, title: 'x', lastActiveAt: now, createdAt: now, used: true };
    await app.stores.sessions.add({ ...meta, id, cliType, projectId: project.id });
    socket.send({ type: 'session:open', sessionId: id });
    const answer = await socket.next(
      ({ type, sessionId }) => sessionId === id && (type === 'session:history' || type === 'error'),
    );
    socket.send({ type: 'session:unsubscribe', sessionId: id });
    return answer;
  }

  return {
    app,
    openSession,
    open: (cliType: string, lines: readonly string[], agents: readonly SubAgentFile[] = []) =>
      openSession(cliType, (path) => {
        writeFileSync(path, `${lines.join('\n')}\n`);
        const folder = join(path.replace('.jsonl', ''), 'subagents');
        mkdirSync(folder, { recursive: true });
        for (const [index, agent] of agents.entries()) {
          writeFileSync(join(folder, `agent-${index}.meta.json`), agent.meta);
          writeFileSync(join(folder, `agent-${index}.jsonl`), agent.lines.join('\n'));
        }
      }),
  };
}

/** Every entry is one that the page can read. */
function expectReadable({ type, entries = [], ...rest }: Frame): void {
  expect({ type, ...rest }).toMatchObject({ type: 'session:history' });
  const problems = (entries as unknown[]).map((entry) => upsertObjectSchema.safeParse(entry).error?.message);
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
}

describe('safe/hostile-transcript a transcript of Claude Code', () => {
  it.each(Object.entries(hostileTranscripts))('with %s is shown as far as it can be read', async (_, lines) => {
    const { app, open } = await startApp();
    expectReadable(await open('claude-code', lines()));
    expect(app.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('with sub-agents that call each other many times shows each of them once', async () => {
    const { open } = await startApp();
    const { main, agents } = callingSubAgents(40, 20);
    const files = agents.map((lines, index) => ({ meta: JSON.stringify({ toolUseId: `c${index}` }), lines }));
    const answer = await open('claude-code', main, files);
    expectReadable(answer);
    expect(answer.entries?.length).toBeLessThan(400);
  });

  it('that names a pipe as the output of a task is shown without it', async () => {
    const { open } = await startApp();
    const pipe = join(scratchDirectory(), 'a.output');
    execFileSync('mkfifo', [pipe]);
    expectReadable(await open('claude-code', taskWithOutput(pipe)));
  });

  it('that is too large to be read is refused with a reason', async () => {
    const { openSession } = await startApp();
    const answer = await openSession('claude-code', (path) => {
      writeFileSync(path, '');
      truncateSync(path, 3 * 1024 ** 3);
    });
    expect(answer).toMatchObject({ type: 'error', code: 'SESSION_NOT_FOUND' });
    expect(answer.message).toMatch(/^The transcript .* cannot be read/);
  });

  const firstSeeds = Array.from({ length: Math.ceil(ROUNDS / PER_SERVER) }, (_, index) => index * PER_SERVER + 1);

  it.each(firstSeeds)(
    'that mutates a recording is never an internal error, seeds from %i',
    { timeout: 120_000 },
    async (first) => {
      const { app, open } = await startApp();
      const originals = readRecordings();
      for (let seed = first; seed < Math.min(first + PER_SERVER, ROUNDS + 1); seed += 1) {
        const { lines, agents } = originals[seed % originals.length] ?? { lines: [], agents: [] };
        const mutated = agents.map((agent) => ({ ...agent, lines: mutateLines(agent.lines, seed) }));
        const answer = await open('claude-code', mutateLines(lines, seed), mutated);
        expect(answer, `seed ${seed}`).toMatchObject({ type: 'session:history' });
        expectReadable(answer);
      }
      expect(app.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
    },
  );
});

describe('safe/hostile-transcript a transcript of an envelope agent', () => {
  it.each(Object.entries(hostileEnvelopeTranscripts))('with %s is shown as far as it can be read', async (_, lines) => {
    const { app, open } = await startApp();
    expectReadable(await open('fixture', lines()));
    expect(app.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});
