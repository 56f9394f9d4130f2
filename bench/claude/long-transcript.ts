import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Scene } from './scene.ts';

const entrySchema = z.looseObject({
  type: z.string(),
  uuid: z.string().optional(),
  isMeta: z.boolean().optional(),
  message: z.looseObject({}).optional(),
});
type Entry = z.infer<typeof entrySchema>;

/** Writes a transcript with this many messages in the real format and returns its id. */
export async function writeLongTranscript({ transcripts }: Scene, messages: number): Promise<string> {
  const names = (await readdir(transcripts)).filter((name) => name.endsWith('.jsonl'));
  const entries = (await readFile(join(transcripts, names[0] ?? ''), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => entrySchema.parse(JSON.parse(line)));
  const pattern = {
    user: entries.find(({ type, isMeta }) => type === 'user' && isMeta !== true),
    assistant: entries.find(({ type }) => type === 'assistant'),
  };

  const sessionId = randomUUID();
  const start = Date.now() - messages * 1000;
  let parentUuid: string | null = null;
  const lines: string[] = [];
  for (let index = 0; index < messages; index += 1) {
    const isUser = index % 2 === 0;
    const model: Entry | undefined = isUser ? pattern.user : pattern.assistant;
    const uuid = randomUUID();
    const content = isUser
      ? `Question ${index}: ${words(20)}`
      : [{ type: 'text', text: `Answer ${index}: ${words(120)}` }];
    const message = { ...model?.message, content, ...(!isUser && { id: `msg_${index}` }) };
    const timestamp = new Date(start + index * 1000).toISOString();
    lines.push(JSON.stringify({ ...model, parentUuid, uuid, sessionId, timestamp, message }));
    parentUuid = uuid;
  }
  await writeFile(join(transcripts, `${sessionId}.jsonl`), `${lines.join('\n')}\n`);
  return sessionId;
}

const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
