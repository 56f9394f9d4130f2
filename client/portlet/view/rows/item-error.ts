import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { h } from '../../../shared/dom.ts';
import type { View } from '../../base/view.ts';
import { drawClipped } from '../text/clipped-text.ts';

/** Failures of the whole turn. The end of the turn explains them; the item only says that it is not finished. */
const TURN_FAILURES = new Set([
  'PROCESS_CRASH',
  'TURN_TIMEOUT',
  'MODEL_ERROR',
  'AGENT_NOT_SIGNED_IN',
  'SERVER_STOPPED',
]);

/** A line below an item that explains why it failed. Background work does not end with its turn, so it always does. */
export function createItemError(): View<UpsertObject> {
  const element = h('p', { class: 'item-error', hidden: true });
  let shown: string | undefined;

  /** Draws only what is new, so that a text that was opened stays open. */
  function show(text: string): void {
    if (text === shown) return;
    shown = text;
    element.replaceChildren(...drawClipped(text));
  }

  return {
    element,
    update(upsert) {
      const { status, errorCode, errorMessage } = upsert;
      element.hidden = status !== 'error' || errorCode === 'STOPPED';
      if (element.hidden) return;
      const isBackground = upsert.type === 'tool_call' && upsert.background === true;
      const wasRetried = errorCode === 'STREAM_RETRIED';
      const isTurnFailure = TURN_FAILURES.has(errorCode ?? '') && !isBackground;
      element.classList.toggle('is-quiet', wasRetried || isTurnFailure || errorCode === 'CANCELLED');
      if (wasRetried) show('The connection to the model broke here. The agent started again.');
      else if (isTurnFailure) show('Not finished.');
      else show(errorMessage ?? 'This part ended with an error.');
    },
  };
}
