import { h, setText } from '../../shared/dom.ts';
import { readable } from '../../shared/escape-invisible.ts';
import { describeWork, type Work } from '../model/work.ts';
import { sign } from '../signs.ts';
import { agentLabelOf, type PageState, stateWordOf } from './page-state.ts';

/** Below the message field: which agent, how it stands, and who answers its permission requests. */
export function createStatusLine(now: () => number) {
  const mark = h('span', { class: 'agent-mark' });
  const text = h('span');
  const agent = h('span', { class: 'agent-state' }, mark, sign('running'), text);
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
      mark.dataset.agent = state.info?.cliType ?? '';
      const word = work === undefined ? stateWordOf(state) : describeWork(work, now());
      setText(text, `${readable(agentLabelOf(state))} \u00B7 ${word}`);
      agent.classList.toggle('working', work !== undefined);
      whileReady.hidden = work !== undefined;
      whileWorking.hidden = work === undefined || work.isCancelling;
      demo.hidden = state.info?.demo !== true;
    },
  };
}
