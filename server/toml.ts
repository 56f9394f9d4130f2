import { readFile } from 'node:fs/promises';
import { parse } from 'smol-toml';

export type TomlFile =
  | { readonly found: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly found: false; readonly problem?: string };

/** Reads a TOML file. Never rejects: a missing file has no problem, an unreadable one says what is wrong with it. */
export async function readToml(path: string): Promise<TomlFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { found: false } : { found: false, problem: `${path}: ${code}` };
  }
  try {
    return { found: true, values: parse(text) };
  } catch (error) {
    const [line = 'invalid'] = error instanceof Error ? error.message.split('\n') : [];
    return { found: false, problem: `${path}: ${line}` };
  }
}
