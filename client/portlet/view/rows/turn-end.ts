import type { TurnSummary } from '../../../../shared/stream-contracts.ts';
import type { Usage } from '../../../../shared/stream-events.ts';
import { h } from '../../../shared/dom.ts';
import { formatDuration } from '../../base/duration.ts';
import type { View } from '../../base/view.ts';
import type { Row } from '../../model/rows.ts';
import type { RowContext } from './row-context.ts';
import { drawTurnError } from './turn-error.ts';

export type TurnEndRow = Extract<Row, { kind: 'end' }>;

const MAX_FACT = 200;

/** The end of a turn: a line with duration and tokens, details on hover and focus, and the error if it failed. */
export function createTurnEnd(context: RowContext): View<TurnEndRow> {
  const element = h('div', { class: 'row turn-end' });
  let shown = '';
  return {
    element,
    update(row) {
      const value = JSON.stringify(row);
      if (value === shown) return;
      shown = value;
      element.dataset.status = row.turn.status;
      element.replaceChildren(
        ...(row.turn.status === 'error' ? [drawTurnError(row.turn, row.isLast, context)] : []),
        drawLine(row.turn),
      );
    },
  };
}

const ENDS: Partial<Record<TurnSummary['status'], string>> = { cancelled: 'Cancelled', error: 'Failed' };

function drawLine(turn: TurnSummary): HTMLElement {
  const facts = [
    ENDS[turn.status] ?? '',
    durationOf(turn),
    turn.usage ? `${format(total(turn.usage))} tokens` : '',
  ].filter((fact) => fact !== '');
  const details = drawDetails(turn);
  if (details === null)
    return h('p', { class: 'turn-line' }, h('span', { class: 'turn-facts' }, facts.join(' \u00B7 ')));
  const id = `details-${turn.turnId}`;
  details.id = id;
  return h(
    'p',
    { class: 'turn-line' },
    h(
      'button',
      { type: 'button', class: 'quiet turn-facts', 'aria-describedby': id },
      facts.join(' \u00B7 ') || 'Done',
    ),
    details,
  );
}

function drawDetails({ modelId, usage, stopReason, startedAt }: TurnSummary): HTMLElement | null {
  const details: [string, string][] = [];
  if (modelId !== undefined && modelId !== '') details.push(['Model', modelId.slice(0, MAX_FACT)]);
  if (usage !== undefined) {
    details.push(['Input', format(usage.inputTokens)], ['Output', format(usage.outputTokens)]);
    if (usage.cacheReadInputTokens) details.push(['From cache', format(usage.cacheReadInputTokens)]);
    if (usage.cacheCreationInputTokens) details.push(['To cache', format(usage.cacheCreationInputTokens)]);
  }
  if (stopReason !== undefined) details.push(['Ended by', stopReason.slice(0, MAX_FACT)]);
  if (details.length === 0) return null;
  details.push(['Started', formatTime(startedAt)]);
  return h(
    'span',
    { class: 'turn-details', role: 'tooltip' },
    ...details.flatMap(([name, value]) => [h('span', { class: 'fact-name' }, name), h('span', {}, value)]),
  );
}

function durationOf({ startedAt, endedAt }: TurnSummary): string {
  return endedAt === undefined ? '' : formatDuration(Date.parse(endedAt) - Date.parse(startedAt));
}

function total({ inputTokens, outputTokens, cacheReadInputTokens = 0, cacheCreationInputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens + cacheReadInputTokens + cacheCreationInputTokens;
}

/** Formatted by hand: the first use of `Intl` takes longer than drawing a screen of messages. */
const format = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

function formatTime(time: string): string {
  const date = new Date(time);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
