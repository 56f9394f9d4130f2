import type { z } from 'zod';
import {
  type CommandInput,
  type CommandName,
  type CommandOutput,
  type CommandShape,
  commands,
} from '../../shared/commands.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import type { EventMessage } from '../../shared/events.ts';
import { invalidInput } from '../../shared/parse.ts';
import type { Hub, Window } from '../delivery/index.ts';
import type { Download } from '../export/session-export.ts';
import { isOutOfFiles, nameOutOfFiles } from '../open-files.ts';
import type { CommandHandlers } from './command-handlers.ts';

/** A malformed id is reported like an unknown one. */
const errorOfMalformedId: Readonly<Record<string, ErrorCode>> = {
  sessionId: 'SESSION_NOT_FOUND',
  projectId: 'PROJECT_NOT_FOUND',
  cliType: 'UNSUPPORTED_CLI_TYPE',
};

/** Commands whose output is a file, which HTTP sends piece by piece. */
export type DownloadName = {
  [N in CommandName]: (typeof commands)[N] extends { download: true } ? N : never;
}[CommandName];
export type DownloadHandlers = { readonly [N in DownloadName]: (input: CommandInput<N>) => Promise<Download> };

export interface CommandRunner {
  /**
   * Validates the input, runs the command and announces its result to the other windows. Used by HTTP and the socket.
   */
  run<N extends CommandName>(name: N, input: unknown, sender?: Window): Promise<CommandOutput<N>>;
  download(name: DownloadName, input: unknown): Promise<Download>;
}

export interface CommandRunnerDeps {
  readonly handlers: CommandHandlers;
  readonly downloads: DownloadHandlers;
  readonly hub: Hub;
  /** Called when a command has failed for lack of file descriptors. */
  readonly onOutOfFiles: () => void;
}

export function createCommandRunner({ handlers, downloads, hub, onOutOfFiles }: CommandRunnerDeps): CommandRunner {
  const failed = (error: unknown): never => {
    if (isOutOfFiles(error)) onOutOfFiles();
    throw nameOutOfFiles(error);
  };
  return {
    download: (name, input) => downloads[name](parseInput(commands[name].input, input)).catch(failed),
    async run<N extends CommandName>(name: N, input: unknown, sender?: Window) {
      const command: CommandShape = commands[name];
      if (name === 'session:list' && isMissing(input, 'projectId')) throw new AppError('PROJECT_ID_REQUIRED');
      const handler = handlers[name] as (checked: unknown) => Promise<CommandOutput<N>>;
      const output = await handler(parseInput(command.input, input)).catch(failed);
      if (command.announced) {
        const message = { type: command.reply, ...output } as EventMessage;
        hub.announce({ to: 'all', message }, sender);
      }
      return output;
    },
  };
}

/** Throws INVALID_MESSAGE, or the error of an unknown id where nothing but that id is wrong. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const fields = new Set(parsed.error.issues.map((issue) => String(issue.path[0] ?? '')));
  const [field = ''] = fields;
  const code = fields.size === 1 && typeof fieldOf(input, field) === 'string' ? errorOfMalformedId[field] : undefined;
  throw code === undefined ? invalidInput(parsed.error) : new AppError(code);
}

function isMissing(input: unknown, name: string): boolean {
  const value = fieldOf(input, name);
  return value === undefined || value === '';
}

function fieldOf(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
}
