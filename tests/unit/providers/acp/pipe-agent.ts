import { PassThrough } from 'node:stream';
import { systemClock } from '../../../../server/clock.ts';
import { type AcpConnection, openConnection } from '../../../../server/providers/acp/connection/acp-connection.ts';
import type { ClientHost } from '../../../../server/providers/acp/connection/client-methods.ts';

export type Message = Record<string, unknown>;

/** An agent at the other end of two pipes, played by the test. */
export function createPipeAgent(host: Partial<ClientHost> = {}) {
  const stdout = new PassThrough();
  const stdin = new PassThrough();
  const received: Message[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  stdin.on('data', (data: Buffer) => {
    const lines = (rest + data.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    received.push(...lines.map((line): Message => JSON.parse(line)));
    for (const check of [...waiting]) check();
  });
  const problems: string[] = [];
  const client: ClientHost = {
    onUpdate: () => {},
    onProblem: (problem) => problems.push(problem),
    decide: async () => ({ outcome: 'cancelled' }),
    workspace: () => undefined,
    ...host,
  };

  const until = (holds: (message: Message) => boolean) =>
    new Promise<Message>((resolve) => {
      const check = () => {
        const found = received.find(holds);
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  const write = (...lines: (Message | string)[]) =>
    stdout.write(
      lines
        .map((line) => `${typeof line === 'string' ? line : JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
        .join(''),
    );

  return {
    stdout,
    stdin,
    received,
    problems,
    write,
    /** Resolves with the first message for which this holds. */
    until,
    untilRequest: (method: string) => until((message) => message.method === method),
    /** Connects and answers the handshake. */
    async connect(agentCapabilities: object = {}): Promise<AcpConnection> {
      const opening = openConnection({ stdout, stdin, client, clock: systemClock, version: '0' });
      const { id } = await until((message) => message.method === 'initialize');
      write({ id, result: { protocolVersion: 1, agentCapabilities } });
      return opening;
    },
  };
}
