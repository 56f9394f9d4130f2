import { randomUUID } from 'node:crypto';
import { fromCanonical, type SessionId } from '../../../shared/ids.ts';
import { type Clock, systemClock } from '../../clock.ts';
import type { Driver } from '../../engine/driver.ts';
import { type DecidePermission, decidePermission as decideByAccess, NORMAL_ACCESS } from '../../engine/permission.ts';
import type { FolderWatches } from '../../folder-watches.ts';
import type { HostedProcess, ProcessHost, SpawnRequest } from '../../processes/index.ts';
import { requireDirectory } from '../require-directory.ts';
import type { AcpAgent } from './agents/acp-agent.ts';
import { loadSdk } from './connection/acp-connection.ts';
import { startAcpProcess } from './session/acp-process.ts';
import { createMemoryAliases, type SessionAliases } from './session/session-aliases.ts';
import { createSessionMemories } from './session/session-memory.ts';

export interface AcpDriverDeps {
  readonly agent: AcpAgent;
  readonly host: ProcessHost;
  readonly env: NodeJS.ProcessEnv;
  /** Our own version, which the agent is told. */
  readonly version: string;
  readonly aliases?: SessionAliases;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly decidePermission?: DecidePermission;
  /** To notice at once when another program opens a session. Otherwise that is looked at every few seconds. */
  readonly watches?: FolderWatches;
  /** Told of what the agent sent that does not fit the protocol. */
  readonly onProblem: (problem: string, error?: unknown) => void;
}

/** The driver for every agent that speaks the Agent Client Protocol. Which one is in `agent`. */
export function createAcpDriver(deps: AcpDriverDeps): Driver {
  const { agent } = deps;
  const { cliType, label } = agent;
  const readHistory = agent.readHistory?.bind(agent);
  const memories = createSessionMemories();
  const aliases = deps.aliases ?? createMemoryAliases();
  const storedIdOf = (sessionId: SessionId) => aliases.find(sessionId) ?? fromCanonical(sessionId).nativeId;
  const files = agent.openFiles?.(storedIdOf);
  const { clock = systemClock, newId = randomUUID, decidePermission = decideByAccess, watches } = deps;
  const readNewest = agent.readNewest?.bind(agent);
  const readContext = agent.readContext?.bind(agent);
  const fork = agent.fork?.bind(agent);
  const { host, groups } = trackGroups(deps.host);
  const holders = agent.openHolders?.({ label, clock, watches, ownGroups: groups });

  return {
    cliType,
    label,
    traits: {
      sharedProcess: true,
      historyWithoutProcess: readHistory !== undefined,
      takesMessagesWhileBusy: false,
      leavesOutProjectSettings: false,
      spare: false,
      ...(agent.closeIdleAfterMs !== undefined && { closeIdleAfterMs: agent.closeIdleAfterMs }),
      // Codex stores a call when it has ended; what others store is not known.
      historyGaps: { calls: true, thinking: readHistory === undefined },
    },
    async checkAvailability() {
      const located = agent.locate();
      return typeof located === 'string'
        ? { cliType, label, available: false, reason: located }
        : { cliType, label, available: true };
    },
    checkStart: requireDirectory,
    whatRuns: agent.whatRuns,
    async prepare() {
      await loadSdk();
    },
    async launch(_session, signal) {
      const started = (await agent.readAccess?.()) ?? { access: NORMAL_ACCESS };
      signal.throwIfAborted();
      return startAcpProcess({ ...deps, host, holders, clock, newId, decidePermission, aliases, memories, started });
    },
    async readAccess({ projectDir, withoutProjectSettings }) {
      const read = await agent.readAccess?.(withoutProjectSettings ? undefined : projectDir);
      return read?.access ?? NORMAL_ACCESS;
    },
    ...(readHistory && {
      readHistory: ({ sessionId, nativeId, projectDir }, home) =>
        readHistory({ sessionId, nativeId, storedId: storedIdOf(sessionId), projectDir, now: clock.now(), home }),
    }),
    ...(readNewest && {
      async readNewest({ sessionId, nativeId, projectDir }) {
        const storedId = storedIdOf(sessionId);
        // Before reading, so that what is written meanwhile is read again the next time.
        const stamp = await files?.stamp(storedId);
        const newest = await readNewest({ sessionId, nativeId, storedId, projectDir, now: clock.now() });
        return newest && { ...newest, stamp };
      },
    }),
    ...(readContext && {
      readContext: ({ sessionId, wasUsed }) => readContext({ storedId: storedIdOf(sessionId), wasUsed }),
    }),
    ...(fork && {
      fork: ({ sessionId, nativeId }, at) => fork({ nativeId, storedId: storedIdOf(sessionId), at, now: clock.now() }),
    }),
    ...(holders && { holders }),
    ...(files && {
      nativeFiles: files,
      historyStamp: ({ sessionId }) => files.stamp(storedIdOf(sessionId)),
    }),
    ...(agent.listing ? { listing: agent.listing } : { toldIdOf: storedIdOf }),
    openRecord: ({ sessionId }) => memories.openRecord(sessionId),
  };
}

/** Every process of ours leads a group, in which its descendants are. */
function trackGroups(host: ProcessHost): { readonly host: ProcessHost; readonly groups: ReadonlySet<number> } {
  const groups = new Set<number>();
  function spawn(request: SpawnRequest): HostedProcess {
    const process = host.spawn(request);
    groups.add(process.pid);
    void process.exited.then(() => groups.delete(process.pid));
    return process;
  }
  return { host: { ...host, spawn }, groups };
}
