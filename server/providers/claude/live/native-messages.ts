import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';

/** Sent for every message with a uuid. The SDK yields it, but its types do not declare it. */
export type CommandLifecycleMessage = {
  readonly type: 'command_lifecycle';
  readonly command_uuid: string;
  readonly state: 'queued' | 'started' | 'completed' | 'cancelled' | 'discarded' | 'refused';
};

/** The output of a background task so far, read by the link. */
export type TaskOutputMessage = {
  readonly type: 'task_output';
  readonly task_id: string;
  readonly output: string;
};

/** Messages that the SDK yields, and those that the link adds. */
export type NativeMessage = SDKMessage | CommandLifecycleMessage | TaskOutputMessage;

export type NativeMessageOf<T extends NativeMessage['type']> = Extract<NativeMessage, { type: T }>;

/** Access to fields that the SDK's types do not declare. */
export type Untyped = Readonly<Record<string, unknown>>;

/**
 * The turns of the sent messages that this message belongs to, in order. There are several if messages were merged into
 * one turn or joined a running one. The SDK's types declare these fields on some of the message types only.
 */
export function turnsNamedBy(message: NativeMessage): readonly string[] {
  if (message.type === 'command_lifecycle') return [message.command_uuid];
  const { user_message_uuids: all, user_message_uuid: one }: Untyped = message;
  if (Array.isArray(all)) return all.filter((uuid) => typeof uuid === 'string');
  return typeof one === 'string' ? [one] : [];
}
