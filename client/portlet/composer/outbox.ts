import { z } from 'zod';
import { commands } from '../../../shared/commands.ts';
import { createStored, type KeyValues } from '../../shared/storage.ts';

const { turnId, content, accept } = commands['session:send'].input.shape;
const outgoingSchema = z.object({ turnId: turnId.unwrap(), content, accept, at: z.number() });

/** A message that the user has sent. */
export type Outgoing = z.infer<typeof outgoingSchema>;

/** Messages that the server has not answered yet, oldest first, stored so that they survive a refresh. */
export interface Outbox {
  list(): readonly Outgoing[];
  add(message: Outgoing): void;
  remove(turnId: string): void;
}

export function createOutbox(storage: KeyValues, sessionId: string): Outbox {
  const stored = createStored<Outgoing[]>(storage, `liminal:sending:${sessionId}`, z.array(outgoingSchema), []);
  let messages = stored.read();

  function change(next: Outgoing[]): void {
    messages = next;
    stored.write(messages);
  }

  return {
    list: () => messages,
    add: (message) => change([...messages, message]),
    remove: (removed) => change(messages.filter((message) => message.turnId !== removed)),
  };
}
