import { createJournalHost } from './journal-host.ts';
import type { JournalChannel } from './journal-messages.ts';
import type { DatabaseOptions } from './open-database.ts';

/** The journal in this thread. */
export function createLocalChannel(options: DatabaseOptions): JournalChannel {
  const host = createJournalHost(options);
  return {
    async send(request) {
      const response = await host.handle(structuredClone(request));
      host.tidy();
      return structuredClone(response);
    },
    async close() {
      host.close();
    },
  };
}
