interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The groups of nodes that reach each other, sorted by name. */
export function findCycles(edges: readonly Edge[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  const reachable = new Map([...next.keys()].map((node) => [node, reachableFrom(node, next)]));
  const cycles = new Map<string, string[]>();
  for (const [node, targets] of reachable) {
    if (!targets.has(node)) continue;
    const members = [...targets].filter((target) => reachable.get(target)?.has(node)).sort();
    cycles.set(members.join('\n'), members);
  }
  return [...cycles.values()];
}

function reachableFrom(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  const queue = [...(next.get(start) ?? [])];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    queue.push(...(next.get(node) ?? []));
  }
  return found;
}
