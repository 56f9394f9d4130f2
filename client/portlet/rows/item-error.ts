import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { h, setText } from '../../shared/dom.ts';
import { readable } from '../../shared/markdown/visible-characters.ts';
import type { View } from './view.ts';

/** Why an item did not end well, in one line below it. */
export function createItemError(): View<UpsertObject> {
  const element = h('p', { class: 'item-error', hidden: true });
  return {
    element,
    update({ status, errorCode, errorMessage }) {
      element.hidden = status !== 'error';
      if (status !== 'error') return;
      const wasRetried = errorCode === 'STREAM_RETRIED';
      element.classList.toggle('is-quiet', wasRetried || errorCode === 'CANCELLED');
      if (wasRetried) setText(element, 'The connection to the model broke here. The agent started again.');
      else setText(element, readable(errorMessage ?? 'This part ended with an error.'));
    },
  };
}
