import { z } from 'zod';
import { commands } from '../../../shared/commands.ts';
import { createStored, type KeyValues } from '../../shared/storage.ts';
import { waitingKey } from './waiting-key.ts';

const { turnId, content } = commands['session:send'].input.shape;

const waitingSchema = z.object({
  /** The user wants to go on here when the other program ends. */
  takesOver: z.boolean(),
  /** The message that is sent then. */
  message: z.object({ turnId: turnId.unwrap(), content, at: z.number() }).optional(),
});
export type Waiting = z.infer<typeof waitingSchema>;

const NOTHING: Waiting = { takesOver: false };

/** What is done when the program that has the session open ends. Survives a refresh. */
export function createWaiting(storage: KeyValues & Pick<Storage, 'removeItem'>, sessionId: string) {
  const key = waitingKey(sessionId);
  const stored = createStored<Waiting>(storage, key, waitingSchema, NOTHING);
  let waiting = stored.read();
  return {
    get: (): Waiting => waiting,
    set(next: Waiting): void {
      waiting = next;
      stored.write(next);
    },
    clear(): void {
      waiting = NOTHING;
      try {
        storage.removeItem(key);
      } catch {
        // It was not stored either.
      }
    },
  };
}
