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

export interface Api {
  call<N extends CommandName>(
    name: N,
    input: CommandInput<N>,
    signal?: AbortSignal,
  ): Promise<Outcome<CommandOutput<N>>>;
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
    // The key of a request ends with its socket, which reconnects.
    if (status === 401) return unreachable;
    const error = errorBodySchema.safeParse(body);
    if (status >= 400) return error.success ? failure(error.data) : notUnderstood;
    const output = schema.safeParse(body);
    return output.success ? success(output.data as T) : notUnderstood;
  }

  return {
    async call(name, input, signal) {
      const { method } = commands[name].http;
      const { path, rest } = addressOf(name, input);
      const query = method === 'POST' ? '' : String(new URLSearchParams(texts(rest)));
      const body = method === 'POST' ? JSON.stringify(rest) : undefined;
      const { pathname, search } = new URL(query === '' ? path : `${path}?${query}`, options.origin);
      const authorization = options.signRequest({ method, path: `${pathname}${search}`, body: body ?? '' });
      if (authorization === null) return unreachable;
      return exchange(
        `${pathname}${search}`,
        {
          method,
          headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body }),
          ...(signal ? { signal } : {}),
        },
        commands[name].output,
      );
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
