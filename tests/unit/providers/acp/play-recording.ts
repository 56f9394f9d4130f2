import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { type AgentWords, processGone, toProviderError } from '../../../../server/providers/acp/acp-errors.ts';
import { type AcpSession, createAcpSession } from '../../../../server/providers/acp/acp-session.ts';
import {
  type PromptAnswer,
  readInitializeAnswer,
  readNewSession,
  readPromptAnswer,
} from '../../../../server/providers/acp/agent-answers.ts';
import { dialectOf } from '../../../../server/providers/acp/dialect.ts';
import { answerPermission } from '../../../../server/providers/acp/permission-answer.ts';
import { createReplay, type Replay } from '../../../../server/providers/acp/replay.ts';
import { parseSessionUpdate } from '../../../../server/providers/acp/session-update.ts';
import { createStreamCore, LIVE_BATCHING } from '../../../../server/streaming/stream-core.ts';
import { toCanonical } from '../../../../shared/ids.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import type { RecordedLine, RecordedMessage } from './recording.ts';

const words: AgentWords = { label: 'Codex', signInHint: 'Sign in, then try again.' };
const START = Date.UTC(2026, 0, 1);

class RecordedError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor({ code, message, data }: NonNullable<RecordedMessage['error']>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Plays a recording into a session, at the recorded times, and answers with everything that comes out, line by line. */
export async function playRecording(lines: readonly RecordedLine[]): Promise<string> {
  const clock = createManualClock(START);
  const output: string[] = [];
  const write = (what: object) => output.push(JSON.stringify({ at: clock.monotonic(), ...what }));

  const requests = new Map<number, string>();
  const prompts: { resolve: (answer: PromptAnswer) => void; reject: (error: unknown) => void }[] = [];
  let dialect = dialectOf(undefined);
  let session: AcpSession | undefined;
  let nativeId = '';
  let replay: Replay | undefined;
  let turns = 0;

  const open = (id: string, modelId: string | undefined) => {
    nativeId = id;
    session = createAcpSession({
      core: createStreamCore({
        sessionId: toCanonical('codex', id),
        providerId: 'codex',
        clock,
        batching: LIVE_BATCHING,
        emitArgumentUpdates: true,
        onUpsert: (upsert) => write({ upsert }),
        onTurn: (turn) => write({ turn }),
      }),
      clock,
      newTurnId: () => 'unprompted',
      promptTimeoutMs: 600_000,
      readTerminal: () => undefined,
      words,
      wasUsed: false,
    });
    const prompt = () => new Promise<PromptAnswer>((resolve, reject) => prompts.push({ resolve, reject }));
    session.attach({ dialect, prompt, cancel: () => write({ sent: 'session/cancel' }) }, modelId);
  };

  const takeAnswer = (message: RecordedMessage) => {
    const method = requests.get(message.id ?? -1);
    const error = message.error && new RecordedError(message.error);
    if (method === 'session/prompt') {
      if (error) prompts.shift()?.reject(error);
      else prompts.shift()?.resolve(readPromptAnswer(message.result));
    } else if (error) {
      const { code, message: text } = toProviderError(error, words);
      write({ refused: method, code, message: text });
    } else if (method === 'initialize') {
      dialect = dialectOf(readInitializeAnswer(message.result).agentInfo?.name);
    } else if (method === 'session/new') {
      const created = readNewSession(message.result);
      open(created.nativeId, created.modelId);
    } else if (method === 'session/load') {
      for (const upsert of replay?.history() ?? []) write({ history: upsert });
      replay = undefined;
    }
  };

  const takeIncoming = (message: RecordedMessage) => {
    if (message.method === 'session/update') {
      const parsed = parseSessionUpdate(message.params);
      if (!parsed.ok) write({ problem: parsed.problem });
      else if (replay !== undefined) replay.add(parsed.update);
      else session?.receive(parsed.update);
    } else if (message.method === 'session/request_permission') {
      const { options } = message.params as RequestPermissionRequest;
      write({
        allowed: answerPermission({ allow: true }, options),
        denied: answerPermission({ allow: false, reason: '' }, options),
      });
    } else if (message.method === undefined) {
      takeAnswer(message);
    }
  };

  const takeOutgoing = ({ id, method, params }: RecordedMessage) => {
    if (id !== undefined && method !== undefined) requests.set(id, method);
    if (method === 'session/load') {
      const sessionId = toCanonical('codex', nativeId);
      replay = createReplay({ sessionId, providerId: 'codex', nativeId, dialect, now: clock.now() });
    }
    if (method === 'session/cancel') void session?.cancel();
    if (method === 'session/prompt') {
      const { prompt } = params as { prompt: { text: string }[] };
      turns += 1;
      session?.send(`turn-${turns}`, prompt.map(({ text }) => text).join(''));
    }
  };

  for (const line of lines) {
    clock.advance(line.at - clock.monotonic());
    if (line.dir === 'in') takeIncoming(line.msg);
    else if (line.dir === 'out') takeOutgoing(line.msg);
    else if (line.dir === 'exit') session?.detach(processGone(words));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return `${output.join('\n')}\n`;
}
