import { say } from '../../scripted-model/index.ts';
import type { BenchRow } from '../report.ts';
import { startWithRealAgents } from './agents.ts';
import { residentMib, treeResidentMib } from './process-facts.ts';

const SESSIONS = 3;

/** Memory of live sessions: the server's descendants after one turn in each session. */
export async function sessionMemory(): Promise<BenchRow[]> {
  return [...(await measure('claude-code', 'Claude Code')), ...(await measure('codex', 'Codex'))];
}

async function measure(cliType: string, name: string): Promise<BenchRow[]> {
  const { server, scratch, close } = await startWithRealAgents([{ when: 'hello', scenario: [[say('Hello there.')]] }]);
  const window = await server.window();
  const agentsMib: number[] = [];
  for (let count = 0; count < SESSIONS; count += 1) {
    const sessionId = await server.createSession(cliType, scratch.projectDir);
    await window.ask('session:subscribe', { sessionId });
    await server.send(sessionId, 'hello');
    await window.next(({ payload }) => payload?.type === 'turn_complete');
    agentsMib.push(treeResidentMib(server.pid) - residentMib(server.pid));
  }
  const serverMib = residentMib(server.pid);
  await window.close();
  await close();
  const figures = agentsMib.map((mib) => mib.toFixed(0)).join(' / ');
  return [
    { measure: `memory of ${name}, all its processes, 1 / 2 / 3 live sessions`, value: `${figures} MiB` },
    { measure: `memory of the server with ${SESSIONS} live sessions of ${name}`, value: `${serverMib.toFixed(0)} MiB` },
  ];
}
