import type { Branch } from '../../../shared/entities.ts';
import { clockTime } from '../../shared/clock-time.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { ForkRequests } from './fork-requests.ts';

export interface BranchOfferOptions {
  readonly now: () => number;
  readonly forks: ForkRequests;
}

/** Parts of the conversation that the agent would not continue: one quiet line, a list for several. */
export function createBranchOffer({ now, forks }: BranchOfferOptions) {
  const element = h('div', { class: 'branches', hidden: true });

  function drawBranch(branch: Branch, lead: string): HTMLElement[] {
    const text = h('span', {}, `${lead}“${shorten(branch.text)}” (${describe(branch, now())})`);
    const fork = forks.button('Fork this branch', branch.id);
    return [text, fork];
  }

  function draw(branches: readonly Branch[]): HTMLElement[] {
    const [first, ...others] = branches;
    if (first === undefined) return [];
    if (others.length === 0) return [h('p', {}, icon('branch'), ...drawBranch(first, 'Another branch: '))];
    return [
      h(
        'details',
        {},
        h('summary', {}, icon('branch'), `${branches.length} other branches`),
        h('ul', {}, ...branches.map((branch) => h('li', {}, ...drawBranch(branch, '')))),
      ),
    ];
  }

  let drawn = '';
  return {
    element,
    update(branches: readonly Branch[]): void {
      const next = JSON.stringify(branches);
      if (next === drawn) return;
      drawn = next;
      element.hidden = branches.length === 0;
      forks.forget(element);
      element.replaceChildren(...draw(branches));
    },
  };
}

function describe({ turns, at }: Branch, now: number): string {
  const count = turns === 1 ? '1 message' : `${turns} messages`;
  return at === undefined ? count : `${count}, ${clockTime(at, now)}`;
}

const MAX_LENGTH = 80;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH)}\u2026`;
}
