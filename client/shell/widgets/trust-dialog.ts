import './trust-dialog.css';
import type { Project, WouldRun } from '../../../shared/entities.ts';
import { h, setText } from '../../shared/dom.ts';

export interface TrustQuestion {
  readonly project: Project;
  /** The name of an agent, by its type. */
  readonly labelOf: (cliType: string) => string;
  /** The agent that is about to start can leave the settings out. */
  readonly canContinueWithout: boolean;
}

export type TrustAnswer = 'trust' | 'without' | 'cancel';

const KINDS: Readonly<Record<WouldRun['kind'], string>> = {
  hook: 'Hooks',
  'mcp-server': 'MCP servers',
  helper: 'Helper programs',
  env: 'Environment variables',
  'status-line': 'Status lines',
  plugin: 'Plugins',
  rule: 'Rules that allow more',
  skill: 'Skills that run programs',
  command: 'Commands that run programs',
  agent: 'Sub-agents that run programs',
  setting: 'Other settings',
  unreadable: 'Files that cannot be read',
};

/** Longer texts are folded. */
const SHOWN_LENGTH = 160;

/** Asks whether to trust a directory and shows what its own settings would run. Escape and Cancel decide nothing. */
export function createTrustDialog() {
  const path = h('code', { class: 'trust-path' });
  const why = h('p', { id: 'trust-why' });
  const list = h('div', { class: 'trust-list', tabindex: 0, role: 'region', 'aria-label': 'What would run' });
  const trust = h('button', { type: 'submit', class: 'primary', value: 'trust' }, 'Trust this directory');
  const without = h('button', { type: 'button', on: { click: () => element.close('without') } });
  setText(without, 'Continue without its settings');
  const cancel = h('button', { type: 'button', on: { click: () => element.close('cancel') } }, 'Cancel');
  const form = h(
    'form',
    { method: 'dialog' },
    h('h2', { id: 'trust-title' }, 'Do you trust this directory?'),
    h('p', {}, path),
    why,
    list,
    h('div', { class: 'dialog-buttons' }, cancel, without, trust),
  );
  const element = h(
    'dialog',
    { class: 'dialog trust-dialog', 'aria-labelledby': 'trust-title', 'aria-describedby': 'trust-why' },
    form,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    element.close('trust');
  });

  return {
    element,
    ask({ project, labelOf, canContinueWithout }: TrustQuestion): Promise<TrustAnswer> {
      setText(path, project.path);
      setText(why, explain(project));
      list.replaceChildren(
        ...groupBy(project.wouldRun, ({ cliType }) => cliType).map((group) => drawAgent(group, labelOf)),
      );
      without.hidden = !canContinueWithout;
      element.returnValue = 'cancel';
      element.showModal();
      list.scrollTop = 0;
      cancel.focus();
      return new Promise((resolve) => {
        element.addEventListener('close', () => resolve(answerOf(element.returnValue)), { once: true });
      });
    },
  };
}

function answerOf(value: string): TrustAnswer {
  return value === 'trust' || value === 'without' ? value : 'cancel';
}

function explain({ wouldRun }: Project): string {
  const fresh = wouldRun.filter(({ isNew }) => isNew).length;
  const change = fresh === 0 ? '' : ` Since you trusted it, ${count(fresh, 'is', 'are')} new.`;
  return `Its own settings bring ${count(wouldRun.length)} that agents run or use without asking, with your rights.${change} Trust it only if you know who wrote them.`;
}

function count(number: number, one = '', many = ''): string {
  return (number === 1 ? `one thing ${one}` : `${number} things ${many}`).trimEnd();
}

function drawAgent([cliType, entries]: Group, labelOf: (cliType: string) => string): HTMLElement {
  const kinds = groupBy(entries, ({ kind }) => kind).flatMap(([kind, ofKind]) => [
    h('h4', {}, KINDS[kind as WouldRun['kind']]),
    h('ul', {}, ...ofKind.map(drawEntry)),
  ]);
  return h('section', {}, h('h3', {}, labelOf(cliType)), ...kinds);
}

function drawEntry({ name, detail, file, isNew }: WouldRun): HTMLElement {
  return h(
    'li',
    { class: 'trust-entry' },
    h(
      'div',
      { class: 'trust-name' },
      h('strong', {}, name),
      isNew && h('span', { class: 'trust-new' }, 'new'),
      h('span', { class: 'trust-file' }, file),
    ),
    drawDetail(detail),
  );
}

function drawDetail(text: string): HTMLElement | false {
  const [line = ''] = text.split('\n');
  if (text.trim() === '') return false;
  if (text.length <= SHOWN_LENGTH && line === text) return h('code', {}, text);
  return h(
    'details',
    {},
    h('summary', {}, h('code', {}, `${line.slice(0, SHOWN_LENGTH)}…`)),
    h('code', { class: 'trust-whole' }, text),
  );
}

type Group = readonly [string, readonly WouldRun[]];

function groupBy(entries: readonly WouldRun[], keyOf: (entry: WouldRun) => string): readonly Group[] {
  const groups = new Map<string, WouldRun[]>();
  for (const entry of entries) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return [...groups];
}
