import { spawn } from 'node:child_process';

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly pid: number;
  readonly ended: Promise<ProgramResult>;
}

/** Starts a program that asks nothing, such as `claude -p`. */
export function startProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): RunningProgram {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = new Promise<ProgramResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return { pid: child.pid ?? 0, ended };
}

/** Resolves to what it printed. Rejects if it fails. */
export async function runProgram(...args: Parameters<typeof startProgram>): Promise<string> {
  const { code, stdout, stderr } = await startProgram(...args).ended;
  if (code !== 0) throw new Error(`${args[0]} ${args[1].join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}
