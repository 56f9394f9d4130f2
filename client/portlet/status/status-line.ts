import { h, setText } from '../../shared/dom.ts';
import { escapeInvisible } from '../../shared/escape-invisible.ts';
import { icon } from '../../shared/icons.ts';
import { describeWork, type Work } from '../model/work.ts';
import { agentLabelOf, describeState, type PageState } from './page-state.ts';

/** The line below the message field: agent, status, how permissions are answered, and keys. */
export function createStatusLine(now: () => number) {
  const dot = h('span', { class: 'agent-dot' });
  const text = h('span');
  const agent = h('span', { class: 'agent-state' }, dot, icon('spinner'), text);
  const demo = h('span', { class: 'demo', hidden: true }, 'Demo');
  const whileReady = h('span', {}, h('kbd', {}, 'Enter'), ' sends, ', h('kbd', {}, 'Shift+Enter'), ' new line');
  const whileWorking = h('span', { hidden: true }, h('kbd', {}, 'Esc'), ' cancels');
  const element = h(
    'div',
    { class: 'status-line' },
    agent,
    demo,
    h('span', { class: 'permissions' }, 'Permissions are answered automatically'),
    h('span', { class: 'keys' }, whileReady, whileWorking),
  );
  return {
    element,
    update(state: PageState, work: Work | undefined): void {
      dot.dataset.agent = state.info?.cliType ?? '';
      const status = work === undefined ? describeState(state) : describeWork(work, now());
      setText(text, `${escapeInvisible(agentLabelOf(state))} \u00B7 ${status}`);
      agent.classList.toggle('working', work !== undefined);
      whileReady.hidden = work !== undefined;
      whileWorking.hidden = work === undefined || work.isCancelling;
      demo.hidden = state.info?.demo !== true;
    },
  };
}
