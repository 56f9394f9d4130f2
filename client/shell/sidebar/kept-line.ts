import type { KeepStatus } from '../../../shared/entities.ts';
import { h, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';

const OFF =
  'The server was started with LIMINAL_KEEP=0, so it makes no copies of the agents’ transcripts. Existing copies stay.';

const PROBLEMS: Readonly<Partial<Record<KeepStatus['state'], string>>> = {
  full: 'limit reached',
  failed: 'not complete',
  off: 'off',
};

/** How much is kept of the agents' transcripts. What is wrong is said in words, with the details one click away. */
export function createKeptLine() {
  const text = h('span', {});
  const line = h('p', { class: 'kept', title: 'Copies of the agents’ transcripts', hidden: true }, text);
  const problem = h('span', {});
  const message = h('p', {});
  const details = h('details', { class: 'kept', hidden: true }, h('summary', {}, icon('warning'), problem), message);
  return {
    elements: [line, details],
    render(status: KeepStatus | null): void {
      const what = status === null ? undefined : PROBLEMS[status.state];
      const isEmpty = status === null || status.sessions === 0;
      line.hidden = isEmpty || what !== undefined;
      details.hidden = what === undefined;
      if (status === null) return;
      const amount = isEmpty ? 'nothing' : `${formatSize(status.bytes)}, ${sessionCount(status.sessions)}`;
      setText(text, `Kept: ${amount}`);
      setText(problem, `Kept: ${amount} (${what ?? ''})`);
      setText(message, status.message ?? (status.state === 'off' ? OFF : ''));
      details.classList.toggle('is-off', status.state === 'off');
    },
  };
}

const sessionCount = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'session' : 'sessions'}`;

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;
const STEP = 1024;

/** In the largest unit of which there is at least one. */
function formatSize(bytes: number): string {
  let size = Math.ceil(bytes / STEP);
  let unit = 0;
  while (Math.round(size) >= STEP && unit < UNITS.length - 1) {
    size /= STEP;
    unit += 1;
  }
  return `${size.toLocaleString('en', { maximumFractionDigits: size < 10 ? 1 : 0 })} ${UNITS[unit]}`;
}
