import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NativeSession } from '../../../server/engine/native-files.ts';
import { createMemoryAliases } from '../../../server/providers/acp/session/session-aliases.ts';
import { createCodexHome, type NativeHome, nativeHomes } from '../../support/agents/native-homes.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const PROJECT = '/home/dev/project';

function targetOf({ driver: { cliType } }: NativeHome, nativeId: string) {
  return { sessionId: `${cliType}:${nativeId}`, nativeId, projectDir: PROJECT, wasUsed: true };
}

const stamp = (home: NativeHome, nativeId = 'one') => home.driver.historyStamp?.(targetOf(home, nativeId));

async function contents(home: NativeHome, from?: string) {
  const history = await home.driver.readHistory?.(targetOf(home, 'one'), from);
  return history?.map((item) => (item.type === 'tool_call' ? item.toolName : item.content));
}

async function list({ driver }: NativeHome, ...directories: string[]) {
  const found: NativeSession[] = [];
  for await (const session of driver.nativeFiles?.list(directories) ?? []) found.push(session);
  return found.toSorted((a, b) => (a.nativeId < b.nativeId ? -1 : 1));
}

describe.each(nativeHomes)('$name', ({ create }) => {
  it('keep/copies the stamp of a conversation changes when its files change, and only then', async () => {
    const home = create();
    expect(await stamp(home)).toBeUndefined();
    const path = home.write('one', PROJECT, 'hello');
    home.write('two', PROJECT, 'other');
    const seen = [await stamp(home)];
    expect(await stamp(home)).toBe(seen[0]);
    const changes: (() => void)[] = [
      () => home.ask('one', PROJECT, 'again'),
      () => utimesSync(path, 1, 1),
      () => home.addSubAgent('one', PROJECT, 'child', 'looked'),
      () => appendFileSync(home.addSubAgent('one', PROJECT, 'child', 'looked'), '\n'),
      () => {
        cpSync(path, `${path}.copy`, { preserveTimestamps: true });
        renameSync(`${path}.copy`, path);
      },
    ];
    for (const change of changes) {
      change();
      const next = await stamp(home);
      expect(next).toMatch(/^[0-9a-f]{64}$/);
      expect(seen).not.toContain(next);
      seen.push(next);
    }
    home.ask('two', PROJECT, 'more');
    expect(await stamp(home)).toBe(seen.at(-1));
    // As after a restart of the server.
    expect(await stamp(create(home.home))).toBe(seen.at(-1));
    rmSync(path);
    expect(await stamp(home)).toBeUndefined();
  });

  it('keep/copies a history is read from another home that has the same files', async () => {
    const home = create();
    home.write('one', PROJECT, 'hello');
    home.addSubAgent('one', PROJECT, 'child', 'looked');
    const shown = await contents(home);
    expect(shown?.[0]).toBe('hello');
    expect(shown).toContain('looked');
    const elsewhere = scratchDirectory();
    const session = await home.driver.nativeFiles?.find('one', PROJECT);
    expect(session?.files).toHaveLength(home.driver.cliType === 'codex' ? 2 : 3);
    for (const { path, name } of session?.files ?? []) cpSync(path, join(elsewhere, name));
    rmSync(home.home, { recursive: true });
    expect(await contents(home)).toBeUndefined();
    expect(await contents(home, elsewhere)).toEqual(shown);
  });

  it('keep/copies conversations of a project and below it are listed with all their files, from terminals too', async () => {
    const home = create();
    const main = home.write('one', PROJECT, 'hello');
    const child = home.addSubAgent('one', PROJECT, 'child', 'looked');
    home.write('below', `${PROJECT}/packages/a`, 'below');
    home.write('beside', `${PROJECT}-two`, 'beside');
    home.write('elsewhere', '/home/dev', 'above');
    const found = await list(home, PROJECT, '/somewhere');
    expect(found.map(({ nativeId, cwd }) => [nativeId, cwd])).toEqual([
      ['below', `${PROJECT}/packages/a`],
      ['one', PROJECT],
    ]);
    const paths = found[1]?.files.map(({ path }) => path);
    expect(paths?.[0]).toBe(main);
    expect(paths).toContain(child);
    for (const { path, name } of found.flatMap(({ files }) => files)) expect(join(home.home, name)).toBe(path);
    expect(await list(home, '/somewhere')).toEqual([]);
    home.write('three', PROJECT, 'new');
    expect((await list(home, PROJECT)).map(({ nativeId }) => nativeId)).toEqual(['below', 'one', 'three']);
    expect(home.driver.nativeFiles?.home()).toBe(home.home);
  });

  it('keep/copies a project whose path is a link is found by where it leads', async () => {
    const home = create();
    const real = scratchDirectory();
    const linked = join(scratchDirectory(), 'link');
    symlinkSync(real, linked);
    home.write('one', real, 'hello');
    expect(await list(home, linked)).toHaveLength(1);
  });

  it('keep/copies files without a directory, with names that are no ids, pipes and garbage are left out', async () => {
    const home = create();
    const path = home.write('one', PROJECT, 'hello');
    writeFileSync(home.write('garbage', PROJECT, ''), 'garbage\n[1]\n{"cwd":7}\n');
    writeFileSync(path.replace('one', 'empty'), '');
    writeFileSync(path.replace('one', 'bad id'), '{"cwd":"/home/dev/project"}\n');
    mkdirSync(path.replace('one', 'folder'));
    execFileSync('mkfifo', [path.replace('one', 'pipe')]);
    expect((await list(home, PROJECT)).map(({ nativeId }) => nativeId)).toEqual(['one']);
    rmSync(home.home, { recursive: true });
    expect(await list(home, PROJECT)).toEqual([]);
    expect(await home.driver.nativeFiles?.find('one', PROJECT)).toBeUndefined();
  });

  it('keep/copies a conversation is found by its directory although its first message is long', async () => {
    const home = create();
    home.write('one', PROJECT, 'long '.repeat(50_000));
    expect(await list(home, PROJECT)).toHaveLength(1);
  });
});

