import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createProviderRegistry } from '../../../server/engine/provider-registry.ts';
import type { Journal } from '../../../server/journal/journal.ts';
import { openStores, type Stores } from '../../../server/open-stores.ts';
import type { ProjectRecord } from '../../../server/projects/project-store.ts';
import { createProjectTrust } from '../../../server/projects/project-trust.ts';
import type { Announcement, SessionLimits } from '../../../server/sessions/open-session.ts';
import type { ForgetSession } from '../../../server/sessions/session-management.ts';
import { createSessionService } from '../../../server/sessions/session-service.ts';
import type { SessionStore } from '../../../server/sessions/session-store.ts';
import type { HistoryMessage } from '../../../shared/events.ts';
import { isTurnEnd } from '../../../shared/turns.ts';
import { createScriptedProvider, type Transcripts } from '../../support/agents/scripted-provider.ts';
import { createScriptedTerminal } from '../../support/agents/scripted-terminal.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

export interface ServiceRigOptions {
  readonly sessions?: (store: SessionStore) => SessionStore;
  readonly journal?: (journal: Journal) => Journal;
  /** Another rig whose data directory and agent's files this one goes on with. */
  readonly after?: Leftovers;
  /** Sessions that another program has open from the beginning. */
  readonly held?: readonly string[];
  readonly sessionLimits?: SessionLimits;
  readonly forget?: readonly ForgetSession[];
}

interface Leftovers {
  readonly transcripts: Transcripts;
  readonly directory: string;
  readonly project: ProjectRecord;
}

export type ServiceRig = Awaited<ReturnType<typeof createServiceRig>>;

/** A session service on real stores, with one scripted agent, a clock of its own and everything it announces. */
export async function createServiceRig(options: ServiceRigOptions = {}) {
  const clock = createManualClock();
  const transcripts: Transcripts = options.after?.transcripts ?? new Map();
  const directory = options.after?.directory ?? scratchDirectory();
  const terminal = createScriptedTerminal(transcripts, clock.now, join(directory, 'agent'));
  for (const sessionId of options.held ?? []) terminal.openSilently(sessionId);
  const agent = createScriptedProvider({ clock, transcripts, ...terminal });
  const registry = createProviderRegistry();
  registry.register(agent);
  const failures: unknown[] = [];
  const stores: Stores = await openStores(join(directory, 'data'), {
    warn: () => undefined,
    onError: () => undefined,
    journalThread: 'here',
  });
  const sessions = options.sessions?.(stores.sessions) ?? stores.sessions;
  const announcements: Announcement[] = [];
  const waits = new Set<() => void>();
  const service = createSessionService({
    watches: terminal.watches,
    sessions,
    projects: stores.projects,
    trust: createProjectTrust({ projects: stores.projects, agents: registry.list, onChange: () => undefined }),
    registry,
    journal: options.journal?.(stores.journal) ?? stores.journal,
    clock,
    newId: randomUUID,
    announce(announcement) {
      announcements.push(announcement);
      for (const look of [...waits]) look();
    },
    onFailure: (error) => failures.push(error),
    evictAfterMs: 60_000,
    ...(options.sessionLimits && { sessionLimits: options.sessionLimits }),
    ...(options.forget && { forget: options.forget }),
  });
  let isClosed = false;
  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await service.close();
    await stores.close();
  }
  onTestFinished(close);
  mkdirSync(join(directory, 'project'), { recursive: true });
  const project = options.after?.project ?? (await stores.projects.addProject(join(directory, 'project')));

  const messages = () => announcements.map(({ message }) => message);
  return {
    clock,
    agent,
    terminal,
    service,
    sessions,
    journal: stores.journal,
    transcripts,
    directory,
    dataDir: join(directory, 'data'),
    close,
    project,
    failures,
    announcements,
    messages,
    /** Resolves with the first announced message, from `from` on, that matches. */
    announced(matches: (message: Announcement['message']) => boolean, from = 0): Promise<Announcement['message']> {
      return new Promise((resolve) => {
        const look = () => {
          const found = messages().slice(from).find(matches);
          if (found === undefined) return;
          waits.delete(look);
          resolve(found);
        };
        waits.add(look);
        look();
      });
    },
    turnEnded(sessionId: string): Promise<unknown> {
      const from = announcements.length;
      return this.announced(
        (message) => message.type === 'session:turn' && message.sessionId === sessionId && isTurnEnd(message.payload),
        from,
      );
    },
    async createSession(): Promise<string> {
      return (await service.create({ cliType: agent.cliType, projectId: project.id })).sessionId;
    },
    async closedSession(): Promise<string> {
      const { sessionId } = await service.create({ cliType: agent.cliType, projectId: project.id });
      await service.kill({ sessionId });
      return sessionId;
    },
    async history(sessionId: string): Promise<HistoryMessage> {
      return new Promise((resolve, reject) => {
        service.join(sessionId, (session) => resolve(session.history())).catch(reject);
      });
    },
    methods: (sessionId: string) =>
      agent.calls.filter((call) => call.sessionId === sessionId).map(({ method }) => method),
  };
}
