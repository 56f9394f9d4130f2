import type { CommandInput, CommandName, CommandOutput } from '../../shared/commands.ts';
import { AppError } from '../../shared/errors.ts';
import type { Download, ExportSession } from '../export/session-export.ts';
import { completeDirectory } from '../projects/complete-directory.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import type { ProjectTrust } from '../projects/project-trust.ts';
import type { SessionService } from '../sessions/session-service.ts';

export type CommandHandlers = {
  readonly [N in CommandName]: (input: CommandInput<N>) => Promise<CommandOutput<N>>;
};

export interface CommandDeps {
  readonly projects: ProjectStore;
  readonly trust: ProjectTrust;
  readonly service: SessionService;
  readonly exportSession: ExportSession;
  readonly keep: KeepCommands;
  /** Directories that are no project and have sessions from terminals. */
  readonly directoriesWithSessions: () => Promise<CommandOutput<'directory:with-sessions'>['directories']>;
}

/** What the commands need of the copies. */
export interface KeepCommands {
  status(): Promise<CommandOutput<'keep:status'>>;
  putBack(input: CommandInput<'session:put-back'>): Promise<CommandOutput<'session:put-back'>>;
}

/** The implementation of every command, for HTTP and the socket. */
export function createCommandHandlers(deps: CommandDeps): CommandHandlers {
  const { projects, trust, service, exportSession, keep, directoriesWithSessions } = deps;
  return {
    'project:list': async () => ({ projects: await trust.list() }),
    'project:add': async ({ path }) => ({ project: await trust.describe(await projects.addProject(path)) }),
    'project:remove': async ({ projectId }) => {
      await projects.removeProject(projectId);
      return { projectId };
    },
    'project:look': async ({ projectId }) => ({ project: await trust.look(projectId) }),
    'project:trust': async ({ projectId, trusted, seen }) => ({
      project: await trust.decide(projectId, trusted, seen),
    }),
    'session:list': (input) => service.list(input),
    'session:list-all': (input) => service.listAll(input),
    'session:create': (input) => service.create(input),
    'session:open': (input) => service.load(input),
    'session:items': (input) => service.items(input),
    'session:status': (input) => service.status(input),
    'session:warm': (input) => service.warm(input),
    'session:send': (input) => service.send(input),
    'session:cancel': (input) => service.cancel(input),
    'session:stop-background': (input) => service.stopBackground(input),
    'session:kill': (input) => service.kill(input),
    'session:archive': (input) => service.archive(input),
    'session:unarchive': service.manage.unarchive,
    'session:rename': service.manage.rename,
    'session:pin': service.manage.pin,
    'session:delete': service.manage.delete,
    'session:export': async (input) => ({ sessionId: input.sessionId, ...(await collect(await exportSession(input))) }),
    'session:fork': (input) => service.fork(input),
    'session:reconnect': (input) => service.reconnect(input),
    'session:put-back': (input) => keep.putBack(input),
    'keep:status': () => keep.status(),
    'directory:with-sessions': async () => ({ directories: await directoriesWithSessions() }),
    'directory:complete': ({ prefix }) => completeDirectory(prefix),
  };
}

/** For the socket, whose answers are one frame. */
const MAX_COLLECTED_BYTES = 4 * 1024 * 1024;

async function collect({ content, ...file }: Download) {
  const pieces: string[] = [];
  let bytes = 0;
  for await (const piece of content) {
    bytes += Buffer.byteLength(piece);
    if (bytes > MAX_COLLECTED_BYTES) {
      throw new AppError('PAYLOAD_TOO_LARGE', 'This conversation is too long for one frame. Export it over HTTP.');
    }
    pieces.push(piece);
  }
  return { ...file, content: pieces.join('') };
}
