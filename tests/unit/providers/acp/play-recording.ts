import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { createDeferred, type Deferred } from '../../../../server/deferred.ts';
import { type AgentNaming, toProviderError } from '../../../../server/providers/acp/connection/acp-errors.ts';
import {
  type PromptResponse,
  readInitializeResponse,
  readNewSession,
  readOpenedSession,
  readPromptResponse,
} from '../../../../server/providers/acp/connection/agent-responses.ts';
import { chooseOption } from '../../../../server/providers/acp/connection/permission.ts';
import { createSessionIndex } from '../../../../server/providers/acp/session/session-index.ts';
import { dialectOf } from '../../../../server/providers/acp/translate/dialect.ts';
import { createReplay, type Replay } from '../../../../server/providers/acp/translate/replay.ts';
import { parseSessionUpdate } from '../../../../server/providers/acp/translate/session-update.ts';
import { toCanonical } from '../../../../shared/ids.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import type { RecordedLine, RecordedMessage } from './recording.ts';
import { openTestSession, type TestSession } from './test-session.ts';

const naming: AgentNaming = { label: 'Codex', signInHint: 'Sign in, then try again.' };
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

/** Plays a recording into a session at the recorded times. Resolves with everything that comes out, line by line. */
export async function playRecording(lines: readonly RecordedLine[]): Promise<string> {
  const clock = createManualClock(START);
  const output: string[] = [];
  const write = (what: object) => output.push(JSON.stringify({ at: clock.monotonic(), ...what }));

  const index = createSessionIndex();
  /** Background work by the agent's name for it, as an item. */
  const items = new Map<string, string>();
  const requests = new Map<number, string>();
  const prompts: Deferred<PromptResponse>[] = [];
  let dialect = dialectOf(undefined);
  let opened: TestSession | undefined;
  let nativeId = '';
  let replay: { readonly of: Replay; readonly answered: Deferred<void> } | undefined;
  let turns = 0;
  let ownTurns = 0;
  let isEnded = false;

  const open = async (id: string, modelId: string | undefined) => {
    nativeId = id;
    opened = await openTestSession({
      nativeId,
      dialect,
      modelId,
      naming,
      clock,
      newId() {
        ownTurns += 1;
        return ownTurns === 1 ? 'unprompted' : `unprompted-${ownTurns}`;
      },
      promptTimeoutMs: 600_000,
      prompt() {
        const prompt = createDeferred<PromptResponse>();
        prompts.push(prompt);
        return prompt.promise;
      },
      cancel: (of) => write({ sent: 'session/cancel', ...(of !== nativeId && { of }) }),
      stopTask: (taskId) => write({ sent: '_session/async_task/stop', of: taskId }),
      endProcesses: () => true,
    });
    isEnded = false;
    index.add(opened.session);
    opened.provider.onUpsert(opened.sessionId, (upsert) => {
      if (upsert.type === 'tool_call') items.set(upsert.callId, upsert.itemId);
      write({ upsert });
    });
    opened.provider.onTurn(opened.sessionId, (turn) => write({ turn }));
  };

  const takeAnswer = async (message: RecordedMessage) => {
    const method = requests.get(message.id ?? -1);
    const error = message.error && new RecordedError(message.error);
    if (method === 'session/prompt') {
      if (error) prompts.shift()?.reject(error);
      else prompts.shift()?.resolve(readPromptResponse(message.result));
    } else if (error) {
      const { code, message: text } = toProviderError(error, naming);
      write({ refused: method, code, message: text });
    } else if (method === 'initialize') {
      dialect = dialectOf(readInitializeResponse(message.result).agentInfo?.name);
    } else if (method === 'session/new') {
      const created = readNewSession(message.result);
      await open(created.nativeId, created.modelId);
    } else if (method === 'session/load') {
      for (const upsert of (await replay?.of.history()) ?? []) write({ history: upsert });
      replay?.answered.resolve();
      replay = undefined;
      if (isEnded) await open(nativeId, readOpenedSession(message.result).modelId);
    }
  };

  const takeIncoming = async (message: RecordedMessage) => {
    if (message.method === 'session/update') {
      const parsed = parseSessionUpdate(message.params);
      if (!parsed.ok) write({ problem: parsed.problem });
      else index.receive(parsed.nativeId, parsed.update);
    } else if (message.method === 'session/request_permission') {
      const { options } = message.params as RequestPermissionRequest;
      write({
        allowed: chooseOption({ allow: true }, options),
        denied: chooseOption({ allow: false, reason: '' }, options),
      });
    } else if (message.method === undefined) {
      await takeAnswer(message);
    }
  };

  const takeOutgoing = ({ id, method, params }: RecordedMessage) => {
    if (id !== undefined && method !== undefined) requests.set(id, method);
    if (method === 'session/load') {
      const sessionId = toCanonical('codex', nativeId);
      const of = createReplay({ sessionId, providerId: 'codex', nativeId, dialect, now: clock.now() });
      const answered = createDeferred<void>();
      replay = { of, answered };
      void index.redirectUpdates(nativeId, of.add, () => answered.promise);
    }
    const { sessionId: cancelled, asyncTaskId } = (params ?? {}) as { sessionId?: string; asyncTaskId?: string };
    if (method === 'session/cancel' && cancelled === nativeId) void opened?.provider.cancelTurn(opened.sessionId);
    else if (method === 'session/cancel') stop(cancelled);
    if (method === '_session/async_task/stop') stop(asyncTaskId);
    if (method === 'session/prompt') {
      const { prompt } = params as { prompt: { text: string }[] };
      turns += 1;
      const content = prompt.map(({ text }) => text).join('');
      void opened?.provider.sendMessage(opened.sessionId, content, { turnId: `turn-${turns}` });
    }
  };

  const stop = (taskId = '') => void opened?.provider.stopBackground(opened.sessionId, items.get(taskId));

  for (const line of lines) {
    clock.advance(line.at - clock.monotonic());
    if (line.dir === 'in') await takeIncoming(line.msg);
    else if (line.dir === 'out') takeOutgoing(line.msg);
    else if (line.dir === 'exit') {
      isEnded = true;
      opened?.end();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return `${output.join('\n')}\n`;
}
