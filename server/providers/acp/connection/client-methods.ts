import type { ClientApp, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import type { SessionUpdate } from '../translate/session-update.ts';
import { FileRefusal, type ProjectFiles } from '../workspace/project-files.ts';
import type { Terminals } from '../workspace/terminals.ts';
import type { PermissionOutcome } from './permission.ts';

type Sdk = typeof import('@agentclientprotocol/sdk');

/** What an agent may ask its client for. */
export interface ClientHost {
  onUpdate(nativeId: string, update: SessionUpdate): void;
  onProblem(problem: string): void;
  decide(request: RequestPermissionRequest): Promise<PermissionOutcome>;
  /** Undefined for a session that is not open here. */
  workspace(nativeId: string): { readonly files: ProjectFiles; readonly terminals: Terminals } | undefined;
}

/** What the agent is told that it may ask for: exactly what is registered below. */
export const CLIENT_CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  /** Notices are sent as such, not as text of the model. */
  session: { notices: {} },
  /**
   * Sub-agents come with their steps, and can be stopped by `session/cancel`.
   *
   * Codex would also announce commands that outlive their turn, to a client that declares `asyncTasks` of its private
   * extension (`_meta.jetbrains.air`). But it takes such a client for one that wants the private sub-agents too: without
   * `subagents` it then hides what they do, and with it a prompt is answered only when they are done, and neither
   * cancelling the turn nor cancelling them has any effect. So the commands are recognised by having no result when the
   * model goes on, and are stopped by their processes; see `Dialect`.
   */
  subagents: {},
};

/** Registers everything that an agent may call, except session updates, which do not go through the SDK. */
export function registerClientMethods(app: ClientApp, host: ClientHost, { RequestError, methods }: Sdk): ClientApp {
  const { client } = methods;

  const workspaceOf = (nativeId: string) => {
    const workspace = host.workspace(nativeId);
    if (workspace === undefined) throw RequestError.sessionNotFound(nativeId);
    return workspace;
  };
  const explained = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof FileRefusal) throw RequestError.invalidParams(undefined, error.message);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw RequestError.resourceNotFound();
      throw error;
    }
  };

  return app
    .onRequest(client.session.requestPermission, async ({ params }) => ({ outcome: await host.decide(params) }))
    .onRequest(client.fs.readTextFile, async ({ params }) => ({
      content: await explained(workspaceOf(params.sessionId).files.read(params.path, params)),
    }))
    .onRequest(client.fs.writeTextFile, async ({ params }) => {
      await explained(workspaceOf(params.sessionId).files.write(params.path, params.content));
    })
    .onRequest(client.terminal.create, async ({ params }) => ({
      terminalId: await explained(workspaceOf(params.sessionId).terminals.create(params)),
    }))
    .onRequest(client.terminal.output, async ({ params }) =>
      explained((async () => workspaceOf(params.sessionId).terminals.output(params.terminalId))()),
    )
    .onRequest(client.terminal.waitForExit, ({ params }) =>
      explained(workspaceOf(params.sessionId).terminals.waitForExit(params.terminalId)),
    )
    .onRequest(client.terminal.kill, ({ params }) =>
      explained(workspaceOf(params.sessionId).terminals.kill(params.terminalId)),
    )
    .onRequest(client.terminal.release, ({ params }) =>
      explained(workspaceOf(params.sessionId).terminals.release(params.terminalId)),
    );
}
