import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { h, setText } from '../../../shared/dom.ts';
import { readable } from '../../../shared/escape-invisible.ts';
import type { View } from '../../base/view.ts';

/** Failures of the whole turn: its end tells what happened, the item only that it is not whole. */
const TOLD_BY_THE_TURN = new Set(['PROCESS_CRASH', 'TURN_TIMEOUT', 'MODEL_ERROR', 'AGENT_NOT_SIGNED_IN']);

/** Why an item did not end well, in one line below it. */
export function createItemError(): View<UpsertObject> {
  const element = h('p', { class: 'item-error', hidden: true });
  return {
    element,
    update({ status, errorCode, errorMessage }) {
      element.hidden = status !== 'error';
      if (status !== 'error') return;
      const wasRetried = errorCode === 'STREAM_RETRIED';
      const isTold = TOLD_BY_THE_TURN.has(errorCode ?? '');
      element.classList.toggle('is-quiet', wasRetried || isTold || errorCode === 'CANCELLED');
      if (wasRetried) setText(element, 'The connection to the model broke here. The agent started again.');
      else if (isTold) setText(element, 'Not finished.');
      else setText(element, readable(errorMessage ?? 'This part ended with an error.'));
    },
  };
}
