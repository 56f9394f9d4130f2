import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { createHistogram, type Histogram } from './histogram.ts';

const deltaSchema = z.object({ payload: z.object({ deltaContent: z.string() }) });
const TURN = { turnId: 'control', content: 'write on' };

/** One more agent, read by us and by nobody else: how late a token is on this machine, now, without any server. */
export function startControl(agent: {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: object;
}): {
  readonly ages: Histogram;
  stop(): void;
} {
  const ages = createHistogram();
  const env = { ...process.env, ...agent.env };
  const epoch = Number(env.SOAK_EPOCH);
  const child = spawn(agent.command, agent.args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const write = () => child.stdin.write(`${JSON.stringify(TURN)}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const at = performance.timeOrigin + performance.now();
    if (line.includes('"response_done"')) write();
    const delta = deltaSchema.safeParse(JSON.parse(line)).data?.payload.deltaContent;
    if (delta !== undefined) ages.add(at - epoch - Number.parseInt(delta, 36) / 10);
  });
  write();
  return { ages, stop: () => child.stdin.end() };
}
