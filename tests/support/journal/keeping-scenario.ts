import type { Journal, KeptConversation } from '../../../server/journal/journal.ts';
import { openJournal } from '../../../server/journal/open-journal.ts';
import type { SessionId } from '../../../shared/ids.ts';
import { createManualClock } from '../manual-clock.ts';
import { conversation, growth, item, message, SESSION, turn, turnChange } from './kept-entries.ts';

const OTHER: SessionId = 'codex:other';

/** Each resolves when it is on disk. */
export const steps: readonly ((journal: Journal) => Promise<void>)[] = [
  (journal) => {
    journal.record(SESSION, [
      turnChange(turn('t1', { status: 'running', receipt: 'kept' })),
      item(message('t1', 'user'), 0),
      item(message('t1', 1, { status: 'update', content: 'One' }), 1),
    ]);
    return journal.durable();
  },
  (journal) => {
    journal.record(SESSION, [growth('t1:0:1', 3, ', two')]);
    journal.record(SESSION, [growth('t1:0:1', 8, `, ${'many more '.repeat(500)}`)]);
    return journal.durable();
  },
  (journal) => journal.replace(OTHER, conversation(20, 5, OTHER), 'stamp'),
  (journal) => {
    journal.record(SESSION, [item(message('t1', 1, { content: 'Done' }), 1), turnChange(turn('t1'))]);
    journal.record(SESSION, [turnChange(turn('t2', { status: 'running' })), item(message('t2', 'user'), 2)]);
    journal.record(OTHER, [item(message('turn-3', 2, { sessionId: OTHER, content: 'changed' }))]);
    return journal.durable();
  },
  (journal) => {
    journal.record(SESSION, [{ kind: 'forget-turn', turnId: 't2' }]);
    return journal.remove(OTHER);
  },
];

export interface Observed {
  readonly sessions: readonly KeptConversation[];
  readonly stamps: readonly (string | undefined)[];
}

export async function observe(journal: Journal): Promise<Observed> {
  const sessions = [SESSION, OTHER];
  return {
    sessions: await Promise.all(sessions.map((id) => journal.read(id))),
    stamps: (await Promise.all(sessions.map((id) => journal.open(id)))).map((kept) => kept?.stamp),
  };
}

/** The states after none, one, two … of the steps. */
export async function statesOf(dataDir: string): Promise<Observed[]> {
  const { journal } = await openHere(dataDir);
  const states = [await observe(journal)];
  for (const step of steps) {
    await step(journal);
    states.push(await observe(journal));
  }
  await journal.close();
  return states;
}

/** In this thread, with a clock that stands still. */
export async function openHere(dataDir: string) {
  const warnings: string[] = [];
  const troubles: string[] = [];
  const clock = createManualClock();
  const journal = await openJournal({
    dataDir,
    thread: 'here',
    clock,
    warn: (text) => warnings.push(text),
    onTrouble: (text) => troubles.push(text),
    onRecovery: () => troubles.push('over'),
  });
  return { journal, warnings, troubles, clock };
}
