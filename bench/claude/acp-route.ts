import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import * as acp from '@agentclientprotocol/sdk';
import type { HostedProcess } from '../../server/processes/index.ts';
import { type Samples, timed } from './samples.ts';
import type { Scene } from './scene.ts';

const PACKAGE = '@zed-industries/claude-code-acp@0.16.2';

/** The adapter that runs on Node 20, installed for the benchmark only. */
export interface AcpAdapter {
  readonly script: string;
  remove(): Promise<void>;
}

/** Undefined if it cannot be installed. Its own copy of Claude Code is not installed; it uses ours. */
export async function installAdapter(): Promise<AcpAdapter | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-adapter-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--omit=optional', PACKAGE];
    await promisify(execFile)('npm', args, { cwd: folder });
    return { script: join(folder, 'node_modules', '@zed-industries', 'claude-code-acp', 'dist', 'index.js'), remove };
  } catch {
    await remove();
    return undefined;
  }
}

interface Connection {
  readonly agent: acp.ClientConnection['agent'];
  /** Called with each update of a session. */
  onUpdate: (update: acp.SessionUpdate) => void;
  close(): Promise<unknown>;
}

async function connect({ host, env, projectDir, executable }: Scene, { script }: AcpAdapter): Promise<Connection> {
  const hosted: HostedProcess = host.spawn({
    command: process.execPath,
    args: [script],
    cwd: projectDir,
    env: { ...env, CLAUDE_CODE_EXECUTABLE: executable },
    label: 'ACP adapter',
  });
  const connection: Connection = {
    agent: acp
      .client({ name: 'benchmark' })
      .onNotification(acp.methods.client.session.update, ({ params }) => connection.onUpdate(params.update))
      .connect(
        acp.ndJsonStream(
          Writable.toWeb(hosted.child.stdin),
          Readable.toWeb(hosted.child.stdout) as ReadableStream<Uint8Array>,
        ),
      ).agent,
    onUpdate: () => {},
    close: () => hosted.kill('measured'),
  };
  await connection.agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  return connection;
}

/** A new session from the spawn of the adapter, another one on the live adapter, and its second turn. */
export async function measureAcp(scene: Scene, adapter: AcpAdapter, samples: Samples): Promise<void> {
  const start = performance.now();
  const connection = await connect(scene, adapter);
  const first = await newSession(connection, scene);
  await prompt(connection, first, () => samples.add('acp spawn', performance.now() - start));

  const again = performance.now();
  const second = await newSession(connection, scene);
  await prompt(connection, second, () => samples.add('acp live', performance.now() - again));
  const turn = performance.now();
  await prompt(connection, second, () => samples.add('acp second', performance.now() - turn));
  await connection.close();
}

export async function measureAcpHistory(
  scene: Scene,
  adapter: AcpAdapter,
  nativeId: string,
  onMeasured: (ms: number) => void,
): Promise<number> {
  const connection = await connect(scene, adapter);
  let updates = 0;
  connection.onUpdate = () => {
    updates += 1;
  };
  const request = { sessionId: nativeId, cwd: scene.projectDir, mcpServers: [] };
  const { ms } = await timed(() => connection.agent.request(acp.methods.agent.session.load, request));
  onMeasured(ms);
  await connection.close();
  return updates;
}

async function newSession({ agent }: Connection, { projectDir }: Scene): Promise<string> {
  const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd: projectDir, mcpServers: [] });
  return sessionId;
}

async function prompt(connection: Connection, sessionId: string, onFirstToken: () => void): Promise<void> {
  let hasBegun = false;
  connection.onUpdate = ({ sessionUpdate }) => {
    if (hasBegun || sessionUpdate !== 'agent_message_chunk') return;
    hasBegun = true;
    onFirstToken();
  };
  const content = [{ type: 'text' as const, text: 'hello' }];
  await connection.agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: content });
}
