import type { Work } from '../model/work.ts';
import type { Environment } from '../base/environment.ts';
import { createAnnouncer } from './announcer.ts';
import { createBanner } from './banner.ts';
import { type BannerActions, bannerOf, type PageState, retryIn } from './page-state.ts';
import { drawPlaceholder, type PlaceholderKind } from './placeholder.ts';
import { createStatusLine } from './status-line.ts';

export interface PageStatusOptions extends BannerActions {
  readonly env: Pick<Environment, 'now' | 'after'>;
  /** Where the outline of a loading conversation or the words for an empty one go. */
  readonly placeholder: HTMLElement;
  readonly isEmpty: () => boolean;
}

/** A loading history is outlined only when it takes longer than this. */
const SKELETON_AFTER = 150;
const RESYNCED_FOR = 4_000;

/** Keeps what is known around the conversation and shows it: banner, status line, placeholder, announcements. */
export function createPageStatus({ env, placeholder, isEmpty, ...actions }: PageStatusOptions) {
  let state: PageState = {
    info: undefined,
    agent: undefined,
    agentSince: env.now(),
    connection: 'connecting',
    isLoading: true,
    error: undefined,
    isResynced: false,
  };
  let work: Work | undefined;
  let wasDisconnected = false;
  let isSkeletonDue = false;
  let shown: PlaceholderKind = 'none';
  let stopCounting: (() => void) | undefined;
  const banner = createBanner();
  const statusLine = createStatusLine(env.now);
  const announcer = createAnnouncer();

  function drawPlaceholderIfNeeded(): void {
    const kind = placeholderOf();
    if (kind === shown && kind !== 'empty') return;
    shown = kind;
    placeholder.replaceChildren(...drawPlaceholder(kind, state));
  }

  function placeholderOf(): PlaceholderKind {
    if (!isEmpty()) return 'none';
    if (!state.isLoading) return 'empty';
    return isSkeletonDue && state.error === undefined ? 'loading' : 'none';
  }

  /** The seconds until the agent is started again are counted down. */
  function countDown(): void {
    stopCounting?.();
    stopCounting = retryIn(state, env.now()) === 0 ? undefined : env.after(1000, draw);
  }

  function draw(): void {
    banner.update(bannerOf(state, env.now(), actions));
    countDown();
    statusLine.update(state, work);
    drawPlaceholderIfNeeded();
  }

  function change(changes: Partial<PageState>): void {
    state = { ...state, ...changes, ...(changes.agent && { agentSince: env.now() }) };
    if (state.connection === 'reconnecting' || state.connection === 'disconnected') wasDisconnected = true;
    draw();
  }

  const stopWaiting = env.after(SKELETON_AFTER, () => {
    isSkeletonDue = true;
    drawPlaceholderIfNeeded();
  });

  return {
    banner: banner.element,
    statusLine: statusLine.element,
    announcer: announcer.element,
    announce: announcer.say,
    state: () => state,
    change,
    setWork(next: Work | undefined): void {
      work = next;
      draw();
    },
    /** The whole conversation is here; after a lost connection that is worth saying. */
    loaded(): void {
      change({ isLoading: false, error: undefined });
      if (!wasDisconnected || state.connection !== 'connected') return;
      wasDisconnected = false;
      announcer.say('Connected again.');
      change({ isResynced: true });
      env.after(RESYNCED_FOR, () => change({ isResynced: false }));
    },
    dispose(): void {
      stopWaiting();
      stopCounting?.();
    },
  };
}
