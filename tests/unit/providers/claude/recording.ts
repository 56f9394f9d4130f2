import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { toShownOutput } from '../../../../server/providers/claude/content/output-file.ts';
import type { NativeMessage } from '../../../../server/providers/claude/live/native-messages.ts';

/** One line of a recording: a message that was sent, one that the SDK yielded, or something that happened. */
export type RecordedLine =
  | { readonly at: number; readonly dir: 'in'; readonly msg: SentMessage }
  | { readonly at: number; readonly dir: 'out'; readonly msg: NativeMessage }
  | { readonly at: number; readonly dir: 'threw'; readonly message: string }
  | { readonly at: number; readonly dir: 'peek'; readonly msg: { readonly file: string; readonly text: string } }
  | { readonly at: number; readonly dir: 'call'; readonly msg: MethodCall }
  | { readonly at: number; readonly dir: 'return'; readonly msg: { readonly method: string; readonly result: unknown } }
  | { readonly at: number; readonly dir: OtherEvent };

interface SentMessage {
  readonly uuid: string;
  readonly message: { readonly content: string };
}

type OtherEvent =
  | 'ask'
  | 'end'
  | 'exit'
  | 'input-ended'
  | 'no-own-turn'
  | 'sigterm'
  | 'interrupt'
  | 'interrupt-result'
  | 'permission-request'
  | 'permission-answer'
  | 'sigkill'
  | 'stopped-by-recorder-after-60s';

interface MethodCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

const traces = join(import.meta.dirname, '../../../fixtures/traces');

export const backgroundFolder = join(traces, 'claude-background');

const namesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => basename(name, '.jsonl'));

export const recordingNames = namesIn(join(traces, 'claude'));
export const backgroundRecordingNames = namesIn(backgroundFolder);

export function readRecording(name: string, folder = join(traces, 'claude')): RecordedLine[] {
  const text = readFileSync(join(folder, `${name}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedLine);
}

/** A recording of background work, with the one before it where the session was resumed. */
export function readBackgroundRecording(name: string): RecordedLine[] {
  const lines = readRecording(name, backgroundFolder);
  if (!name.endsWith(RESUMED)) return lines;
  const before = readRecording(name.slice(0, -RESUMED.length), backgroundFolder);
  const offset = before.at(-1)?.at ?? 0;
  return [...before, ...lines.map((line) => ({ ...line, at: line.at + offset }))];
}

const RESUMED = '-resumed';

/** What each task had written when the recording was last looked at, by the id of the task. */
export function outputsOf(lines: readonly RecordedLine[]): ReadonlyMap<string, string> {
  const outputs = new Map<string, string>();
  let asked: unknown;
  for (const line of lines) {
    if (line.dir === 'peek') outputs.set(taskOfFile(line.msg.file), toShownOutput(line.msg.text));
    if (line.dir === 'call' && line.msg.method === 'getTaskOutput') [asked] = line.msg.args;
    if (line.dir === 'return' && line.msg.method === 'getTaskOutput' && isOutput(line.msg.result)) {
      outputs.set(String(asked), toShownOutput(line.msg.result.output));
    }
  }
  return outputs;
}

export const taskOfFile = (file: string): string => basename(file, '.output');

const isOutput = (result: unknown): result is { output: string } =>
  typeof result === 'object' && result !== null && 'output' in result;

/** What the SDK yielded, without the rest. */
export function messagesOf(lines: readonly RecordedLine[]): NativeMessage[] {
  return lines.flatMap((line) => (line.dir === 'out' ? [line.msg] : []));
}
