import type { z } from 'zod';
import { type CommandName, type CommandOutput, type CommandShape, commands } from '../../shared/commands.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import type { EventMessage } from '../../shared/messages.ts';
import { invalidInput } from '../../shared/parse.ts';
import type { Hub, Window } from '../delivery/index.ts';
import type { CommandHandlers } from './command-handlers.ts';

/** A malformed id is reported like an unknown one. */
const errorOfMalformedId: Readonly<Record<string, ErrorCode>> = {
  sessionId: 'SESSION_NOT_FOUND',
  projectId: 'PROJECT_NOT_FOUND',
  cliType: 'UNSUPPORTED_CLI_TYPE',
};

export interface CommandRunner {
  /**
   * Validates the input, runs the command and announces its result to the other windows. Used by HTTP and the socket.
   */
  run<N extends CommandName>(name: N, input: unknown, asker?: Window): Promise<CommandOutput<N>>;
}

export function createCommandRunner(handlers: CommandHandlers, hub: Hub): CommandRunner {
  return {
    async run<N extends CommandName>(name: N, input: unknown, asker?: Window) {
      const command: CommandShape = commands[name];
      const parsed = command.input.safeParse(input);
      if (!parsed.success) throw refusal(name, input, parsed.error);
      const handler = handlers[name] as (checked: unknown) => Promise<CommandOutput<N>>;
      const output = await handler(parsed.data);
      if (command.announced) {
        const message = { type: command.reply, ...output } as EventMessage;
        hub.announce({ to: 'all', message }, asker);
      }
      return output;
    },
  };
}

function refusal(name: CommandName, input: unknown, error: z.ZodError): AppError {
  const fields = new Set(error.issues.map((issue) => String(issue.path[0] ?? '')));
  const [field] = fields;
  const value = typeof input === 'object' && input !== null ? Reflect.get(input, field ?? '') : undefined;
  if (name === 'session:list' && field === 'projectId' && (value === undefined || value === '')) {
    return new AppError('PROJECT_ID_REQUIRED');
  }
  const code = fields.size === 1 && typeof value === 'string' ? errorOfMalformedId[field ?? ''] : undefined;
  return code === undefined ? invalidInput(error) : new AppError(code);
}
