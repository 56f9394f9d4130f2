import { randomUUID } from 'node:crypto';
import { fromCanonical, type SessionId } from '../../../shared/ids.ts';
import { type Clock, systemClock } from '../../clock.ts';
import type { Driver } from '../../engine/driver.ts';
import { type DecidePermission, decidePermission as decideByAccess, NORMAL_ACCESS } from '../../engine/permission.ts';
import type { ProcessHost } from '../../processes/index.ts';
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
  const { clock = systemClock, newId = randomUUID, decidePermission = decideByAccess } = deps;

  return {
    cliType,
    label,
    traits: {
      sharedProcess: true,
      historyWithoutProcess: readHistory !== undefined,
      takesMessagesWhileBusy: false,
      leavesOutProjectSettings: false,
      spare: false,
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
      return startAcpProcess({ ...deps, clock, newId, decidePermission, aliases, memories, started });
    },
    async readAccess({ projectDir, withoutProjectSettings }) {
      const read = await agent.readAccess?.(withoutProjectSettings ? undefined : projectDir);
      return read?.access ?? NORMAL_ACCESS;
    },
    ...(readHistory && {
      readHistory: ({ sessionId, nativeId, projectDir }, home) =>
        readHistory({ sessionId, nativeId, storedId: storedIdOf(sessionId), projectDir, now: clock.now(), home }),
    }),
    ...(files && {
      nativeFiles: files,
      historyStamp: ({ sessionId }) => files.stamp(storedIdOf(sessionId)),
    }),
    ...(agent.listing && { listing: agent.listing }),
    openRecord: ({ sessionId }) => memories.openRecord(sessionId),
  };
}
