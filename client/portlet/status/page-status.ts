import { createAnnouncer } from '../../shared/announcer.ts';
import type { Environment } from '../base/environment.ts';
import { oncePerFrame } from '../base/once-per-frame.ts';
import type { Work } from '../model/work.ts';
import { createBanner } from './banner.ts';
import { type BannerActions, bannerOf, type PageState, RESYNCED, retryIn } from './page-state.ts';
import { drawPlaceholder, type PlaceholderKind } from './placeholder.ts';
import { createStatusLine, type StatusLineOptions } from './status-line.ts';

export interface PageStatusOptions extends BannerActions, Omit<StatusLineOptions, 'now'> {
  readonly env: Pick<Environment, 'now' | 'after' | 'requestFrame'>;
  /** Filled with a skeleton while the conversation loads, or with hints if it is empty. */
  readonly placeholder: HTMLElement;
  readonly isEmpty: () => boolean;
}

/** The skeleton appears only if loading takes longer than this. */
const SKELETON_DELAY_MS = 150;
const RESYNCED_SHOWN_MS = 4_000;
/** A page that was hidden for long announces only the last changes when it is shown. */
const MAX_ANNOUNCEMENTS = 4;

export type PageStatus = ReturnType<typeof createPageStatus>;

/** Holds the page state and shows it in the banner, the status line, the placeholder and announcements. */
export function createPageStatus({ env, placeholder, isEmpty, stopAll, onFocusLost, ...actions }: PageStatusOptions) {
  let state: PageState = {
    info: undefined,
    agent: undefined,
    agentSince: env.now(),
    connection: 'connecting',
    isLoading: true,
    error: undefined,
    resynced: undefined,
    missing: undefined,
    heldBy: undefined,
    context: undefined,
    isStoppingAll: false,
  };
  let work: Work | undefined;
  let wasDisconnected = false;
  let isSkeletonDue = false;
  let shown: PlaceholderKind = 'none';
  let stopCounting: (() => void) | undefined;
  const banner = createBanner();
  const statusLine = createStatusLine({ now: env.now, stopAll, onFocusLost });
  const announcer = createAnnouncer();

  let announcements: readonly string[] = [];
  const sayAnnouncements = oncePerFrame(env, () => {
    announcer.say(announcements.join(' '));
    announcements = [];
  });

  /** Changes of the same frame are said together: otherwise only the last one would be heard. */
  function announce(text: string): void {
    announcements = [...announcements.filter((other) => other !== text), text].slice(-MAX_ANNOUNCEMENTS);
    sayAnnouncements();
  }

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

  const stopWaiting = env.after(SKELETON_DELAY_MS, () => {
    isSkeletonDue = true;
    drawPlaceholderIfNeeded();
  });

  return {
    banner: banner.element,
    statusLine: statusLine.element,
    receipt: statusLine.receipt,
    announcer: announcer.element,
    announce,
    state: () => state,
    change,
    setWork(next: Work | undefined): void {
      work = next;
      draw();
    },
    /** The history has arrived. */
    loaded(): void {
      change({ isLoading: false, error: undefined });
    },
    /** The page shows the present state. After a lost connection, the user is told so, and what was lost. */
    caughtUp(resynced: NonNullable<PageState['resynced']>): void {
      if (!wasDisconnected || state.connection !== 'connected') return;
      wasDisconnected = false;
      announce(resynced === 'none' ? 'Connected again.' : RESYNCED[resynced].text);
      change({ resynced });
      // A warning stays until the user goes on.
      if (resynced === 'none' || resynced === 'sending')
        env.after(RESYNCED_SHOWN_MS, () => change({ resynced: undefined }));
    },
    dispose(): void {
      stopWaiting();
      stopCounting?.();
    },
  };
}
