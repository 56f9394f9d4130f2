import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { buildServer, runServer } from './run-server.ts';

beforeAll(buildServer);

const flags: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['a port that is not a number', ['--port', 'abc'], /--port.*"abc"/],
  ['a port that is too large', ['--port', '70000'], /--port.*65535.*"70000"/],
  ['a negative port', ['--port=-1'], /--port.*"-1"/],
  ['an empty port', ['--port', ''], /--port.*""/],
  ['a port without a value', ['--port'], /--port/],
  ['an invalid host', ['--host', 'no host'], /--host.*"no host"/],
  ['an empty data directory', ['--data-dir', ''], /--data-dir/],
  ['a data directory below a file', ['--data-dir', 'HOME/file/below'], /cannot be created/],
  ['a data directory that is a file', ['--data-dir', 'HOME/file'], /is a file/],
  ['a data directory that cannot be created', ['--data-dir', '/proc/liminal'], /cannot be created/],
  ['a flag that does not exist', ['--prot', '3000'], /--prot/],
  ['an argument that is not a flag', ['start'], /start/],
];

const variables: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  ['LIMINAL_PORT', { LIMINAL_PORT: 'abc' }, /LIMINAL_PORT.*"abc"/],
  ['LIMINAL_HOST', { LIMINAL_HOST: 'a/b' }, /LIMINAL_HOST.*"a\/b"/],
  ['LIMINAL_DATA_DIR', { LIMINAL_DATA_DIR: 'HOME/file' }, /is a file/],
  ['LIMINAL_OPEN', { LIMINAL_OPEN: 'maybe' }, /LIMINAL_OPEN.*"maybe"/],
  ['LIMINAL_TOKEN', { LIMINAL_TOKEN: 'short' }, /LIMINAL_TOKEN/],
  ['ACP_START_TIMEOUT_MS', { ACP_START_TIMEOUT_MS: '0' }, /ACP_START_TIMEOUT_MS.*"0"/],
];

/** Only the file that was put there, unchanged. */
function expectUntouched(home: string): void {
  expect(readdirSync(home, { recursive: true })).toEqual(['file']);
  expect(readFileSync(join(home, 'file'), 'utf8')).toBe('precious');
}

async function refuse(args: readonly string[], env: Record<string, string>, reason: RegExp): Promise<void> {
  const home = scratchDirectory();
  writeFileSync(join(home, 'file'), 'precious');
  const inHome = (text: string) => text.replace('HOME', home);

  const { exited } = runServer({
    home,
    args: args.map(inHome),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, inHome(value)])),
  });
  const { code, stdout, stderr } = await exited;

  expect(stderr).toMatch(/^liminal-builder: .+\n$/);
  expect(stderr).toMatch(reason);
  expect(stdout).toBe('');
  expect(code).toBe(2);
  expectUntouched(home);
}

describe('one line on stderr, exit code 2 and no files', () => {
  it.each(flags)('for %s', async (_name, args, reason) => refuse(args, {}, reason));
  it.each(variables)('for %s', async (_name, env, reason) => refuse([], env, reason));
});
