import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { nativeIdSchema } from '../../../../shared/ids.ts';
import type { ListingFormat, NativeListing } from '../../../engine/native-listing.ts';
import { deriveTitle } from '../../../titles.ts';
import { linesFromEnd, linesWith, type Part, parseJson, searchHead, searchTail } from '../../file-lines.ts';
import { codexHome, type Environment, storedIdOfName } from './rollout-files.ts';
import { HEAD_BYTES, readRolloutHead } from './rollout-head.ts';
import { parseRow } from './rollout-row.ts';

/** The instructions alone take 22 KB, and the first message stands after them. */
const FIRST_READ = 64 * 1024;

export function createCodexListing(env: Environment): NativeListing {
  return { folder: join(codexHome(env), 'sessions'), format: codexListing };
}

export const codexListing: ListingFormat = {
  name: 'codex/1',
  depth: 3,
  isFolder: (name) => /^\d+$/.test(name),
  nativeIdOf(fileName) {
    const nativeId = storedIdOfName(fileName);
    return nativeIdSchema.safeParse(nativeId).success ? nativeId : undefined;
  },
  summarise(nativeId, file) {
    const prompt = searchHead(file, findPrompt, FIRST_READ);
    if (prompt === undefined) return undefined;
    const { cwd, parentId, createdAt: began, isRun } = readRolloutHead(file.head(HEAD_BYTES).toString('utf8'));
    if (parentId !== undefined || cwd === undefined || !isAbsolute(cwd)) return undefined;
    const createdAt = timeSchema.safeParse(began).data ?? file.modifiedAt;
    const lastMessageAt = searchTail(file, findLastTime) || createdAt;
    return { nativeId, cwd, title: deriveTitle(prompt), isTitleGiven: false, createdAt, lastMessageAt, isRun };
  },
};

const timeSchema = z.iso.datetime();
const ASKED = ['"UserMessage"', '"user_message"'];
const TO_MODEL = ['"role":"user"'];

/** The first message that was shown, else the first that went to the model, as in files of which only that is left. */
function findPrompt({ bytes, isAll }: Part): string | undefined {
  for (const line of linesWith(bytes, ASKED)) {
    const row = parseRow(line);
    if (row?.row === 'old-message' && row.by === 'user') return row.text;
    if (row?.row !== 'item' || row.item.type !== 'UserMessage') continue;
    return row.item.content.flatMap(({ text }) => text ?? []).join('\n');
  }
  if (!isAll) return undefined;
  for (const line of linesWith(bytes, TO_MODEL)) {
    const text = sentText(line);
    if (text !== undefined) return text;
  }
  return undefined;
}

const sentSchema = z.object({
  type: z.literal('response_item'),
  payload: z.object({
    type: z.literal('message'),
    role: z.literal('user'),
    content: z.array(z.object({ text: z.string().optional().catch(undefined) })),
  }),
});

/** Undefined for what Codex itself puts before the conversation. */
function sentText(line: string): string | undefined {
  const content = sentSchema.safeParse(parseJson(line)).data?.payload.content ?? [];
  const text = content.flatMap((part) => part.text ?? []).join('\n');
  return text.trim() === '' || /^\s*(?:<|# AGENTS\.md)/.test(text) ? undefined : text;
}

/** Settings are written at other times too. */
const MESSAGE_KINDS = new Set([
  'user_message',
  'agent_message',
  'item_completed',
  'task_started',
  'task_complete',
  'turn_aborted',
]);
const START = /^\{"timestamp":"([^"]{10,40})",(?:"ordinal":\d+,)?"type":"(\w+)","payload":\{"type":"(\w+)"/;

/** Empty if no row has one. */
function findLastTime({ bytes, isAll }: Part): string | undefined {
  for (const line of linesFromEnd(bytes)) {
    const [, time, type, kind = ''] = START.exec(line.slice(0, 200)) ?? [];
    const isMessage = type === 'response_item' || (type === 'event_msg' && MESSAGE_KINDS.has(kind));
    if (isMessage && timeSchema.safeParse(time).success) return time;
  }
  return isAll ? '' : undefined;
}
