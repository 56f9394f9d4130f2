import type { Clock } from '../../../clock.ts';
import { readLaunch } from '../content/background-tasks.ts';
import { readContent } from '../content/content-blocks.ts';
import type { NativeMessage, NativeMessageOf } from '../live/native-messages.ts';

const POLL_MS = 1_000;

/** Follows what shells in the background write. Claude Code does not report it; it names the file. */
export interface TaskOutputs {
  /** Looks at a message before it is translated. What it has to wait for is the last output of a task that ended. */
  observe(message: NativeMessage): Promise<void> | undefined;
  stop(): void;
}

export interface TaskOutputsOptions {
  readonly clock: Clock;
  /** Resolves to undefined where the file cannot be read. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly onOutput: (taskId: string, output: string) => void;
}

export function createTaskOutputs({ clock, read, onOutput }: TaskOutputsOptions): TaskOutputs {
  const shells = new Set<string>();
  /** The output files of shells that run, by task id. */
  const files = new Map<string, string>();
  let timer: unknown;
  let isStopped = false;

  async function report(taskId: string, path: string): Promise<void> {
    const output = await read(path);
    if (output !== undefined && output !== '' && !isStopped) onOutput(taskId, output);
  }

  function schedule(): void {
    if (timer !== undefined || files.size === 0 || isStopped) return;
    timer = clock.setTimeout(() => void poll(), POLL_MS);
  }

  async function poll(): Promise<void> {
    await Promise.all([...files].map(([taskId, path]) => report(taskId, path)));
    timer = undefined;
    schedule();
  }

  function follow(message: NativeMessageOf<'user'>): void {
    for (const block of readContent(message.message.content)) {
      const launch = block.kind === 'result' ? readLaunch(block.content, message.tool_use_result) : undefined;
      if (launch?.outputFile !== undefined) files.set(launch.taskId, launch.outputFile);
    }
    schedule();
  }

  return {
    observe(message) {
      if (message.type === 'user') follow(message);
      if (message.type !== 'system') return undefined;
      if (message.subtype === 'task_started' && message.task_type === 'local_bash') shells.add(message.task_id);
      if (message.subtype !== 'task_notification') return undefined;
      const { task_id: taskId } = message;
      const path = message.output_file || files.get(taskId);
      files.delete(taskId);
      return shells.delete(taskId) && path ? report(taskId, path) : undefined;
    },
    stop() {
      isStopped = true;
      clock.clearTimeout(timer);
    },
  };
}
