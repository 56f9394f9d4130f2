import type { Context, Holder } from '../../../shared/entities.ts';
import type { ErrorBody } from '../../../shared/errors.ts';
import type { ConnectionState, ShellToPortlet } from '../../../shared/portlet-messages.ts';
import type { TurnEvent } from '../../../shared/stream-contracts.ts';
import type { SnapshotLoss } from '../model/snapshot-loss.ts';
import type { BannerValue } from './banner.ts';

type MessageOf<T extends ShellToPortlet['type']> = Extract<ShellToPortlet, { type: T }>;

/** The state of everything around the conversation. */
export interface PageState {
  readonly info: MessageOf<'session:info'> | undefined;
  readonly agent: MessageOf<'agent:status'> | undefined;
  /** When `agent` was received. */
  readonly agentSince: number;
  readonly connection: ConnectionState;
  /** The history has not arrived yet. */
  readonly isLoading: boolean;
  readonly error: ErrorBody | undefined;
  /** The page was just connected again: what was lost meanwhile, or `sending` if a message still has to be sent. */
  readonly resynced: SnapshotLoss | 'sending' | undefined;
  /** Set if the agent no longer has the conversation. */
  readonly missing: Missing | undefined;
  /** Another program that has the session open. */
  readonly heldBy: Holder | undefined;
  /** What the model is given with the next message; undefined while that is not known. */
  readonly context: Context | undefined;
  /** The user asked to stop all background work, some of which still runs. */
  readonly isStoppingAll: boolean;
}

/** What is being done about a transcript that is missing: nothing yet, or it is put back, or that failed. */
export type Missing = 'told' | 'putting-back' | ErrorBody;

export interface BannerActions {
  readonly putBack: () => void;
  readonly reconnect: () => void;
  readonly reload: () => void;
  readonly trust: () => void;
}

export const agentLabelOf = ({ info }: PageState): string => info?.agentLabel ?? 'Agent';

/** What a screen reader hears when a turn ends. Its text is not announced while it streams. */
export function describeTurnEnd(event: TurnEvent, agentLabel: string): string | undefined {
  switch (event.type) {
    case 'turn_started':
    case 'turn_receipt':
      return undefined;
    case 'turn_complete':
      return event.status === 'cancelled' ? `${agentLabel} was stopped.` : `${agentLabel} has finished.`;
    case 'turn_error':
      return `${agentLabel} failed. ${event.errorMessage}`;
  }
}

/** The error that some entries of the conversation do not match the schema. */
export function unreadableEntries(count: number): ErrorBody {
  const entries = count === 1 ? '1 entry' : `${count} entries`;
  return {
    code: 'PROTOCOL_ERROR',
    message: `${entries} of this conversation could not be read. Reload the page; if that does not help, update Liminal Builder.`,
  };
}

/** The most important thing to tell the user, if there is any. */
export function bannerOf(state: PageState, now: number, actions: BannerActions): BannerValue | undefined {
  const { agent, connection, error, isLoading, missing, resynced } = state;
  const { reconnect, reload } = actions;
  const label = agentLabelOf(state);
  if (connection === 'reconnecting' || connection === 'disconnected') {
    return { tone: 'warning', text: 'The connection to the server is lost. Reconnecting\u2026', isBusy: true };
  }
  if (error !== undefined) {
    const button = isLoading ? { label: 'Try again', onClick: reload } : { label: 'Reconnect', onClick: reconnect };
    return { tone: 'error', text: error.message, button };
  }
  if (missing !== undefined) return describeMissing(missing, label, actions.putBack);
  switch (agent?.status) {
    case 'starting':
      return { tone: 'quiet', text: `${label} is starting\u2026`, isBusy: true };
    case 'reconnecting':
      return { tone: 'warning', text: describeRetry(label, agent, retryIn(state, now)), isBusy: true };
    case 'disconnected':
      return {
        tone: 'error',
        text: agent.message ?? `${label} is not running.`,
        button: { label: 'Reconnect', onClick: reconnect },
      };
    default:
      return resynced === undefined ? describeUntrusted(state, actions.trust) : RESYNCED[resynced];
  }
}

export const RESYNCED: Readonly<Record<NonNullable<PageState['resynced']>, BannerValue>> = {
  none: { tone: 'success', text: 'Connected again. Everything is up to date.' },
  sending: { tone: 'quiet', text: 'Connected again. Sending your message\u2026', isBusy: true },
  stopped: { tone: 'warning', text: 'Connected again. The server stopped before the turn was finished.' },
  shown: { tone: 'warning', text: 'Connected again, but not everything that was shown here could be kept.' },
};

function describeMissing(missing: Missing, label: string, putBack: () => void): BannerValue {
  if (missing === 'putting-back') return { tone: 'quiet', text: 'Putting the conversation back\u2026', isBusy: true };
  const button = { label: 'Put back and continue', onClick: putBack };
  if (missing === 'told') {
    const text = `${label} has deleted its transcript of this conversation. It is kept here; put it back to go on with it.`;
    return { tone: 'warning', text, button };
  }
  if (missing.code === 'NOT_KEPT') {
    const text = `${label} has deleted its transcript of this conversation, and there is no copy to put back. You can read it here, but not go on with it.`;
    return { tone: 'warning', text };
  }
  return { tone: 'error', text: `It could not be put back. ${missing.message}`, button };
}

function describeUntrusted(state: PageState, trust: () => void): BannerValue | undefined {
  const label = agentLabelOf(state);
  const button = { label: 'Trust…', onClick: trust };
  switch (state.info?.untrusted) {
    case 'left-out':
      return { tone: 'quiet', text: `${label} runs without this directory’s own settings: it is not trusted.`, button };
    case 'not-started':
      return { tone: 'warning', text: `${label} is not started here: the directory is not trusted.`, button };
    default:
      return undefined;
  }
}

/** Seconds until the agent is restarted; 0 if that is now or unknown. */
export function retryIn({ agent, agentSince }: PageState, now: number): number {
  if (agent?.status !== 'reconnecting' || agent.retryInMs === undefined) return 0;
  return Math.max(0, Math.round((agentSince + agent.retryInMs - now) / 1000));
}

function describeRetry(
  label: string,
  { attempt, maxAttempts }: MessageOf<'agent:status'>,
  secondsLeft: number,
): string {
  const count = attempt === undefined ? '' : `, attempt ${attempt} of ${maxAttempts ?? 5}`;
  const pause = secondsLeft === 0 ? '' : `, in ${secondsLeft} s`;
  return `${label} ended unexpectedly. Starting it again${count}${pause}\u2026`;
}

/** How many background tasks run; 0 while that is not known. */
export function backgroundOf({ info, connection, isLoading }: PageState): number {
  return connection === 'connected' && !isLoading ? (info?.background ?? 0) : 0;
}

/**
 * The text after the agent's name below the message field while no turn is running. Empty if the agent would be ready
 * but works in the background.
 */
export function describeState(state: PageState): string {
  const { agent, connection, error, isLoading, missing } = state;
  if (connection !== 'connected') return connection === 'connecting' ? 'connecting' : 'offline';
  if (isLoading) return error === undefined ? 'loading' : 'not loaded';
  if (missing !== undefined) return 'does not have this conversation';
  switch (agent?.status) {
    case 'starting':
      return 'starting';
    case 'reconnecting':
      return 'reconnecting';
    case 'disconnected':
      return 'not running';
    default:
      if (backgroundOf(state) > 0) return '';
      return agent?.status === 'idle' ? 'asleep, wakes with your next message' : 'ready';
  }
}
