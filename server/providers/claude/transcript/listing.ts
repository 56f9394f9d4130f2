import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { nativeIdSchema } from '../../../../shared/ids.ts';
import type { FileEnds, ListingFormat, NativeListing } from '../../../engine/native-listing.ts';
import { cleanTitle, deriveTitle } from '../../../titles.ts';
import {
  linesFromEnd,
  linesWith,
  type Part,
  parseJson,
  searchHead,
  searchTail,
  stringBeginning,
} from '../../file-lines.ts';
import { readUserText } from '../content/user-text.ts';
import { configDirectory, type Environment } from './transcript-files.ts';

const TRANSCRIPT = '.jsonl';
/** A single command (`claude -p`) and programs that use the SDK. A terminal is `cli`. */
const RUN = /^sdk-/;

const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const rowSchema = z.object({
  type: z.string(),
  subtype: lenient(z.string()),
  cwd: lenient(z.string().min(1)),
  entrypoint: lenient(z.string()),
  timestamp: lenient(z.iso.datetime()),
  isSidechain: lenient(z.boolean()),
  isMeta: lenient(z.boolean()),
  isCompactSummary: lenient(z.boolean()),
  promptSource: lenient(z.string()),
  message: lenient(z.object({ content: z.unknown() })),
  customTitle: lenient(z.string()),
  agentName: lenient(z.string()),
  aiTitle: lenient(z.string()),
});
type Row = z.infer<typeof rowSchema>;

/** What is known of a conversation from the beginning of its file. */
interface Beginning {
  readonly cwd: string | undefined;
  readonly entrypoint: string | undefined;
  readonly createdAt: string | undefined;
  /** What was asked first, or the first command if an answer to it may follow. */
  readonly prompt: string | undefined;
  readonly isCommand: boolean;
  readonly isSidechain: boolean;
}

export function createClaudeListing(env: Environment): NativeListing {
  return { folder: join(configDirectory(env), 'projects'), format: claudeListing };
}

export const claudeListing: ListingFormat = {
  name: 'claude-code/1',
  depth: 1,
  isFolder: () => true,
  nativeIdOf(fileName) {
    const nativeId = fileName.endsWith(TRANSCRIPT) ? fileName.slice(0, -TRANSCRIPT.length) : '';
    return nativeIdSchema.safeParse(nativeId).success ? nativeId : undefined;
  },
  isArchived: (folder, nativeId, names) => names.has(nativeId) && existsSync(join(folder, nativeId, 'archived.json')),
  summarise(nativeId, file) {
    const { prompt, isCommand, isSidechain, ...began } = readBeginning(file);
    if (isSidechain || prompt === undefined) return undefined;
    const end = readEnd(file);
    // The session that `/clear` begins has only this command until something is asked in it.
    if (isCommand && !end.isAnswered) return undefined;
    const cwd = began.cwd ?? end.cwd;
    if (cwd === undefined || !isAbsolute(cwd)) return undefined;
    const createdAt = began.createdAt ?? end.lastMessageAt ?? file.modifiedAt;
    return {
      nativeId,
      cwd,
      title: end.title ?? deriveTitle(prompt),
      isTitleGiven: end.title !== undefined,
      createdAt,
      lastMessageAt: end.lastMessageAt ?? createdAt,
      isRun: RUN.test(began.entrypoint ?? end.entrypoint ?? ''),
    };
  },
};

/** Where a session was begun, from a row. */
export function cwdOfRow(line: string): string | undefined {
  return line.includes('"cwd"') ? parseRow(line)?.cwd : undefined;
}

function parseRow(line: string): Row | undefined {
  return rowSchema.safeParse(parseJson(line)).data;
}

function readBeginning(file: FileEnds): Beginning {
  let last: Beginning = NOTHING;
  const whole = searchHead(file, (part) => {
    last = readRows(part);
    const isDone = last.isSidechain || (last.cwd !== undefined && last.prompt !== undefined && !last.isCommand);
    return isDone ? last : undefined;
  });
  return whole ?? last;
}

const NOTHING: Beginning = {
  cwd: undefined,
  entrypoint: undefined,
  createdAt: undefined,
  prompt: undefined,
  isCommand: false,
  isSidechain: false,
};

