import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Why a request was refused, as a message for the agent. */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal';
}

export interface ReadRange {
  /** From 1. */
  readonly line?: number | null | undefined;
  readonly limit?: number | null | undefined;
}

/** The files that an agent may access: those below the project directory, after links are resolved. */
export interface ProjectFiles {
  /** The real path of a directory in the project. */
  directory(path: string): Promise<string>;
  read(path: string, range?: ReadRange): Promise<string>;
  /** Creates the file and missing directories above it. */
  write(path: string, content: string): Promise<void>;
}

export function createProjectFiles(projectDir: string): ProjectFiles {
  async function checkInside(path: string, asked: string): Promise<string> {
    const root = await realpath(projectDir);
    if (!isInside(root, path)) throw new FileRefusal(`${asked} is outside the project directory.`);
    return path;
  }

  async function existing(path: string): Promise<string> {
    requireAbsolute(path);
    return checkInside(await realpath(resolve(path)), path);
  }

  /** The real path of a file that may not exist yet: links in the directories above it are resolved first. */
  async function target(path: string): Promise<string> {
    requireAbsolute(path);
    const wanted = resolve(path);
    const ancestor = await nearestExisting(dirname(wanted));
    await checkInside(ancestor.real, path);
    const folder = join(ancestor.real, ancestor.missing);
    await mkdir(folder, { recursive: true });
    const file = join(await checkInside(await realpath(folder), path), basename(wanted));
    const isLink = await lstat(file).then((stat) => stat.isSymbolicLink(), whenMissing(false));
    return isLink ? existing(file) : file;
  }

  return {
    directory: existing,
    async read(path, range = {}) {
      const handle = await open(await existing(path), constants.O_RDONLY | SAFELY);
      try {
        const stat = await handle.stat();
        if (!stat.isFile()) throw new FileRefusal(`${path} is not a file.`);
        if (stat.size > MAX_FILE_BYTES) throw new FileRefusal(`${path} is larger than ${MAX_FILE_BYTES} bytes.`);
        return cut(await handle.readFile('utf8'), range);
      } finally {
        await handle.close();
      }
    },
    async write(path, content) {
      const handle = await open(await target(path), constants.O_WRONLY | constants.O_CREAT | SAFELY, 0o666);
      try {
        if (!(await handle.stat()).isFile()) throw new FileRefusal(`${path} is not a file.`);
        await handle.truncate(0);
        await handle.writeFile(content, 'utf8');
      } finally {
        await handle.close();
      }
    },
  };
}

/** Does not follow a link that was created since the path was checked, and does not wait for a pipe. */
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK;

function requireAbsolute(path: string): void {
  if (!isAbsolute(path)) throw new FileRefusal(`${path} is not an absolute path.`);
}

function isInside(root: string, path: string): boolean {
  const inside = relative(root, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

async function nearestExisting(folder: string): Promise<{ real: string; missing: string }> {
  const real = await realpath(folder).catch(whenMissing(undefined));
  if (real !== undefined) return { real, missing: '' };
  const isDanglingLink = await lstat(folder).then(() => true, whenMissing(false));
  if (isDanglingLink) throw new FileRefusal(`${folder} is a link to something that does not exist.`);
  const above = await nearestExisting(dirname(folder));
  return { real: above.real, missing: join(above.missing, basename(folder)) };
}

function whenMissing<T>(answer: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return answer;
    throw error;
  };
}

function cut(text: string, { line, limit }: ReadRange): string {
  if (line == null && limit == null) return text;
  const start = Math.max(0, (line ?? 1) - 1);
  return text
    .split('\n')
    .slice(start, limit == null ? undefined : start + limit)
    .join('\n');
}
