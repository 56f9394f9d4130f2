import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { codexProgram } from '../../support/terminals/codex-terminal.ts';
import type { CodexRig } from './codex-rig.ts';

export interface ExecResult {
  readonly code: number | null;
  readonly errors: string;
}

/** `codex exec resume`, as somebody types it in a terminal. */
export function execResume(rig: CodexRig, nativeId: string, prompt: string): Promise<ExecResult> {
  const args = ['exec', '--skip-git-repo-check', 'resume', nativeId, prompt];
  const child = spawn(codexProgram(), args, {
    cwd: rig.projectDir,
    env: rig.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, errors })));
}

export interface AppServer {
  readonly pid: number | undefined;
  request(method: string, params: object): Promise<unknown>;
  /** Resolves when it has ended. */
  end(): Promise<void>;
}

/** What terminals of Codex talk to. */
export async function startAppServer(rig: CodexRig): Promise<AppServer> {
  const child = spawn(codexProgram(), ['app-server'], {
    cwd: rig.projectDir,
    env: rig.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line) as { id?: number; result?: unknown; error?: { message: string } };
    const request = waiting.get(id ?? -1);
    if (error === undefined) request?.resolve(result);
    else request?.reject(new Error(error.message));
  });
  let count = 0;
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object) =>
    new Promise<unknown>((resolve, reject) => {
      count += 1;
      waiting.set(count, { resolve, reject });
      write({ id: count, method, params });
    });
  await request('initialize', { clientInfo: { name: 'terminal', version: '0' } });
  write({ method: 'initialized', params: {} });
  return {
    pid: child.pid,
    request,
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
