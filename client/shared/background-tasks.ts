/** `1 task in the background`, `3 tasks in the background`. */
export function describeBackgroundTasks(count: number): string {
  return `${count === 1 ? '1 task' : `${count} tasks`} in the background`;
}
