/**
 * How much more one unit of work costs at eight times the size: 1 where the cost is linear, 8 where it is quadratic. In
 * processor time of this process and the best of five, so that other work on the machine does not matter.
 */
export function costGrowth(size: number, work: (size: number) => void): number {
  work(size);
  return bestOf(() => work(8 * size)) / 8 / bestOf(() => work(size));
}

function bestOf(work: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(1, Math.min(...times));
}
