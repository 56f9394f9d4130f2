import type { SessionListItem } from '../../../shared/entities.ts';
import { h, setAttribute } from '../../shared/dom.ts';
import { holderFacts, holderPlace } from '../../shared/holder-text.ts';
import { icon } from '../../shared/icons.ts';

/** Says that a session is from a terminal, or is open in one now. Hidden where there is nothing to say. */
export function createTerminalMark() {
  const element = h('span', { class: 'terminal-mark', role: 'img', hidden: true }, icon('terminal'));
  return {
    element,
    render(session: SessionListItem, now: number): void {
      const text = describe(session, now);
      element.hidden = text === '';
      element.dataset.held = session.heldBy === undefined ? 'no' : session.heldBy.certain ? 'yes' : 'maybe';
      setAttribute(element, 'aria-label', text);
      setAttribute(element, 'title', text);
    },
  };
}

function describe({ source, heldBy }: SessionListItem, now: number): string {
  if (heldBy === undefined) return source === 'terminal' ? 'From a terminal' : '';
  return [holderPlace(heldBy), holderFacts(heldBy, now)].filter(Boolean).join(': ');
}
