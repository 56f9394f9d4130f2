import type { JournalHost } from './journal-host.ts';
import type { JournalChannel } from './journal-messages.ts';
import type { DatabaseOptions } from './open-database.ts';

/** The journal in this thread. SQLite is loaded with the first request. */
export function createLocalChannel(options: DatabaseOptions): JournalChannel {
  let host: JournalHost | undefined;

  return {
    async send(request) {
      host ??= (await import('./journal-host.ts')).createJournalHost(options);
      const response = await host.handle(structuredClone(request));
      host.tidy();
      return structuredClone(response);
    },
    async close() {
      host?.close();
    },
  };
}
