import type { Fault } from './subject.ts';
import { onLines, readRow, textFaults } from './text-faults.ts';

/** Besides what can happen to any file. */
export const codexFaults: Readonly<Record<string, Fault>> = {
  ...textFaults,
  'no first row': onLines((lines) => lines.slice(1)),
  'no rows of what is shown': onLines((lines) => lines.filter((line) => readRow(line).type !== 'event_msg')),
};
