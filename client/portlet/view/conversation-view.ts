import { h, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { Environment } from '../base/environment.ts';
import { oncePerFrame } from '../base/once-per-frame.ts';
import type { Conversation } from '../model/conversation.ts';
import { createFollow } from './follow.ts';
import { createMountedRows } from './mounted-rows.ts';
import { createOlderRows } from './older-rows.ts';
import type { RowContext } from './rows/row-context.ts';
import { createRowView } from './rows/row-view.ts';

export interface ConversationView {
  readonly element: HTMLElement;
  /** Shown above the rows, for a conversation that is loading or empty. */
  readonly placeholder: HTMLElement;
  /** Shown below the rows. */
  readonly tail: HTMLElement;
  rowChanged(key: string): void;
  rowsChanged(): void;
  /** The page became visible. */
  shown(): void;
  toBottom(): void;
  /** Older entries are being loaded. */
  setLoadingOlder(isLoading: boolean): void;
  /** Asks for older entries if the user is near the top. */
  checkOlder(): void;
  dispose(): void;
}

export interface ConversationViewOptions {
  readonly conversation: Conversation;
  readonly context: RowContext;
  readonly env: Environment;
  /** The user is near the oldest entry. */
  readonly onTop: () => void;
}

/** Rows drawn when a conversation is opened: enough to fill a screen, and quick to draw. */
const FIRST_COUNT = 16;
/** How long building rows may take at once. */
const FRAME_MS = 40;

/** The rows of the conversation in a scrolling log, drawn at most once per frame. */
export function createConversationView(options: ConversationViewOptions): ConversationView {
  const { conversation, context, env, onTop } = options;
  const placeholder = h('div', { class: 'placeholder' });
  const list = h('div', { class: 'rows' });
  const tail = h('div', { class: 'below-rows' });
  const column = h('div', { class: 'column' }, placeholder, list, tail);
  const log = h('div', { class: 'log', role: 'log', 'aria-label': 'Conversation', tabindex: '0' }, column);
  const down = h(
    'button',
    { type: 'button', class: 'to-bottom', 'aria-label': 'Scroll to bottom', hidden: true },
    icon('arrowDown'),
  );
  const loadingOlder = h('div', { class: 'loading-older' });
  const element = h('div', { class: 'conversation' }, log, loadingOlder, down);

  const follow = createFollow(log, column, (following) => {
    down.hidden = following;
  });
  down.addEventListener('click', () => {
    follow.toBottom();
    log.focus();
  });

  const startFrame = () => {
    const start = env.now();
    return () => env.now() - start < FRAME_MS;
  };
  const mounted = createMountedRows({
    list,
    createView: (row) => createRowView(row, context),
    firstCount: FIRST_COUNT,
    startFrame,
    insertAbove: follow.keepPlace,
  });
  const older = createOlderRows({
    scroller: log,
    env,
    olderCount: mounted.olderCount,
    mountOlder: mounted.mountOlder,
    startFrame,
    onTop,
    mayUseIdleTime: () => log.clientHeight > 0 && conversation.runningSince() === undefined,
  });

  let changed = new Set<string>();
  let hasOtherRows = false;

  const requestDraw = oncePerFrame(env, () => {
    const current = changed;
    changed = new Set();
    if (hasOtherRows) {
      mounted.draw(conversation.rows(), current);
      older.check();
    } else mounted.drawChanged(current);
    hasOtherRows = false;
    follow.afterDraw();
  });

  return {
    element,
    placeholder,
    tail,
    rowChanged(key) {
      changed.add(key);
      requestDraw();
    },
    rowsChanged() {
      hasOtherRows = true;
      requestDraw();
    },
    shown() {
      follow.stay();
      older.check();
    },
    toBottom: follow.toBottom,
    setLoadingOlder(isLoading) {
      setText(loadingOlder, isLoading ? 'Loading older messages\u2026' : '');
      log.setAttribute('aria-busy', String(isLoading));
    },
    checkOlder: older.check,
    dispose: follow.dispose,
  };
}
