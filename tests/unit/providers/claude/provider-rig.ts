import type { CliProvider, ProviderStatus } from '../../../../server/engine/provider-types.ts';
import { type ClaudeProviderDeps, createClaudeProvider } from '../../../../server/providers/claude/claude-provider.ts';
import type { TurnEvent, UpsertObject } from '../../../../shared/stream-contracts.ts';
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';
import { createFakeClaude, type FakeClaude, type FakeRun } from './fake-claude.ts';

export interface ProviderRig {
  readonly provider: CliProvider;
  readonly claude: FakeClaude;
  readonly clock: ManualClock;
  readonly projectDir: string;
  readonly failures: readonly unknown[];
  readonly statuses: readonly ProviderStatus[];
  /** A new session and its process. */
  create(): Promise<Created>;
  /** The process that was started last. */
  lastRun(): FakeRun;
}

export interface Created {
  readonly sessionId: string;
  readonly run: FakeRun;
  readonly upserts: readonly UpsertObject[];
  readonly turns: readonly TurnEvent[];
}

/** The provider with a Claude Code that the test plays. */
export function createProviderRig(options: Partial<ClaudeProviderDeps> = {}): ProviderRig {
  const claude = createFakeClaude();
  const clock = createManualClock();
  const projectDir = scratchDirectory();
  const failures: unknown[] = [];
  const statuses: ProviderStatus[] = [];
  let ids = 0;
  const provider = createClaudeProvider({
    host: claude.host,
    loadSdk: async () => claude.sdk,
    clock,
    env: { CLAUDE_CONFIG_DIR: scratchDirectory(), PATH: process.env.PATH },
    claudePath: process.execPath,
    newId: () => `id-${++ids}`,
    promptTimeoutMs: 600_000,
    spare: false,
    onProblem: (problem, error) => failures.push(error ?? problem),
    ...options,
  });
  provider.onStatus((status) => statuses.push(status));

  const lastRun = () => {
    const run = claude.runs.at(-1);
    if (run === undefined) throw new Error('no process was started');
    return run;
  };

  return {
    provider,
    claude,
    clock,
    projectDir,
    failures,
    statuses,
    lastRun,
    async create() {
      const { sessionId } = await provider.createSession({ projectDir });
      const upserts: UpsertObject[] = [];
      const turns: TurnEvent[] = [];
      provider.onUpsert(sessionId, (upsert) => upserts.push(upsert));
      provider.onTurn(sessionId, (event) => turns.push(event));
      return { sessionId, run: lastRun(), upserts, turns };
    },
  };
}

/** Lets everything that is under way come to rest. */
export async function drain(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

export const lifecycle = (turnId: string, state: string) => ({
  type: 'command_lifecycle',
  command_uuid: turnId,
  state,
});

export const init = (...turnIds: string[]) => ({
  type: 'system',
  subtype: 'init',
  model: 'claude-test',
  user_message_uuids: turnIds,
});

export const result = (turnId: string, more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: '',
  stop_reason: 'end_turn',
  terminal_reason: 'completed',
  usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  user_message_uuids: [turnId],
  ...more,
});

export const streamEvent = (event: object, more: object = {}) => ({
  type: 'stream_event',
  parent_tool_use_id: null,
  event,
  ...more,
});

export const messageStart = (id: string) =>
  streamEvent({ type: 'message_start', message: { id, model: 'claude-test', content: [] } });

export const blockStart = (index: number, block: object) =>
  streamEvent({ type: 'content_block_start', index, content_block: block });

export const textDelta = (index: number, text: string) =>
  streamEvent({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });

export const assistant = (id: string, block: object, more: object = {}) => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id, role: 'assistant', content: [block] },
  ...more,
});
