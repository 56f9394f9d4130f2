import { join } from 'node:path';
import type { CliType, SessionId } from '../../../shared/ids.ts';
import { type Clock, systemClock } from '../../clock.ts';
import { createProvider, type EngineOptions } from '../../engine/create-provider.ts';
import type { Driver, SessionTarget } from '../../engine/driver.ts';
import type { CliProvider } from '../../engine/provider-types.ts';
import type { Logger } from '../../log.ts';
import type { ProcessHost } from '../../processes/index.ts';
import type { WhatRuns } from '../../trust/index.ts';
import { findProgram } from '../find-program.ts';
import { requireDirectory } from '../require-directory.ts';
import { type ConversationRecord, createConversationRecord } from './conversation-record.ts';
import { toStartError } from './envelope-errors.ts';
import { startEnvelopeProcess } from './envelope-process.ts';
import { createTranscript, loadTranscript, openTranscript, removeTranscript, type Transcript } from './transcript.ts';

export interface EnvelopeDriverOptions {
  readonly cliType: CliType;
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly env: NodeJS.ProcessEnv;
  /** Where the server keeps its data. Transcripts go to `envelope/<cliType>` in it. */
  readonly dataDir: string;
  readonly host: ProcessHost;
  /** Lists what the settings of a directory would run in it. */
  readonly whatRuns: WhatRuns;
  readonly clock?: Clock;
  readonly maxLineBytes?: number;
}

export interface EnvelopeProviderOptions extends EnvelopeDriverOptions, Pick<EngineOptions, 'allowedIn'> {
  readonly newId?: () => string;
  readonly log: Logger;
  readonly promptTimeoutMs?: number;
  readonly cancelGraceMs?: number;
  readonly startTimeoutMs?: number;
  readonly sleepAfterMs?: number;
  readonly maxAwake?: number;
}

const DEFAULT_MAX_LINE_BYTES = 1024 * 1024;

export function createEnvelopeProvider(options: EnvelopeProviderOptions): CliProvider {
  const { cliType, log } = options;
  return createProvider(createEnvelopeDriver(options), {
    ...options,
    onProblem: (message, error) => log.warn({ err: error, agent: cliType }, message),
  });
}

/** Any program that prints canonical stream events and reads messages, one JSON object a line each way. */
export function createEnvelopeDriver(options: EnvelopeDriverOptions): Driver {
  const { cliType, label, command, args, env, host, clock = systemClock } = options;
  const { maxLineBytes = DEFAULT_MAX_LINE_BYTES } = options;
  const records = new Map<SessionId, ConversationRecord>();
  const nextOrders = new Map<SessionId, number>();
  const knownTurns = new Map<SessionId, Set<string>>();

  const pathOf = ({ nativeId }: Pick<SessionTarget, 'nativeId'>) =>
    join(options.dataDir, 'envelope', cliType, `${nativeId}.jsonl`);

  function turnsOf(sessionId: SessionId): Set<string> {
    const turns = knownTurns.get(sessionId) ?? new Set();
    knownTurns.set(sessionId, turns);
    return turns;
  }

  return {
    cliType,
    label,
    traits: {
      sharedProcess: false,
      historyWithoutProcess: true,
      takesMessagesWhileBusy: true,
      leavesOutProjectSettings: false,
      spare: false,
    },
    async checkAvailability() {
      if (findProgram(command, env.PATH) !== undefined) return { cliType, label, available: true };
      const reason = `The command "${command}" was not found. Install it, or correct it in agents.json.`;
      return { cliType, label, available: false, reason };
    },
    checkStart: requireDirectory,
    whatRuns: options.whatRuns,
    prepare: async () => {},

    async launch(session) {
      if (session === undefined) throw new Error('Each session of an envelope agent has its own process.');
      const { sessionId, nativeId, projectDir } = session;
      try {
        return startEnvelopeProcess({
          host,
          label,
          maxLineBytes,
          nativeId,
          knownTurns: turnsOf(sessionId),
          request: {
            command,
            args,
            cwd: projectDir,
            env: { ...env, LIMINAL_SESSION_ID: sessionId, LIMINAL_TRANSCRIPT: pathOf(session) },
            label,
          },
        });
      } catch (error) {
        throw toStartError(label, error);
      }
    },

    async readHistory(session) {
      const { sessionId } = session;
      const loaded = await loadTranscript(
        openTranscript(pathOf(session)),
        sessionId,
        records.get(sessionId)?.unsaved(),
      );
      if (loaded === undefined) return undefined;
      nextOrders.set(sessionId, loaded.nextOrder);
      return loaded.history;
    },

    openRecord(session, notify) {
      const { sessionId } = session;
      const firstOrder = nextOrders.get(sessionId);
      const transcript: Transcript = (firstOrder === undefined ? createTranscript : openTranscript)(pathOf(session));
      const record = createConversationRecord({
        transcript,
        firstOrder: firstOrder ?? 0,
        clock,
        onFailure: (error) => notify(notSaved(error)),
        onRecovery: () => notify('This conversation is saved again, with everything that was missing.'),
      });
      records.set(sessionId, record);
      return {
        ...record,
        close() {
          record.close();
          records.delete(sessionId);
          nextOrders.delete(sessionId);
          knownTurns.delete(sessionId);
        },
      };
    },

    async deleteConversation(session) {
      removeTranscript(pathOf(session));
      return undefined;
    },

    discard: (session) => removeTranscript(pathOf(session)),
  };
}

function notSaved(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `This conversation cannot be saved at the moment (${reason}). Check free space and permissions of the data directory. It is tried again every few seconds; what is not saved when the server stops is lost.`;
}
