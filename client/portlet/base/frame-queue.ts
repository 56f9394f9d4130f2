import type { Environment } from './environment.ts';

/** How long the tasks of one frame may take together. */
const FRAME_MS = 16;

/** Returns a function that runs tasks in order, as many in each frame as there is time for. */
export function createFrameQueue({ requestFrame, now }: Pick<Environment, 'requestFrame' | 'now'>) {
  const tasks: (() => void)[] = [];
  let isRequested = false;

  function request(): void {
    if (isRequested || tasks.length === 0) return;
    isRequested = true;
    requestFrame(run);
  }

  function run(): void {
    isRequested = false;
    const start = now();
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      task();
      if (now() - start >= FRAME_MS) break;
    }
    request();
  }

  return (task: () => void): void => {
    tasks.push(task);
    request();
  };
}