function readRows({ lines, torn, isAll }: Part): Beginning {
  let { cwd, entrypoint, createdAt, prompt: command } = NOTHING;
  for (const line of lines()) {
    const isAsked = line.includes('"type":"user"');
    if (!isAsked && (cwd !== undefined || !line.includes('"cwd"'))) continue;
    const row = parseRow(line);
    if (row === undefined) continue;
    if (row.isSidechain) return { ...NOTHING, isSidechain: true };
    cwd ??= row.cwd;
    entrypoint ??= row.entrypoint;
    createdAt ??= row.timestamp;
    const prompt = promptOf(row);
    if (prompt?.isCommand === false)
      return { cwd, entrypoint, createdAt, prompt: prompt.text, isCommand: false, isSidechain: false };
    command ??= prompt?.text;
  }
  const prompt = isAll ? tornPrompt(torn()) : undefined;
  const began = { cwd, entrypoint, createdAt, isSidechain: false };
  return { ...began, prompt: prompt ?? command, isCommand: prompt === undefined };
}

/** Undefined for a row that is no message of the user. */
function promptOf(row: Row): { readonly text: string; readonly isCommand: boolean } | undefined {
  if (row.type !== 'user' || row.isMeta || row.isCompactSummary || row.promptSource === 'system') return undefined;
  const content = row.message?.content;
  const written = typeof content === 'string' ? content : textOfBlocks(content);
  if (written === undefined) return undefined;
  const read = readUserText(written);
  if (read.kind !== 'message') return undefined;
  return { text: read.text, isCommand: read.text !== written && read.text.startsWith('/') };
}

const blocksSchema = z.array(z.object({ type: z.string(), text: lenient(z.string()) }));

function textOfBlocks(content: unknown): string | undefined {
  const blocks = blocksSchema.safeParse(content).data ?? [];
  if (!blocks.some(({ type }) => type === 'text' || type === 'image' || type === 'document')) return undefined;
  return blocks.flatMap(({ text }) => text ?? []).join('\n');
}

const CONTENT = '"content":"';
const TORN_LENGTH = 2_000;

/** The beginning of a message that is longer than what is read of a file. */
function tornPrompt(row: string): string | undefined {
  const at = row.indexOf(CONTENT);
  if (at === -1 || !row.slice(0, at).includes('"type":"user"')) return undefined;
  return stringBeginning(row.slice(at + CONTENT.length), TORN_LENGTH);
}

interface End {
  /** One that was given to the conversation. */
  readonly title: string | undefined;
  readonly lastMessageAt: string | undefined;
  readonly isAnswered: boolean;
  readonly cwd: string | undefined;
  readonly entrypoint: string | undefined;
}

/** A title may stand some messages before the end. */
const LAST_READ = 32 * 1024;

function readEnd(file: FileEnds): End {
  let title: string | undefined;
  let nearlyAt: string | undefined;
  let cwd: string | undefined;
  let entrypoint: string | undefined;
  let isAnswered = false;
  const find = ({ bytes, isAll }: Part) => {
    title ??= findTitle(bytes);
    isAnswered ||= bytes.includes('"type":"assistant"');
    for (const line of linesFromEnd(bytes)) {
      const row = TIMED.test(line) ? parseRow(line) : undefined;
      if (row === undefined) continue;
      cwd ??= row.cwd;
      entrypoint ??= row.entrypoint;
      if (isMessage(row) && row.timestamp !== undefined) return row.timestamp;
      if (isAfterMessage(row)) nearlyAt ??= row.timestamp;
    }
    return nearlyAt ?? (isAll ? '' : undefined);
  };
  const lastMessageAt = searchTail(file, find, LAST_READ) || undefined;
  return { title, lastMessageAt, isAnswered, cwd, entrypoint };
}

const TITLES = ['"type":"custom-title"', '"type":"agent-name"', '"type":"ai-title"'];
const TIMED = /"type":"(?:user|assistant|system|attachment)"/;

/** The last one of the best kind. One that was given and taken back is none. */
function findTitle(bytes: Buffer): string | undefined {
  let [custom, agent, ai] = ['', '', ''];
  for (const line of linesWith(bytes, TITLES)) {
    const row = parseRow(line);
    custom = row?.customTitle ?? custom;
    agent = row?.agentName ?? agent;
    ai = row?.aiTitle ?? ai;
  }
  return [custom, agent, ai].map(cleanTitle).find((title) => title !== '');
}

function isMessage({ type, isMeta, isSidechain }: Row): boolean {
  return (type === 'user' || type === 'assistant') && !isMeta && !isSidechain;
}

/** Written right after a message, unlike what commands leave behind. */
function isAfterMessage({ type, subtype }: Row): boolean {
  return type === 'attachment' || (type === 'system' && subtype === 'turn_duration');
}
