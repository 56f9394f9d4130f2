import { z } from 'zod';
import { ownValue } from '../../../../shared/own-value.ts';
import type { ActionOf } from '../../../streaming/stream-actions.ts';
import { contentText } from './content-blocks.ts';
import { tagText, toSafeNumber } from './tags.ts';

/** A call that goes on in the background, as its tool result describes it. */
export interface Launch {
  readonly taskId: string;
  readonly kind: 'agent' | 'shell' | 'monitor';
  /** Where its output is written, if known. */
  readonly outputFile?: string;
}

export type TaskStatus = 'completed' | 'failed' | 'stopped';

export interface TaskEnd {
  readonly status: TaskStatus;
  /** One sentence about the end, and the only place with the exit code. */
  readonly summary: string;
}

export interface EndedTask {
  readonly callId: string;
  readonly turnId: string;
  readonly isAgent: boolean;
  /** The report of a sub-agent or the output of a shell. */
  readonly output: string;
}

const launchedAgentSchema = z.looseObject({ status: z.literal('async_launched'), agentId: z.string() });
const resumedAgentSchema = z.looseObject({ resumedAgentId: z.string() });
const shellSchema = z.looseObject({ backgroundTaskId: z.string() });

const LAUNCHED_AGENT = /^Async agent launched successfully\./m;
const AGENT_ID = /^agentId: (\w+)/m;
const LAUNCHED_SHELL = /^Command\b[^\n]*\bbackground(?:ed)?\b[^\n]*? with ID: (\w+)\./;
const LAUNCHED_MONITOR = /^Monitor started \(task (\w+)/;
const OUTPUT_FILE = /Output is being written to: (\S.*?\.output)(?=[.\s]|$)/;
/** What Claude Code writes about a launch is at the beginning. Searching all of a long text could take minutes. */
const LAUNCH_LENGTH = 8_192;

/**
 * Recognises a result that only says that the call goes on in the background. Its text is meant for the model and must
 * not be shown. Results inside sub-agents have no `details`, so they are recognised by their text.
 */
export function readLaunch(content: unknown, details: unknown): Launch | undefined {
  const text = contentText(content).slice(0, LAUNCH_LENGTH);
  const monitor = LAUNCHED_MONITOR.exec(text)?.[1];
  if (monitor !== undefined) return { taskId: monitor, kind: 'monitor' };
  const agent =
    launchedAgentSchema.safeParse(details).data?.agentId ??
    resumedAgentSchema.safeParse(details).data?.resumedAgentId ??
    (details === undefined && LAUNCHED_AGENT.test(text) ? AGENT_ID.exec(text)?.[1] : undefined);
  if (agent !== undefined) return { taskId: agent, kind: 'agent' };
  const shell =
    shellSchema.safeParse(details).data?.backgroundTaskId ??
    (details === undefined ? LAUNCHED_SHELL.exec(text)?.[1] : undefined);
  if (shell === undefined) return undefined;
  const outputFile = OUTPUT_FILE.exec(text)?.[1];
  return { taskId: shell, kind: 'shell', ...(outputFile !== undefined && { outputFile }) };
}

const EXIT_CODE = /exit code (\d+)\)?$/;
const FAILED_AGENT = /^Agent ".*?" failed: /s;
const STOPPED = { code: 'STOPPED', message: 'Stopped.' } as const;

/** Ends a call that went on in the background. */
export function finishTask({ callId, turnId, isAgent, output }: EndedTask, { status, summary }: TaskEnd) {
  const exitCode = isAgent ? undefined : toSafeNumber(EXIT_CODE.exec(summary)?.[1]);
  return {
    do: 'tool_done',
    turnId,
    callId,
    output: isAgent && status === 'failed' ? summary.replace(FAILED_AGENT, '') : output,
    isError: status === 'failed',
    ...(exitCode !== undefined && { exitCode }),
    ...(status === 'stopped' && { failure: STOPPED }),
  } as const satisfies ActionOf<'tool_done'>;
}

/** The notification about the end of a task that Claude Code adds to the conversation for the model. */
export interface TaskNotification {
  readonly taskId: string | undefined;
  readonly callId: string | undefined;
  readonly outputFile: string | undefined;
  readonly end: TaskEnd;
}

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  completed: 'completed',
  failed: 'failed',
  killed: 'stopped',
  stopped: 'stopped',
};

/** Written by the next process of a session about tasks that the previous one left unfinished. */
const ORPHANED = /didn't finish before the previous session ended$/;

/** Returns undefined for other texts, for events of a running task, and for tasks that ended with their process. */
export function readTaskNotification(text: string): TaskNotification | undefined {
  if (!text.startsWith('<task-notification>')) return undefined;
  const field = (name: string) => tagText(text, name)?.trim();
  const status = ownValue(STATUSES, field('status') ?? '');
  const summary = field('summary') ?? '';
  if (status === undefined || ORPHANED.test(summary)) return undefined;
  const end = { status, summary };
  return { taskId: field('task-id'), callId: field('tool-use-id'), outputFile: field('output-file'), end };
}
