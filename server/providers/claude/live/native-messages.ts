import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';

/** Sent for every message that carries a uuid; the SDK passes it on, but its types do not name it. */
export type CommandLifecycleMessage = {
  readonly type: 'command_lifecycle';
  readonly command_uuid: string;
  readonly state: 'queued' | 'started' | 'completed' | 'cancelled' | 'discarded' | 'refused';
};

/** The output of a background task so far, as the link has read it. */
export type TaskOutputMessage = {
  readonly type: 'task_output';
  readonly task_id: string;
  readonly output: string;
};

/** What the SDK yields, and what the link adds to it. */
export type NativeMessage = SDKMessage | CommandLifecycleMessage | TaskOutputMessage;

export type NativeMessageOf<T extends NativeMessage['type']> = Extract<NativeMessage, { type: T }>;

/** Fields that come although the types do not name them. */
export type Untyped = Readonly<Record<string, unknown>>;

/**
 * The sent messages that this one answers, in the order they were taken up. Several where messages were merged into
 * one turn or taken into a running one. The types name the fields on some messages only; they come on more.
 */
export function turnsNamedBy(message: NativeMessage): readonly string[] {
  if (message.type === 'command_lifecycle') return [message.command_uuid];
  const { user_message_uuids: all, user_message_uuid: one }: Untyped = message;
  if (Array.isArray(all)) return all.filter((uuid) => typeof uuid === 'string');
  return typeof one === 'string' ? [one] : [];
}
