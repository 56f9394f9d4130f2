import { h } from '../../shared/dom.ts';
import { agentLabelOf, type PageState } from './page-state.ts';

export type PlaceholderKind = 'none' | 'loading' | 'empty';

/** A skeleton while the conversation loads, and hints if it is empty. */
export function drawPlaceholder(kind: PlaceholderKind, state: PageState): Node[] {
  if (kind === 'loading') return [drawSkeleton()];
  if (kind === 'empty') return [drawEmpty(state)];
  return [];
}

function drawSkeleton(): HTMLElement {
  const lines = ['user', 'long', 'most', 'short', 'user', 'most', 'short'];
  return h(
    'div',
    { class: 'skeleton' },
    h('p', { class: 'visually-hidden' }, 'Loading the conversation'),
    ...lines.map((line) => h('div', { class: `skeleton-line ${line}`, 'aria-hidden': true })),
  );
}

function drawEmpty(state: PageState): HTMLElement {
  const path = state.info?.projectPath ?? '';
  return h(
    'div',
    { class: 'empty' },
    h('h2', {}, `Start a conversation with ${agentLabelOf(state)}`),
    path !== '' && h('p', {}, 'It works in ', h('code', {}, path), ' and can read, edit and run what is there.'),
    h(
      'ul',
      {},
      h('li', {}, 'Say what you want done, and where: \u201CThe login redirect loops, see src/login.ts\u201D.'),
      h('li', {}, 'Ask it to run the tests, or to explain a file.'),
      h('li', {}, h('kbd', {}, 'Esc'), ' cancels the current turn; what was written so far stays.'),
    ),
  );
}
