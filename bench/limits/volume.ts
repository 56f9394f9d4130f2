import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { createScratch, type Product, type Scratch, startProduct } from '../product/rig.ts';
import { type Probe, startProbe } from './probe.ts';

const AGENT = fileURLToPath(new URL('volume-agent.mjs', import.meta.url));

export type Protocol = 'envelope' | 'acp';

export interface VolumeRig {
  readonly server: Product;
  readonly scratch: Scratch;
  readonly probe: Probe;
  /** Keeps the data. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** The product with the agents that answer with as much as they are asked for, one for each protocol. */
export async function startVolumeRig(): Promise<VolumeRig> {
  const scratch = createScratch();
  const memory = join(scratch.home, 'memory');
  mkdirSync(memory);
  const agents = [
    { cliType: 'envelope', label: 'Envelope', command: process.execPath, args: [AGENT], protocol: 'envelope' },
    { cliType: 'acp', label: 'ACP', command: process.execPath, args: [AGENT, `--acp=${memory}`], protocol: 'acp' },
  ];
  writeFileSync(join(scratch.dataDir, 'agents.json'), JSON.stringify({ version: 1, agents }));
  const server = await startProduct(scratch);
  const probe = startProbe(server);
  async function stop(): Promise<void> {
    await probe.stop();
    await server.stop();
  }
  return {
    server,
    scratch,
    probe,
    stop,
    async close() {
      await stop();
      scratch.remove();
    },
  };
}

export interface Reader {
  /** Everything that came, in bytes. */
  bytes(): number;
  frames(): number;
  /** Resolves to the newest whole state of the text that came last, when the turn has ended or the socket closed. */
  readonly ended: Promise<{ readonly text: string; readonly isWhole: boolean }>;
  close(): void;
}

interface ReadFrame {
  readonly type: string;
  readonly at?: number;
  readonly text?: string;
  readonly payload?: { readonly type: string; readonly content?: string; readonly origin?: string };
}

/** A window that reads everything at once and keeps the text of the answer. */
export async function openReader(
  { server }: VolumeRig,
  sessionId: string,
  options: { readonly appends: boolean },
): Promise<Reader> {
  const url = `${server.origin.replace('http', 'ws')}/ws`;
  const headers = { authorization: `Bearer ${server.token}` };
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  let [bytes, frames, text] = [0, 0, ''];
  let subscribed = () => {};
  const isSubscribed = new Promise<void>((resolve) => {
    subscribed = resolve;
  });
  const ended = new Promise<{ text: string; isWhole: boolean }>((resolve) => {
    socket.on('message', (data: Buffer) => {
      bytes += data.length;
      frames += 1;
      const frame = JSON.parse(String(data)) as ReadFrame;
      if (frame.type === 'session:history') subscribed();
      if (frame.type === 'session:append' && frame.at === text.length) text += frame.text;
      const { payload } = frame;
      if (payload?.type === 'message' && payload.origin === 'agent') text = payload.content ?? '';
      if (payload?.type === 'turn_complete') resolve({ text, isWhole: true });
    });
    socket.on('close', () => resolve({ text, isWhole: false }));
  });
  socket.send(JSON.stringify({ type: 'session:subscribe', sessionId, appends: options.appends }));
  await isSubscribed;
  return { bytes: () => bytes, frames: () => frames, ended, close: () => socket.terminate() };
}
