import { z } from 'zod';
import { type CommandInput, type CommandName, type CommandOutput, commands } from '../../../shared/commands.ts';
import { providerInfoSchema } from '../../../shared/entities.ts';
import { errorBodySchema } from '../../../shared/errors.ts';
import { failure, notUnderstood, type Outcome, success, unreachable } from './outcome.ts';
import type { ServerSocket } from './socket.ts';

const healthSchema = z.object({
  ok: z.boolean(),
  version: z.string(),
  demo: z.boolean().default(false),
  providers: z.array(providerInfoSchema),
});
export type Health = z.infer<typeof healthSchema>;
const ownHealthSchema = healthSchema.pick({ ok: true, version: true });

export interface ApiOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly origin: string;
  /** Null without a connection. Then nothing is sent: whoever answers may not be our server. */
  readonly signRequest: ServerSocket['signRequest'];
}

export interface DownloadedFile {
  readonly fileName: string;
  readonly content: Blob;
}

export interface Api {
  call<N extends CommandName>(
    name: N,
    input: CommandInput<N>,
    signal?: AbortSignal,
  ): Promise<Outcome<CommandOutput<N>>>;
  /** A link could not be signed, so the file is fetched first. */
  download(name: 'session:export', input: CommandInput<'session:export'>): Promise<Outcome<DownloadedFile>>;
  health(): Promise<Outcome<Health>>;
  /** Whether something answers at our address that is not a Liminal Builder. Sends nothing. */
  meetsStranger(): Promise<boolean>;
}

/** Calls commands over HTTP as described by the command table. */
export function createApi(options: ApiOptions): Api {
  async function exchange<T>(path: string, init: RequestInit, schema: z.ZodType): Promise<Outcome<T>> {
    let status: number;
    let body: unknown;
    try {
      const response = await options.fetch(path, init);
      status = response.status;
      body = await response.json();
    } catch {
      return unreachable;
    }
    if (status >= 400) return refusal(status, body);
    const output = schema.safeParse(body);
    return output.success ? success(output.data as T) : notUnderstood;
  }

  /** Undefined without a connection. */
  function sign(name: CommandName, input: object): { path: string; init: RequestInit } | undefined {
    const { method } = commands[name].http;
    const { path: plain, rest } = addressOf(name, { ...input });
    const query = method === 'POST' ? '' : String(new URLSearchParams(texts(rest)));
    const body = method === 'POST' ? JSON.stringify(rest) : undefined;
    const { pathname, search } = new URL(query === '' ? plain : `${plain}?${query}`, options.origin);
    const path = `${pathname}${search}`;
    const authorization = options.signRequest({ method, path, body: body ?? '' });
    if (authorization === null) return undefined;
    const headers = { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    return { path, init: { method, headers, ...(body === undefined ? {} : { body }) } };
  }

  return {
    async call(name, input, signal) {
      const request = sign(name, input);
      if (request === undefined) return unreachable;
      return exchange(request.path, { ...request.init, ...(signal ? { signal } : {}) }, commands[name].output);
    },
    async download(name, input) {
      const request = sign(name, input);
      if (request === undefined) return unreachable;
      try {
        const response = await options.fetch(request.path, request.init);
        if (response.status >= 400) return refusal(response.status, await response.json().catch(() => undefined));
        return success({ fileName: fileNameOf(response), content: await response.blob() });
      } catch {
        return unreachable;
      }
    },
    health: () => exchange('/api/health', {}, healthSchema),
    async meetsStranger() {
      try {
        const response = await options.fetch('/api/health', { cache: 'no-store' });
        // Our server may be starting or stopping.
        return response.status < 500 && !ownHealthSchema.safeParse(await response.json().catch(() => null)).success;
      } catch {
        return false;
      }
    },
  };
}

function refusal(status: number, body: unknown): ReturnType<typeof failure> {
  // The key of a request ends with its socket, which reconnects.
  if (status === 401) return unreachable;
  const error = errorBodySchema.safeParse(body);
  return error.success ? failure(error.data) : notUnderstood;
}

/** From `content-disposition`, which has the name in UTF-8 if it is not plain ASCII. */
function fileNameOf({ headers }: Response): string {
  const disposition = headers.get('content-disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  const plain = /filename="([^"]+)"/.exec(disposition)?.[1];
  return encoded === undefined ? (plain ?? 'session') : decodeURIComponent(encoded);
}

/** Puts the id into the path; the rest of the input becomes the query or the body. */
function addressOf(name: CommandName, input: Readonly<Record<string, unknown>>) {
  const { path } = commands[name].http;
  const idField = path.includes('/session/') ? 'sessionId' : 'projectId';
  const takesId = path.includes(':id');
  const rest: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(input)) {
    if (value !== undefined && !(takesId && field === idField)) rest[field] = value;
  }
  return { path: path.replace(':id', encodeURIComponent(String(input[idField]))), rest };
}

const texts = (fields: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
