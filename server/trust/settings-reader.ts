import { basename } from 'node:path';
import { exists, findFiles, readSettingsFile } from './settings-file.ts';
import { type Finding, type Found, finding, hashOf } from './would-run.ts';

/** Finds things in a text. What it throws makes the file count as unreadable. */
export type FindIn = (text: string, path: string) => readonly Found[];

/** Reads the settings of one directory for one agent. A file that cannot be read or parsed becomes a finding itself. */
export interface SettingsReader {
  file(path: string, find: FindIn): Promise<readonly Finding[]>;
  /** All files below a directory whose name passes. */
  files(
    directory: string,
    isWanted: (name: string) => boolean,
    find: FindIn,
    maxDepth?: number,
  ): Promise<readonly Finding[]>;
}

export function createSettingsReader(cliType: string, projectDir: string): SettingsReader {
  async function read(path: string, find: FindIn): Promise<readonly Finding[]> {
    const at = (found: Found) => finding({ cliType, projectDir, path }, found);
    if (!(await exists(path))) return [];
    const file = await readSettingsFile(path);
    if (file.kind === 'absent') return [];
    if (file.kind === 'unreadable') return [at(unreadable(path, file.reason, file.state))];
    try {
      return find(file.text, path).map(at);
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      return [at(unreadable(path, reason, hashOf(file.text)))];
    }
  }

  return {
    file: read,
    async files(directory, isWanted, find, maxDepth) {
      const { paths, problem } = await findFiles(directory, isWanted, maxDepth);
      const found = (await Promise.all(paths.map((path) => read(path, find)))).flat();
      if (problem === undefined) return found;
      const whole = finding({ cliType, projectDir, path: directory }, unreadable(directory, problem, problem));
      return [...found, whole];
    },
  };
}

function unreadable(path: string, reason: string, value: string): Found {
  return { kind: 'unreadable', name: basename(path), value, detail: `It cannot be read. ${reason}` };
}
