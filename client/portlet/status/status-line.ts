import { describeBackgroundTasks } from '../../shared/background-tasks.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { describeWork, type Work } from '../model/work.ts';
import { agentLabelOf, backgroundOf, describeState, type PageState } from './page-state.ts';

const SEPARATOR = ' \u00B7 ';

/** What becomes of the permissions that an agent asks for. */
const PERMISSIONS = {
  normal: 'Permissions are answered automatically',
  plan: 'Plan mode: permissions are denied',
  'read-only': 'Read-only: permissions are denied',
  'never-ask': 'Permissions are denied',
  unknown: '',
} as const;

export interface StatusLineOptions {
  readonly now: () => number;
  readonly stopAll: () => void;
  /** The last background work has ended while the button that stops it had the focus. */
  readonly onFocusLost: () => void;
}

/** The line below the message field: agent, status, background work, how permissions are answered, and keys. */
export function createStatusLine({ now, stopAll, onFocusLost }: StatusLineOptions) {
  const dot = h('span', { class: 'agent-dot' });
  const name = h('span', { class: 'agent-label' });
  const doing = h('span', { class: 'agent-doing' });
  const separator = h('span');
  const tasks = h('span', { id: 'background-tasks' });
  const stop = h('button', {
    type: 'button',
    class: 'quiet stop-all',
    'aria-describedby': tasks.id,
    hidden: true,
    on: { click: stopAll },
  });
  const agent = h(
    'span',
    { class: 'agent-state' },
    dot,
    icon('spinner'),
    h('span', { class: 'agent-text' }, name, doing, separator, tasks),
  );
  /** For what the model has. */
  const receipt = h('span', { class: 'receipt' });
  const permissions = h('span', { class: 'permissions' });
  const demo = h('span', { class: 'demo', hidden: true }, 'Demo');
  const whileReady = h('span', {}, h('kbd', {}, 'Enter'), ' sends, ', h('kbd', {}, 'Shift+Enter'), ' new line');
  const whileWorking = h('span', { hidden: true }, h('kbd', {}, 'Esc'), ' cancels');
  const element = h(
    'div',
    { class: 'status-line' },
    agent,
    stop,
    receipt,
    demo,
    permissions,
    h('span', { class: 'keys' }, whileReady, whileWorking),
  );
  function drawStop(background: number, isStopping: boolean): void {
    if (background === 0 && document.activeElement === stop) onFocusLost();
    stop.hidden = background === 0;
    setText(stop, isStopping ? 'Stopping\u2026' : 'Stop all');
    setAttribute(stop, 'aria-disabled', isStopping ? true : null);
  }

  return {
    element,
    receipt,
    update(state: PageState, work: Work | undefined): void {
      dot.dataset.agent = state.info?.cliType ?? '';
      const background = backgroundOf(state);
      // Without a connection, nobody knows what the agent does.
      const isKnown = work !== undefined && state.connection === 'connected';
      const status = isKnown ? describeWork(work, now()) : describeState(state);
      setText(name, `${agentLabelOf(state)}${SEPARATOR}`);
      setText(doing, status);
      setText(separator, status === '' || background === 0 ? '' : SEPARATOR);
      setText(tasks, background === 0 ? '' : describeBackgroundTasks(background));
      agent.classList.toggle('working', work !== undefined || background > 0);
      drawStop(background, state.isStoppingAll);
      // There is no room for it beside the background work.
      whileReady.hidden = work !== undefined || background > 0;
      whileWorking.hidden = work === undefined || work.isCancelling;
      setText(permissions, PERMISSIONS[state.info?.access ?? 'unknown']);
      demo.hidden = state.info?.demo !== true;
    },
  };
}
