import { join } from 'node:path';
import { z } from 'zod';
import { cliTypeSchema } from '../../shared/ids.ts';
import { describeProblems } from '../../shared/parse.ts';
import { readPrivate, UnsafeFileError } from '../private-files.ts';

export const AGENTS_FILE = 'agents.json';
const VERSION = 1;
const BUILT_IN: readonly string[] = ['claude-code', 'codex'];

/** Tables of code that does not expect it may be looked up by the type. */
const ownTypeSchema = cliTypeSchema.refine((cliType) => !(cliType in Object.prototype), {
  error: ({ input }) => `"${String(input)}" is reserved. Choose another`,
});

const agentSchema = z.strictObject({
  cliType: ownTypeSchema,
  label: z.string().trim().min(1).max(64),
  /** A path, or a name on the PATH. Run by argument vector, never through a shell. */
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  protocol: z.enum(['acp', 'envelope']),
});
export type ConfiguredAgent = Readonly<z.infer<typeof agentSchema>>;

const fileSchema = z.object({ version: z.literal(VERSION), agents: z.array(z.unknown()) });

export interface AgentsConfig {
  readonly agents: readonly ConfiguredAgent[];
  /** One sentence for each thing that is wrong; the rest is used all the same. */
  readonly problems: readonly string[];
}

/** Reads the user's own agents. Never rejects: a mistake in this file must not keep the server from starting. */
export async function readAgentsConfig(dataDir: string, builtIn: readonly string[] = BUILT_IN): Promise<AgentsConfig> {
  const path = join(dataDir, AGENTS_FILE);
  const nothing = (...problems: string[]): AgentsConfig => ({ agents: [], problems });
  let text: string;
  try {
    text = (await readPrivate(path, { edited: true })).toString('utf8');
  } catch (error) {
    if (error instanceof UnsafeFileError) return nothing(`The agents in agents.json are not used: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? nothing()
      : nothing(`${path} could not be read (${code}). Its agents are not available.`);
  }
  const file = parseFile(text);
  if (!file.success)
    return nothing(`${path} is not used: ${describeProblems(file.error)}. Correct it and start again.`);
  return chooseAgents(file.data.agents, path, builtIn);
}

function parseFile(text: string): ReturnType<typeof fileSchema.safeParse> {
  const jsonSchema = z.string().transform((content, context): unknown => {
    try {
      return JSON.parse(content);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `not valid JSON (${(error as Error).message})` });
      return z.NEVER;
    }
  });
  return jsonSchema.pipe(fileSchema).safeParse(text);
}

function chooseAgents(entries: readonly unknown[], path: string, builtIn: readonly string[]): AgentsConfig {
  const agents: ConfiguredAgent[] = [];
  const problems: string[] = [];
  const taken = new Set(builtIn);
  for (const [index, entry] of entries.entries()) {
    const place = `Agent ${index + 1} in ${path} is left out`;
    const parsed = agentSchema.safeParse(entry);
    if (!parsed.success) {
      problems.push(`${place}: ${describeProblems(parsed.error)}.`);
    } else if (taken.has(parsed.data.cliType)) {
      problems.push(`${place}: the type "${parsed.data.cliType}" is taken. Choose another.`);
    } else {
      taken.add(parsed.data.cliType);
      agents.push(parsed.data);
    }
  }
  return { agents, problems };
}
