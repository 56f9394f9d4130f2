import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import type { Environment } from '../../../scripted-model/index.ts';
import { spawnAgent } from './processes.ts';

export interface CodexTurn {
  readonly updates: readonly acp.SessionUpdate[];
  readonly stopReason: acp.StopReason;
}

export interface CodexSession {
  /** Leads its own process group. */
  readonly pid: number;
  readonly sessionId: string;
  turn(text: string): Promise<CodexTurn>;
  /** Resolves when the adapter is gone. */
  close(): Promise<void>;
}

/** A real Codex behind its ACP adapter, driven by the official client. */
export async function openCodexSession(
  adapter: string,
  cwd: string,
  env: Environment,
  start: { readonly load?: string } = {},
): Promise<CodexSession> {
  const { child, pid, exited } = spawnAgent(process.execPath, [adapter], { cwd, env });
  let updates: acp.SessionUpdate[] = [];
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin),
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const connection = acp
    .client({ name: 'first-proof' })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => allow(params))
    .connect(stream);
  const { agent } = connection;
  await agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  const sessionId =
    start.load ?? (await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
  if (start.load) await agent.request(acp.methods.agent.session.load, { sessionId, cwd, mcpServers: [] });

  return {
    pid,
    sessionId,
    async turn(text) {
      updates = [];
      const request: acp.PromptRequest = { sessionId, prompt: [{ type: 'text', text }] };
      const response = await agent.request(acp.methods.agent.session.prompt, request);
      return { updates, stopReason: response.stopReason };
    },
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}

function allow({ options }: acp.RequestPermissionRequest): acp.RequestPermissionResponse {
  const option = options.find(({ kind }) => kind === 'allow_once');
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
}
