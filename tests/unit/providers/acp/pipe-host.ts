import { PassThrough } from 'node:stream';
import type { HostedProcess, ProcessExit, ProcessHost } from '../../../../server/processes/index.ts';
import type { AcpAgent } from '../../../../server/providers/acp/agents/acp-agent.ts';

/** The agent at the other end. Nothing of a project would run in it. */
export const pipeAgent: AcpAgent = {
  cliType: 'codex',
  label: 'Codex',
  signInHint: '',
  env: {},
  whatRuns: async () => [],
  locate: () => ({ command: 'pipe', args: [] }),
};

/** A host whose only process is the test, at the other end of two pipes. */
export function createPipeHost() {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let exit = (_exit: ProcessExit) => {};
  const exited = new Promise<ProcessExit>((resolve) => {
    exit = resolve;
  });
  const end = () => {
    stdout.end();
    exit({ code: 0, signal: null });
    return exited;
  };
  const process: HostedProcess = {
    child: { stdin, stdout, stderr: new PassThrough() } as unknown as HostedProcess['child'],
    pid: 0,
    label: 'pipe',
    exited,
    stop: end,
    kill: end,
    endProcesses: async () => false,
    stderrTail: () => '',
  };
  const host: ProcessHost = { spawn: () => process, stopAll: async () => void end(), killAll: () => void end() };
  return { host, stdin, stdout };
}
