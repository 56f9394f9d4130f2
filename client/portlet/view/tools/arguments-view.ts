import { h } from '../../../shared/dom.ts';
import { readable } from '../../../shared/escape-invisible.ts';
import { drawOutput } from './output-view.ts';

/** Arguments as a list of names and values; nothing when there are none. */
export function drawArguments(args: Readonly<Record<string, unknown>>): HTMLElement | null {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  if (entries.length === 0) return null;
  const list = h('dl', { class: 'arguments' });
  for (const [name, value] of entries) {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    const isLong = text.includes('\n') || text.length > 200;
    list.append(
      h('dt', {}, readable(name)),
      h('dd', {}, isLong ? drawOutput(text, { end: 'first' }) : h('code', {}, readable(text))),
    );
  }
  return list;
}
