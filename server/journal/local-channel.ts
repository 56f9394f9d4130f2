import { createJournalHost, type JournalHostOptions } from './journal-host.ts';
import type { JournalChannel } from './journal-messages.ts';

/** The journal in this thread. */
export function createLocalChannel(options: JournalHostOptions): JournalChannel {
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
