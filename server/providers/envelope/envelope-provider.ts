import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CliType, fromCanonical, type SessionId, sessionIdSchema, toCanonical } from '../../../shared/ids.ts';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import type { ProcessHost } from '../../processes/index.ts';
import { findProgram } from '../find-program.ts';
import { createListeners } from '../../engine/listeners.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import type { CliProvider, ProviderSession, ProviderStatus } from '../../engine/provider-types.ts';
import { createSessionListeners } from '../../engine/session-listeners.ts';
import { startAgentProcess } from './agent-process.ts';
import { createEnvelopeSession, type EnvelopeSession } from './envelope-session.ts';
import { type LoadedTranscript, loadTranscript } from './load-transcript.ts';
import { createTranscript, openTranscript, removeTranscript, type Transcript } from './transcript.ts';

export interface EnvelopeProviderOptions {
  readonly cliType: CliType;
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly env: NodeJS.ProcessEnv;
  /** Where the server keeps its data. Transcripts go to `envelope/<cliType>` in it. */
  readonly dataDir: string;
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Logger;
  readonly maxLineBytes?: number;
  /** When a silent turn is given up; never while a tool runs. */
  readonly promptTimeoutMs?: number;
  /** How long the agent may take to end a cancelled turn before its process is killed. */
  readonly cancelGraceMs?: number;
}

const DEFAULT_MAX_LINE_BYTES = 1024 * 1024;
const DEFAULT_CANCEL_GRACE_MS = 3_000;
const DEFAULT_PROMPT_TIMEOUT_MS = 600_000;

/** Any program that prints canonical stream events and reads messages, one JSON object a line each way. */
export function createEnvelopeProvider(options: EnvelopeProviderOptions): CliProvider {
  const { cliType, label, command, args, env, host, clock, newId, log } = options;
  const {
    maxLineBytes = DEFAULT_MAX_LINE_BYTES,
    cancelGraceMs = DEFAULT_CANCEL_GRACE_MS,
    promptTimeoutMs = DEFAULT_PROMPT_TIMEOUT_MS,
  } = options;
  const onFailure = (error: unknown) => log.error({ err: error, cliType }, 'a listener failed');
  const listeners = createSessionListeners(onFailure);
  const statusListeners = createListeners<ProviderStatus>(onFailure);
  const sessions = new Map<SessionId, EnvelopeSession>();
  const closing = new Map<SessionId, Promise<void>>();

  const pathOf = (sessionId: SessionId) =>
    join(options.dataDir, 'envelope', cliType, `${fromCanonical(sessionId).nativeId}.jsonl`);

  function addSession(sessionId: SessionId, projectDir: string, transcript: Transcript, firstOrder: number) {
    const session = createEnvelopeSession({
      sessionId,
      label,
      clock,
      transcript,
      firstOrder,
      cancelGraceMs,
      promptTimeoutMs,
      startProcess: (output) =>
        startAgentProcess({
          host,
          maxLineBytes,
          ...output,
          request: {
            command,
            args,
            cwd: projectDir,
            env: { ...env, LIMINAL_SESSION_ID: sessionId, LIMINAL_TRANSCRIPT: transcript.path },
            label,
          },
        }),
      onUpsert: listeners.emitUpsert,
      onTurn: listeners.emitTurn,
      onState: (state) => statusListeners.emit({ cliType, sessionId, ...state }),
      log: (message) => log.warn({ sessionId }, message),
    });
    sessions.set(sessionId, session);
    return session;
  }

  function sessionOf(sessionId: SessionId): EnvelopeSession {
    const session = sessions.get(sessionId);
    if (session !== undefined) return session;
    throw new ProviderError('SESSION_NOT_FOUND', 'This session is not open. Open it, then try again.');
  }

  async function readTranscript(sessionId: SessionId, neverUsed: boolean): Promise<LoadedTranscript> {
    const isOurs = sessionIdSchema.safeParse(sessionId).success && fromCanonical(sessionId).cliType === cliType;
    const loaded = isOurs
      ? await loadTranscript(openTranscript(pathOf(sessionId)), sessionId, sessions.get(sessionId)?.unsaved())
      : undefined;
    if (loaded !== undefined) return loaded;
    if (isOurs && neverUsed) return { transcript: createTranscript(pathOf(sessionId)), history: [], nextOrder: 0 };
    throw new ProviderError('SESSION_NOT_FOUND', `There is no transcript of this session with ${label} any more.`);
  }

  return {
    cliType,
    label,

    async createSession({ projectDir }): Promise<ProviderSession> {
      await requireDirectory(projectDir);
      const sessionId = toCanonical(cliType, newId());
      const session = addSession(sessionId, projectDir, createTranscript(pathOf(sessionId)), 0);
      try {
        await session.start();
      } catch (error) {
        sessions.delete(sessionId);
        removeTranscript(session.transcript.path);
        throw error;
      }
      return { sessionId, cliType, history: [] };
    },

    async loadSession(sessionId, { projectDir, neverUsed = false }): Promise<ProviderSession> {
      await closing.get(sessionId);
      const { transcript, history, nextOrder } = await readTranscript(sessionId, neverUsed);
      if (!sessions.has(sessionId)) addSession(sessionId, projectDir, transcript, nextOrder);
      return { sessionId, cliType, history };
    },

    async sendMessage(sessionId, message, { turnId = newId() } = {}) {
      await sessionOf(sessionId).send(turnId, message);
      return { turnId };
    },

    async cancelTurn(sessionId) {
      await sessions.get(sessionId)?.cancel();
    },

    async killSession(sessionId) {
      const session = sessions.get(sessionId);
      if (session === undefined) return closing.get(sessionId);
      sessions.delete(sessionId);
      const closed = session.close('killed').finally(() => closing.delete(sessionId));
      closing.set(sessionId, closed);
      await closed;
    },

    stopBackground: async () => {},
    isAlive: (sessionId) => sessions.get(sessionId)?.isAlive() ?? false,
    onUpsert: listeners.onUpsert,
    onTurn: listeners.onTurn,
    onStatus: statusListeners.add,
    statuses: () => [...sessions].map(([sessionId, { state }]) => ({ cliType, sessionId, ...state })),

    async reconnect(sessionId) {
      if (sessionId !== undefined) await sessionOf(sessionId).start();
    },

    async checkAvailability() {
      if (findProgram(command, env.PATH) !== undefined) return { cliType, label, available: true };
      const reason = `The command "${command}" was not found. Install it, or correct it in agents.json.`;
      return { cliType, label, available: false, reason };
    },

    warmUp: async () => {},

    async close() {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all([...open.map((session) => session.close('shutdown')), ...closing.values()]);
    },
  };
}

async function requireDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) {
    throw new ProviderError(
      'PROJECT_PATH_INVALID',
      `The project directory ${path} does not exist. Restore it, or choose another.`,
    );
  }
}
