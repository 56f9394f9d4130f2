import { h, setText } from '../../shared/dom.ts';
import { readable } from '../../shared/markdown/visible-characters.ts';
import { agentLabelOf, type PageState, stateWordOf } from './page-state.ts';

/** Below the message field: which agent, how it stands, and who answers its permission requests. */
export function createStatusLine() {
  const mark = h('span', { class: 'agent-mark' });
  const agent = h('span', { class: 'agent-state' });
  const demo = h('span', { class: 'demo', hidden: true }, 'Demo');
  const element = h(
    'div',
    { class: 'status-line' },
    mark,
    agent,
    demo,
    h('span', { class: 'permissions' }, 'Permissions are answered automatically'),
    h('span', { class: 'keys' }, h('kbd', {}, 'Enter'), ' sends, ', h('kbd', {}, 'Shift+Enter'), ' new line'),
  );
  return {
    element,
    update(state: PageState): void {
      mark.dataset.agent = state.info?.cliType ?? '';
      setText(agent, `${readable(agentLabelOf(state))} \u00B7 ${stateWordOf(state)}`);
      demo.hidden = state.info?.demo !== true;
    },
  };
}
