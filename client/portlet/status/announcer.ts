import type { TurnEvent } from '../../../shared/stream-contracts.ts';
import { h, setText } from '../../shared/dom.ts';

/** Says to a screen reader what the eye sees by itself: once when a turn ends, not with every word. */
export function createAnnouncer() {
  const element = h('div', { class: 'visually-hidden', role: 'status' });
  return { element, say: (text: string): void => setText(element, text) };
}

export function describeTurnEnd(event: TurnEvent, agentLabel: string): string | undefined {
  switch (event.type) {
    case 'turn_started':
      return undefined;
    case 'turn_complete':
      return event.status === 'cancelled' ? `${agentLabel} was stopped.` : `${agentLabel} has finished.`;
    case 'turn_error':
      return `${agentLabel} failed. ${event.errorMessage}`;
  }
}
