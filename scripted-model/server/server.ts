import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { anthropicApi } from '../anthropic/index.ts';
import { openAiApi } from '../openai/index.ts';
import { contextScenario, defaultScenario } from '../scenario/built-in.ts';
import { chooseReplies, type Rule } from '../scenario/rules.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ModelApi } from '../wire/api.ts';
import { answerJson } from '../wire/event-stream.ts';
import { asRecord, type JsonRecord } from '../wire/json.ts';
import { type Clock, systemClock } from './clock.ts';
import { createGates } from './gates.ts';
import { listenOnLoopback } from './loopback.ts';
import { createRequestLog, type RecordedRequest } from './request-log.ts';
import { createResponder } from './responder.ts';

export interface ScriptedModelOptions {
  /** Tried in order; the first rule that matches the prompt is used. */
  readonly rules?: readonly Rule[];
  /** Answers prompts that no rule matches. */
  readonly fallback?: Scenario;
  /** How many requests are remembered. Default: 200. */
  readonly keepRequests?: number;
  readonly clock?: Clock;
  readonly newId?: () => string;
}

export interface ScriptedModel {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  /** The latest model requests, oldest first, including those outside any turn. */
  readonly requests: readonly RecordedRequest[];
  /** Adds a rule before all others. */
  when(when: Rule['when'], scenario: Scenario): void;
  /** Resolves as soon as a reply is waiting at the gate. */
  gate(name: string): Promise<void>;
  /** Lets one reply pass the gate: the one that has waited longest, otherwise the next to arrive. */
  release(name: string): void;
  /** Lets all replies pass the gate, now and later. */
  open(name: string): void;
  /** Closes all connections, stops listening and waits for the last reply to end. */
  close(): Promise<void>;
}

const MODEL_PATHS: Readonly<Record<string, ModelApi>> = {
  '/v1/messages': anthropicApi,
  '/v1/responses': openAiApi,
};

export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const { fallback = defaultScenario, clock = systemClock, newId = shortId } = options;
  const rules: Rule[] = [...(options.rules ?? []), { when: 'context', scenario: contextScenario }];
  const gates = createGates();
  const log = createRequestLog(options.keepRequests ?? 200);
  const respond = createResponder({
    gates,
    clock,
    newId,
    record: log.add,
    chooseReplies: (conversation) => chooseReplies(rules, fallback, conversation),
  });

  const running = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const answering = route(request, response).finally(() => running.delete(answering));
    running.add(answering);
  });

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = ''] = (request.url ?? '').split('?');
    const api = MODEL_PATHS[path];
    if (request.method === 'POST' && api) {
      const body = await readJson(request);
      if (body === undefined) answerJson(response, 400, api.refusal(400, 'The body is not JSON.').body);
      else await respond({ api, body, headers: request.headers, response });
    } else if (request.method === 'POST' && path === '/v1/messages/count_tokens') {
      request.resume();
      answerJson(response, 200, { input_tokens: 10 });
    } else {
      request.resume();
      answerJson(response, 404, anthropicApi.refusal(404, `Not found: ${path}`).body);
    }
  };

  const { url, stop } = await listenOnLoopback(server);
  return {
    url,
    requests: log.requests,
    when: (when, scenario) => {
      rules.unshift({ when, scenario });
    },
    gate: gates.reached,
    release: gates.release,
    open: gates.open,
    close: async () => {
      await stop();
      await Promise.all(running);
    },
  };
}

/** Undefined if the body is not a JSON object or the connection was closed before its end. */
async function readJson(request: IncomingMessage): Promise<JsonRecord | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return asRecord(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    return undefined;
  }
}

function shortId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 20);
}
