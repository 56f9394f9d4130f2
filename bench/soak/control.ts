import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Histogram } from './histogram.ts';
import { createLatency } from './latency.ts';
import type { Scene } from './scene.ts';

const deltaSchema = z.object({ payload: z.object({ deltaContent: z.string() }) });
const TURN = { turnId: 'control', content: 'write on' };

/** An additional agent read directly: the latency of a token on this machine without a server. */
export function startControl({ agent, epoch }: Scene): { readonly ages: Histogram; stop(): void } {
  const latency = createLatency(epoch);
  const child = spawn(agent.command, agent.args, {
    env: { ...process.env, ...agent.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const write = () => child.stdin.write(`${JSON.stringify(TURN)}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const at = performance.timeOrigin + performance.now();
    if (line.includes('"response_done"')) write();
    const { data } = deltaSchema.safeParse(JSON.parse(line));
    if (data !== undefined) latency.take(data.payload.deltaContent, at);
  });
  write();
  return { ages: latency.every, stop: () => child.stdin.end() };
}
