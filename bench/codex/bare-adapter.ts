import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Scene } from './scene.ts';
import { measureStarts, measureSteps, type Steps, time } from './steps.ts';

const messageSchema = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  result: z.looseObject({ sessionId: z.string().optional() }).nullish(),
  error: z.unknown().optional(),
  params: z.looseObject({ update: z.looseObject({ sessionUpdate: z.string() }).optional() }).optional(),
});
type Message = z.infer<typeof messageSchema>;

/** The adapter without our code: writes and parses lines, nothing else. */
export function startBareAdapter({ adapter, env, host, projectDir }: Scene) {
  const hosted = host.spawn({
    command: process.execPath,
    args: [adapter],
    cwd: projectDir,
    env,
    label: 'bare adapter',
  });
  const waiting = new Map<number, { resolve: (message: Message) => void; reject: (error: Error) => void }>();
  let onWords = () => {};
  let lastId = 0;

  createInterface({ input: hosted.child.stdout }).on('line', (line) => {
    const message = messageSchema.parse(JSON.parse(line));
    if (message.method === 'session/update') {
      if (message.params?.update?.sessionUpdate === 'agent_message_chunk') onWords();
    } else if (message.id !== undefined && message.method === undefined) {
      const request = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error === undefined) request?.resolve(message);
      else request?.reject(new Error(JSON.stringify(message.error)));
    }
  });

  const request = (method: string, params: object) =>
    new Promise<Message>((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      hosted.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`);
    });

  return {
    initialize: () =>
      request('initialize', {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
      }),
    async newSession(): Promise<string> {
      const { result } = await request('session/new', { cwd: projectDir, mcpServers: [] });
      return z.string().parse(result?.sessionId);
    },
    /** `words` resolves at the first text of the reply, `answered` at its end. */
    prompt(sessionId: string, text: string) {
      const words = new Promise<void>((resolve) => {
        onWords = resolve;
      });
      return { words, answered: request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }) };
    },
    load: (sessionId: string) => request('session/load', { sessionId, cwd: projectDir, mcpServers: [] }),
    stop: () => hosted.kill('measured'),
  };
}

export async function measureBare(scene: Scene, longSession: string): Promise<Steps> {
  const { running: bare, took: start } = await measureStarts(async () => {
    const adapter = startBareAdapter(scene);
    await adapter.initialize();
    return adapter;
  });
  try {
    return await measureSteps(start, {
      newSession: bare.newSession,
      async turn(sessionId: string, text) {
        let answered: Promise<unknown> = Promise.resolve();
        const { took } = await time(() => {
          const prompt = bare.prompt(sessionId, text);
          answered = prompt.answered;
          return prompt.words;
        });
        await answered;
        return took;
      },
      load: () => bare.load(longSession),
    });
  } finally {
    await bare.stop();
  }
}
