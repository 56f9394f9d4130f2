import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { createDeferred, type Deferred } from '../../../../server/deferred.ts';
import { type AgentNaming, toProviderError } from '../../../../server/providers/acp/connection/acp-errors.ts';
import {
  type PromptResponse,
  readInitializeResponse,
  readNewSession,
  readPromptResponse,
} from '../../../../server/providers/acp/connection/agent-responses.ts';
import { chooseOption } from '../../../../server/providers/acp/connection/permission.ts';
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

  const requests = new Map<number, string>();
  const prompts: Deferred<PromptResponse>[] = [];
  let dialect = dialectOf(undefined);
  let opened: TestSession | undefined;
  let nativeId = '';
  let replay: Replay | undefined;
  let turns = 0;

  const open = async (id: string, modelId: string | undefined) => {
    nativeId = id;
    opened = await openTestSession({
      nativeId,
      dialect,
      modelId,
      naming,
      clock,
      newId: () => 'unprompted',
      promptTimeoutMs: 600_000,
      prompt() {
        const prompt = createDeferred<PromptResponse>();
        prompts.push(prompt);
        return prompt.promise;
      },
      cancel: () => write({ sent: 'session/cancel' }),
    });
    opened.provider.onUpsert(opened.sessionId, (upsert) => write({ upsert }));
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
      for (const upsert of replay?.history() ?? []) write({ history: upsert });
      replay = undefined;
    }
  };

  const takeIncoming = async (message: RecordedMessage) => {
    if (message.method === 'session/update') {
      const parsed = parseSessionUpdate(message.params);
      if (!parsed.ok) write({ problem: parsed.problem });
      else if (replay !== undefined) replay.add(parsed.update);
      else opened?.session.receive(parsed.update);
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
      replay = createReplay({ sessionId, providerId: 'codex', nativeId, dialect, now: clock.now() });
    }
    if (method === 'session/cancel') void opened?.provider.cancelTurn(opened.sessionId);
    if (method === 'session/prompt') {
      const { prompt } = params as { prompt: { text: string }[] };
      turns += 1;
      const content = prompt.map(({ text }) => text).join('');
      void opened?.provider.sendMessage(opened.sessionId, content, { turnId: `turn-${turns}` });
    }
  };

  for (const line of lines) {
    clock.advance(line.at - clock.monotonic());
    if (line.dir === 'in') await takeIncoming(line.msg);
    else if (line.dir === 'out') takeOutgoing(line.msg);
    else if (line.dir === 'exit') opened?.end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return `${output.join('\n')}\n`;
}
