import { readdirSync, readFileSync } from 'node:fs';

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/** Every process that was started with this home. */
export function processesWithHome(home: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readProc(name, 'environ').split('\0').includes(`HOME=${home}`))
    .map((name) => ({ pid: Number(name), command: readProc(name, 'cmdline').replaceAll('\0', ' ') }))
    .filter(({ command }) => command !== '');
}

/** Empty when the process is gone or a zombie. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
