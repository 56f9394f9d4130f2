import { nativeIdSchema, type SessionId } from '../../../../shared/ids.ts';
import type { NativeFiles } from '../../../engine/native-files.ts';
import { isBelow, readParts, stampOf, toNativeFile, withRealPaths } from '../../native-files.ts';
import { findLineage } from './lineage.ts';
import { codexHome, type Environment, findRollout, listRollouts } from './rollout-files.ts';
import { HEAD_BYTES, type RolloutHead, readRolloutHead } from './rollout-head.ts';
import { createSubagentIndex } from './subagent-ids.ts';

export interface CodexFiles extends NativeFiles {
  /** Changes when the files of a conversation change, its sub-agents included. Undefined if there are none. */
  stamp(storedId: string): Promise<string | undefined>;
  /** The ids of all its sub-agents that have files, also those of its sub-agents. */
  subagentsOf(storedId: string): Promise<readonly string[]>;
}

export function createCodexFiles(env: Environment, storedIdOf: (sessionId: SessionId) => string): CodexFiles {
  const home = codexHome(env);
  const subagents = createSubagentIndex();
  /** By path: the beginning of a rollout does not change. */
  const heads = new Map<string, RolloutHead>();

  async function headOf(path: string): Promise<Partial<RolloutHead>> {
    const head = heads.get(path) ?? (await readHead(path).catch(() => undefined));
    if (head !== undefined) heads.set(path, head);
    return head ?? {};
  }

  /** The rollout of a conversation and those of its sub-agents, each once. Empty if there is none. */
  async function pathsOf(storedId: string, seen: Set<string>): Promise<string[]> {
    if (seen.has(storedId)) return [];
    seen.add(storedId);
    const path = await findRollout(env, storedId);
    if (path === undefined) return [];
    const paths = [path];
    for (const id of await subagents.find(path)) paths.push(...(await pathsOf(id, seen)));
    return paths;
  }

  /** The files that it begins in, which do not change any more as far as they belong to it. */
  async function basesOf(storedId: string): Promise<string[]> {
    const { segments = [] } = (await findLineage(env, storedId)) ?? {};
    return segments.slice(0, -1).map(({ path }) => path);
  }

  return {
    home: () => home,
    nativeIdOf: storedIdOf,
    stamp: async (storedId) => stampOf(await pathsOf(storedId, new Set())),
    async subagentsOf(storedId) {
      const seen = new Set<string>();
      await pathsOf(storedId, seen);
      return [...seen];
    },
    async find(nativeId) {
      const own = await pathsOf(nativeId, new Set());
      const [first] = own;
      if (first === undefined) return undefined;
      const paths = [...new Set([...own, ...(await basesOf(nativeId))])];
      const { cwd } = await headOf(first);
      return { nativeId, cwd, files: paths.map((path) => toNativeFile(home, path)) };
    },
    async *list(projectDirs) {
      const directories = await withRealPaths(projectDirs);
      const rollouts = new Map<
        string,
        Partial<RolloutHead> & { readonly path: string; readonly isContinued: boolean }
      >();
      for await (const { nativeId, segmentId, path } of listRollouts(env)) {
        const isUsable = nativeIdSchema.safeParse(nativeId).success && !rollouts.has(nativeId);
        if (isUsable) rollouts.set(nativeId, { path, isContinued: segmentId !== nativeId, ...(await headOf(path)) });
      }
      const children = new Map<string, string[]>();
      for (const [id, { path }] of rollouts) {
        const root = rootOf(id, (each) => rollouts.get(each)?.parentId);
        if (root !== id && rollouts.has(root)) children.set(root, [...(children.get(root) ?? []), path]);
      }
      for (const [nativeId, { path, cwd, parentId, isContinued, isFork }] of rollouts) {
        const isSubagent = parentId !== undefined && rollouts.has(parentId);
        if (isSubagent || cwd === undefined || !isBelow(cwd, directories)) continue;
        const bases = isContinued || isFork ? await basesOf(nativeId) : [];
        const paths = [...new Set([path, ...(children.get(nativeId) ?? []), ...bases])];
        yield { nativeId, cwd, files: paths.map((each) => toNativeFile(home, each)) };
      }
    },
  };
}

/** The conversation that the user sees. One whose parent is gone stands for itself. */
function rootOf(id: string, parentOf: (id: string) => string | undefined): string {
  const seen = new Set<string>();
  let root = id;
  for (let parent = parentOf(root); parent !== undefined && !seen.has(parent); parent = parentOf(root)) {
    seen.add(parent);
    root = parent;
  }
  return root;
}

function readHead(path: string): Promise<RolloutHead> {
  return readParts(path, async ({ read }) => readRolloutHead(await read(0, HEAD_BYTES)));
}
