import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';

const messageSchema = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

const lineSchema = z.discriminatedUnion('dir', [
  /** `out`: what the client wrote. `in`: what the agent wrote. */
  z.object({ at: z.number(), dir: z.enum(['out', 'in']), msg: messageSchema }),
  z.object({ at: z.number(), dir: z.literal('sigkill') }),
  /** A note of the recorder. */
  z.object({ at: z.number(), dir: z.literal('mark') }),
  z.object({ at: z.number(), dir: z.literal('exit') }),
]);
export type RecordedLine = z.infer<typeof lineSchema>;
export type RecordedMessage = z.infer<typeof messageSchema>;

const traces = join(import.meta.dirname, '../../../fixtures/traces');

export type RecordingFolder = 'codex-acp' | 'codex-background';

export const recordingNamesIn = (folder: RecordingFolder) =>
  readdirSync(join(traces, folder))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => basename(name, '.jsonl'));

export function readRecording(name: string, folder: RecordingFolder = 'codex-acp'): RecordedLine[] {
  const text = readFileSync(join(traces, folder, `${name}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => lineSchema.parse(JSON.parse(line)));
}
