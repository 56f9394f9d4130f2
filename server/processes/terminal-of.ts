import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The terminal that a process runs in, such as `pts/3`. Undefined if it has none or cannot be asked. */
export async function terminalOf(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  try {
    if (platform === 'linux') return terminalName(await readFile(`/proc/${pid}/stat`, 'latin1'));
    const { stdout } = await run('ps', ['-o', 'tty=', '-p', String(pid)], { timeout: 2_000 });
    const name = stdout.trim();
    return name === '' || name.startsWith('?') ? undefined : name;
  } catch {
    return undefined;
  }
}

export function terminalName(stat: string): string | undefined {
  const [, , , , device = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return terminalOfDevice(Number(device));
}

/** Device numbers of pseudo terminals have the majors 136 to 143, those of the consoles the major 4. */
export function terminalOfDevice(device: number): string | undefined {
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  if (major >= 136 && major <= 143) return `pts/${(major - 136) * 256 + minor}`;
  return major === 4 && minor > 0 ? `tty${minor}` : undefined;
}
