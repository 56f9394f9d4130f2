import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { timeOfId } from '../translate/replay.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Taking back turns begins another file of the same conversation, with an id of its own behind that of the conversation. */
const FILE_NAME = /^rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(.+?)(?:_([0-9a-f-]{36}))?\.jsonl$/;

/** The id of the conversation in a file, by the file's name. Undefined for any other file. */
export function storedIdOfName(name: string): string | undefined {
  return FILE_NAME.exec(name)?.[1];
}

/** Where Codex keeps its settings and conversations. */
export function codexHome({ CODEX_HOME: chosen, HOME: home }: Environment): string {
  return chosen || join(home || homedir(), '.codex');
}

/**
 * Finds the stored conversation of a session: the newest of its files. Its folder is that of the day in which it began, in
 * local time.
 */
export function findRollout(env: Environment, nativeId: string): Promise<string | undefined> {
  return find(env, nativeId, (rollout) => rollout.nativeId === nativeId);
}

/** Finds a file by the id that other files name it with. `beside`: the folder of a file that names it. */
export async function findSegment(env: Environment, segmentId: string, beside: string): Promise<string | undefined> {
  const isMeant = (rollout: Rollout) => rollout.segmentId === segmentId;
  return (await findIn(beside, isMeant)) ?? find(env, segmentId, isMeant);
}

type IsMeant = (rollout: Rollout) => boolean;

async function find(env: Environment, id: string, isMeant: IsMeant): Promise<string | undefined> {
  const home = codexHome(env);
  const sessions = join(home, 'sessions');
  for (const day of likelyDays(id)) {
    const found = await findIn(join(sessions, day), isMeant);
    if (found !== undefined) return found;
  }
  return (await findIn(join(home, 'archived_sessions'), isMeant)) ?? searchDays(sessions, isMeant);
}

function likelyDays(nativeId: string): string[] {
  const began = timeOfId(nativeId);
  if (began === undefined) return [];
  return [0, -1, 1].map((days) => {
    const day = new Date(Date.parse(began) + days * DAY_MS).toISOString();
    return join(day.slice(0, 4), day.slice(5, 7), day.slice(8, 10));
  });
}

export interface Rollout {
  /** The conversation. */
  readonly nativeId: string;
  /** The file: the id of the conversation, or an id of its own if it is not the first file of the conversation. */
  readonly segmentId: string;
  readonly path: string;
}

/** All stored conversations, archived ones last, newest first. */
export async function* listRollouts(env: Environment): AsyncGenerator<Rollout, void, undefined> {
  const home = codexHome(env);
  for await (const day of listDays(join(home, 'sessions'))) yield* await rolloutsIn(day);
  yield* await rolloutsIn(join(home, 'archived_sessions'));
}

/** For a session that was copied here, or whose id does not tell when it began. */
async function searchDays(sessions: string, isMeant: IsMeant): Promise<string | undefined> {
  for await (const day of listDays(sessions)) {
    const found = await findIn(day, isMeant);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function* listDays(sessions: string): AsyncGenerator<string, void, undefined> {
  for (const year of await folders(sessions)) {
    for (const month of await folders(join(sessions, year))) {
      for (const day of await folders(join(sessions, year, month))) yield join(sessions, year, month, day);
    }
  }
}

/** Newest first. */
async function folders(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}

async function findIn(directory: string, isMeant: IsMeant): Promise<string | undefined> {
  return (await rolloutsIn(directory)).find(isMeant)?.path;
}

/** Newest first, and so is the newest of several files of one conversation. */
async function rolloutsIn(directory: string): Promise<readonly Rollout[]> {
  const names = await readdir(directory).catch(() => []);
  return names
    .toSorted((a, b) => (a < b ? 1 : -1))
    .flatMap((name) => {
      const [, nativeId, segmentId = nativeId] = FILE_NAME.exec(name) ?? [];
      if (nativeId === undefined || segmentId === undefined) return [];
      return [{ nativeId, segmentId, path: join(directory, name) }];
    });
}
