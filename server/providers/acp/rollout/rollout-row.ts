import { z } from 'zod';
import { isRecord } from '../translate/session-update.ts';
import { parseItem, type RolloutItem } from './rollout-item.ts';
import type { ScannedLine } from './scan-lines.ts';

/** A line of a rollout, as far as it is about what is shown. */
export type RolloutRow =
  | { readonly row: 'turn-started'; readonly turnId: string }
  | { readonly row: 'turn-ended'; readonly isCancelled: boolean }
  | { readonly row: 'item'; readonly item: RolloutItem }
  /** The user went back: the last turns are not part of the conversation any more. */
  | { readonly row: 'rolled-back'; readonly turns: number }
  /** Codex before 0.140 stored what is shown as events of these kinds, and calls only as they went to the model. */
  | { readonly row: 'old-message'; readonly by: 'user' | 'agent' | 'thought'; readonly text: string }
  | { readonly row: 'old-call'; readonly callId: string; readonly name: string; readonly input: unknown }
  | { readonly row: 'old-result'; readonly callId: string; readonly output: string }
  /** It may be about what is shown, and is too long to be read. */
  | { readonly row: 'oversized'; readonly bytes: number };

const eventSchemas = {
  task_started: z
    .object({ turn_id: z.string() })
    .transform(({ turn_id }): RolloutRow => ({ row: 'turn-started', turnId: turn_id })),
  task_complete: z.object({}).transform((): RolloutRow => ({ row: 'turn-ended', isCancelled: false })),
  turn_aborted: z.object({}).transform((): RolloutRow => ({ row: 'turn-ended', isCancelled: true })),
  thread_rolled_back: z
    .object({ num_turns: z.number().int().min(0) })
    .transform(({ num_turns }): RolloutRow => ({ row: 'rolled-back', turns: num_turns })),
  user_message: oldMessage('user', 'message'),
  agent_message: oldMessage('agent', 'message'),
  agent_reasoning: oldMessage('thought', 'text'),
};

const call = z.object({ call_id: z.string().min(1), name: z.string().min(1) });
const resultSchema = z
  .object({ call_id: z.string().min(1), output: z.unknown() })
  .transform(({ call_id, output }): RolloutRow => ({ row: 'old-result', callId: call_id, output: textOf(output) }));

const responseSchemas = {
  function_call: call.extend({ arguments: z.string().catch('') }).transform(
    ({ call_id, name, arguments: given }): RolloutRow => ({
      row: 'old-call',
      callId: call_id,
      name,
      input: parseJson(given),
    }),
  ),
  custom_tool_call: call
    .extend({ input: z.string().catch('') })
    .transform(({ call_id, name, input }): RolloutRow => ({ row: 'old-call', callId: call_id, name, input })),
  function_call_output: resultSchema,
  custom_tool_call_output: resultSchema,
};

const schemas: Readonly<Record<string, Readonly<Record<string, z.ZodType<RolloutRow>>>>> = {
  event_msg: eventSchemas,
  response_item: responseSchemas,
};

/** Where the kind of a row stands, so that most rows need not be parsed: nearly all of a file is what the model got. */
const KIND = /"type":"(\w+)","payload":\{"type":"(\w+)"/;

/** Undefined for a line that is not shown, not known, torn or no JSON at all. Never throws. */
export function readRow({ head, length, text }: Pick<ScannedLine, 'head' | 'length' | 'text'>): RolloutRow | undefined {
  const [, type, kind] = KIND.exec(head) ?? [];
  if (type !== undefined && kind !== undefined && !isShown(type, kind)) return undefined;
  const line = text();
  return line === undefined ? { row: 'oversized', bytes: length } : parseRow(line);
}

/** As `readRow`, for a line that is known to be short enough. */
export function parseRow(line: string): RolloutRow | undefined {
  const value = parseJson(line);
  if (!isRecord(value) || typeof value.type !== 'string' || !isRecord(value.payload)) return undefined;
  const { payload } = value;
  if (typeof payload.type !== 'string' || !isShown(value.type, payload.type)) return undefined;
  if (payload.type !== 'item_completed') return schemas[value.type]?.[payload.type]?.safeParse(payload).data;
  const item = parseItem(payload.item);
  return item === undefined ? undefined : { row: 'item', item };
}

function isShown(type: string, kind: string): boolean {
  if (!Object.hasOwn(schemas, type)) return false;
  return (type === 'event_msg' && kind === 'item_completed') || Object.hasOwn(schemas[type] ?? {}, kind);
}

function oldMessage(by: 'user' | 'agent' | 'thought', field: 'message' | 'text') {
  return z
    .object({ [field]: z.string() })
    .transform((event): RolloutRow => ({ row: 'old-message', by, text: event[field] ?? '' }));
}

function textOf(output: unknown): string {
  if (typeof output === 'string') return output;
  if (isRecord(output) && typeof output.content === 'string') return output.content;
  return output === undefined ? '' : JSON.stringify(output);
}

function parseJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return given === '' ? undefined : given;
  }
}