it('keep/copies files of Codex are found under the id that Codex gave to a session', async () => {
  const aliases = createMemoryAliases();
  const home = createCodexHome(scratchDirectory(), aliases);
  home.write('theirs', PROJECT, 'hello');
  expect(await stamp(home, 'ours')).toBeUndefined();
  await aliases.record('codex:ours', 'theirs');
  expect(await stamp(home, 'ours')).toBeDefined();
  expect(home.driver.nativeFiles?.nativeIdOf('codex:ours')).toBe('theirs');
  expect(home.driver.nativeFiles?.nativeIdOf('codex:other')).toBe('other');
});

it('keep/copies sub-agents of sub-agents and archived conversations of Codex belong to the conversation', async () => {
  const home = createCodexHome();
  const path = home.write('one', PROJECT, 'hello');
  home.addSubAgent('one', PROJECT, 'child', 'looked');
  const grandchild = home.addSubAgent('child', PROJECT, 'grandchild', 'looked deeper');
  // Files that name each other.
  appendFileSync(grandchild, '{"payload":{"agent_thread_id":"child"}}\n');
  mkdirSync(join(home.home, 'archived_sessions'));
  renameSync(path, join(home.home, 'archived_sessions', path.slice(path.lastIndexOf('/') + 1)));
  const listed = await list(home, PROJECT);
  const found = await home.driver.nativeFiles?.find('one', PROJECT);
  expect(found?.files).toHaveLength(3);
  expect(found?.files[0]?.name).toMatch(/^archived_sessions\//);
  expect(listed).toHaveLength(1);
  expect(listed[0]?.nativeId).toBe('one');
  expect(new Set(listed[0]?.files)).toEqual(new Set(found?.files));
});
