import { h } from '../../../shared/dom.ts';

/** The line above a run of items that the model does not have. The reason is one click away. */
export function drawNotInContext(): HTMLElement {
  return h(
    'details',
    { class: 'row not-in-context' },
    h('summary', {}, 'The model does not have this part.'),
    h(
      'p',
      {},
      'It was shown here, but it is not in what the agent stored, so the next answer is written without it. Repeat in your next message what the model needs to know.',
    ),
  );
}
