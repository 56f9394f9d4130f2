import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { NativeMessage } from '../../../../server/providers/claude/live/native-messages.ts';

/** One line of a recording: a message that was sent, one that the SDK yielded, or something that happened. */
export type RecordedLine =
  | { readonly at: number; readonly dir: 'in'; readonly msg: SentMessage }
  | { readonly at: number; readonly dir: 'out'; readonly msg: NativeMessage }
  | { readonly at: number; readonly dir: 'threw'; readonly message: string }
  | { readonly at: number; readonly dir: OtherEvent };

interface SentMessage {
  readonly uuid: string;
  readonly message: { readonly content: string };
}

type OtherEvent =
  | 'end'
  | 'interrupt'
  | 'interrupt-result'
  | 'permission-request'
  | 'permission-answer'
  | 'sigkill'
  | 'stopped-by-recorder-after-60s';

const folder = join(import.meta.dirname, '../../../fixtures/traces/claude');

export const recordingNames = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => basename(name, '.jsonl'));

export function readRecording(name: string): RecordedLine[] {
  const text = readFileSync(join(folder, `${name}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedLine);
}

/** What the SDK yielded, without the rest. */
export function messagesOf(lines: readonly RecordedLine[]): NativeMessage[] {
  return lines.flatMap((line) => (line.dir === 'out' ? [line.msg] : []));
}
