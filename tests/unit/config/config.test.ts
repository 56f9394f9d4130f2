import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { helpText, readInvocation, UsageError } from '../../../server/config.ts';

function read(argv: readonly string[] = [], env: Record<string, string> = {}) {
  const invocation = readInvocation(argv, env);
  if (invocation.kind !== 'run') throw new Error(`It is ${invocation.kind}.`);
  return invocation.config;
}

describe('without flags and variables', () => {
  it('the defaults apply', () => {
    expect(read()).toEqual({
      port: 3000,
      host: '127.0.0.1',
      ownName: true,
      dataDir: join(homedir(), '.liminal-builder'),
      open: true,
      demo: false,
      startTimeoutMs: 15_000,
      promptTimeoutMs: 600_000,
      sleepAfterMs: 900_000,
      maxAwake: 8,
      spare: true,
      keep: true,
      keepLimitBytes: 20_480 * 1024 ** 2,
    });
  });

  it('an empty variable counts as unset', () => {
    const names = ['LIMINAL_PORT', 'LIMINAL_HOST', 'LIMINAL_DATA_DIR', 'LIMINAL_OPEN', 'LIMINAL_TOKEN', 'CLAUDE_PATH'];

    expect(read([], Object.fromEntries(names.map((name) => [name, ''])))).toEqual(read());
  });
});

describe('every variable', () => {
  it('is read', () => {
    expect(
      read([], {
        LIMINAL_PORT: '0',
        LIMINAL_HOST: '::1',
        LIMINAL_DATA_DIR: '/data',
        LIMINAL_OPEN: '0',
        LIMINAL_TOKEN: 'A-z0.9_~-A-z0.9_~',
        CLAUDE_PATH: '/bin/claude',
        CODEX_ACP_CMD: 'codex-acp --flag',
        ACP_START_TIMEOUT_MS: '1',
        ACP_PROMPT_TIMEOUT_MS: '2147483647',
        LIMINAL_SLEEP_AFTER_MS: '3',
        LIMINAL_MAX_AWAKE: '1000',
        LIMINAL_SPARE: '0',
        LIMINAL_KEEP: '0',
        LIMINAL_KEEP_LIMIT_MB: '1',
      }),
    ).toEqual({
      port: 0,
      host: '::1',
      ownName: false,
      dataDir: '/data',
      open: false,
      demo: false,
      token: 'A-z0.9_~-A-z0.9_~',
      claudePath: '/bin/claude',
      codexAcpCommand: 'codex-acp --flag',
      startTimeoutMs: 1,
      promptTimeoutMs: 2_147_483_647,
      sleepAfterMs: 3,
      maxAwake: 1000,
      spare: false,
      keep: false,
      keepLimitBytes: 1024 ** 2,
    });
  });

  it('engine/start-deadline the start timeout has a name of its own, which wins over the old one', () => {
    expect(read([], { LIMINAL_START_TIMEOUT_MS: '2' })).toMatchObject({ startTimeoutMs: 2 });
    expect(read([], { LIMINAL_START_TIMEOUT_MS: '2', ACP_START_TIMEOUT_MS: '1' })).toMatchObject({ startTimeoutMs: 2 });
  });

  it('is named in the help', () => {
    for (const name of ['LIMINAL_PORT', 'LIMINAL_HOST', 'LIMINAL_DATA_DIR', 'LIMINAL_OPEN', 'LIMINAL_TOKEN']) {
      expect(helpText).toContain(name);
    }
    for (const name of [
      'LIMINAL_KEEP=0',
      'LIMINAL_KEEP_LIMIT_MB',
      'CLAUDE_PATH',
      'CODEX_ACP_CMD',
      'ACP_START_TIMEOUT_MS',
      'ACP_PROMPT_TIMEOUT_MS',
    ]) {
      expect(helpText).toContain(name);
    }
  });
});

describe('a flag', () => {
  it('overrides its variable', () => {
    const env = { LIMINAL_PORT: '1', LIMINAL_HOST: 'a', LIMINAL_DATA_DIR: '/a', LIMINAL_OPEN: '1' };

    const config = read(['--port', '65535', '--host=localhost', '--data-dir', '/b', '--no-open', '--demo'], env);

    expect(config).toMatchObject({ port: 65_535, host: 'localhost', dataDir: '/b', open: false, demo: true });
  });

  it('for help or version is handled before any error', () => {
    expect(readInvocation(['--help'], { LIMINAL_PORT: 'abc' })).toEqual({ kind: 'help' });
    expect(readInvocation(['-v', '--port', 'abc'], {})).toEqual({ kind: 'version' });
  });

  it('may give the data directory relative or with a tilde', () => {
    expect(read(['--data-dir', 'here']).dataDir).toBe(resolve('here'));
    expect(read(['--data-dir', '~']).dataDir).toBe(homedir());
    expect(read(['--data-dir', '~/there/']).dataDir).toBe(join(homedir(), 'there'));
    expect(read(['--data-dir', '~other']).dataDir).toBe(resolve('~other'));
  });
});

describe('safe/renew the command token', () => {
  it('takes the data directory and --renew', () => {
    expect(readInvocation(['token'], {})).toMatchObject({ kind: 'token', renew: false, config: read() });
    expect(readInvocation(['token', '--renew', '--data-dir', '/d'], {})).toMatchObject({
      kind: 'token',
      renew: true,
      config: { dataDir: '/d' },
    });
    expect(readInvocation(['--renew', 'token'], { LIMINAL_DATA_DIR: '/e' })).toMatchObject({
      renew: true,
      config: { dataDir: '/e' },
    });
    expect(readInvocation(['token', '--help'], {})).toEqual({ kind: 'help' });
  });

  it.each([
    [['token', 'more'], 'more'],
    [['tokens'], 'tokens'],
    [['token', '--port', '1'], '--port'],
    [['token', '--demo'], '--demo'],
    [['token', '--renew=yes'], '--renew'],
  ])('%j is rejected and names what is wrong', (argv, word) => {
    expect(() => readInvocation(argv, {})).toThrow(UsageError);
    expect(() => readInvocation(argv, {})).toThrow(word);
  });
});

describe('keep/export-all keep/import the commands export and import', () => {
  it('take a file, relative or with a tilde, and the data directory', () => {
    expect(readInvocation(['export', '/a.tar.gz'], {})).toMatchObject({ kind: 'export', file: '/a.tar.gz' });
    expect(readInvocation(['import', 'b', '--data-dir', '/d'], {})).toMatchObject({
      kind: 'import',
      file: resolve('b'),
      config: { dataDir: '/d' },
    });
    expect(readInvocation(['export', '~/a'], {})).toMatchObject({ file: join(homedir(), 'a') });
    expect(readInvocation(['export', '--help'], {})).toEqual({ kind: 'help' });
  });

  it.each([
    [['export'], 'needs the name of a file'],
    [['import', ' '], 'needs the name of a file'],
    [['import', 'a\0b'], 'needs the name of a file'],
    [['export', 'a', 'b'], "'b'"],
    [['export', 'a', '--host', 'h'], '--host'],
    [['import', 'a', '--no-open'], '--no-open'],
    [['constructor'], 'constructor'],
  ])('%j is rejected and names what is wrong', (argv, word) => {
    expect(() => readInvocation(argv, {})).toThrow(UsageError);
    expect(() => readInvocation(argv, {})).toThrow(word);
  });
});

describe('safe/origin a name of its own', () => {
  it('is used unless a host is asked for, even the default one', () => {
    expect(read([]).ownName).toBe(true);
    expect(read(['--host', '127.0.0.1']).ownName).toBe(false);
    expect(read([], { LIMINAL_HOST: 'localhost' }).ownName).toBe(false);
  });
});

describe('invalid input', () => {
  it.each([
    [['--port', 'abc'], {}],
    [['--port', '70000'], {}],
    [['--port', '65536'], {}],
    [['--port=-1'], {}],
    [['--port', '-1'], {}],
    [['--port', '3.5'], {}],
    [['--port', '0x10'], {}],
    [['--port', '1e3'], {}],
    [['--port', ' 3000'], {}],
    [['--port', ''], {}],
    [['--port'], {}],
    [['--host', ''], {}],
    [['--host', 'a b'], {}],
    [['--host', 'http://localhost'], {}],
    [['--data-dir', ''], {}],
    [['--data-dir', '  '], {}],
    [['--data-dir', 'a\0b'], {}],
    [['--unknown'], {}],
    [['--no-open=yes'], {}],
    [['word'], {}],
    [['--renew'], {}],
    [['--renew', '--port', '1'], {}],
    [[], { LIMINAL_PORT: '70000' }],
    [[], { LIMINAL_HOST: 'a/b' }],
    [[], { LIMINAL_OPEN: 'maybe' }],
    [[], { LIMINAL_OPEN: 'true' }],
    [[], { LIMINAL_TOKEN: 'fifteen-letters' }],
    [[], { LIMINAL_TOKEN: 'with a space in the middle' }],
    [[], { LIMINAL_TOKEN: '"quoted"-and-long-enough' }],
    [[], { LIMINAL_TOKEN: 'percent%20-and-long-enough' }],
    [[], { LIMINAL_TOKEN: 'x'.repeat(513) }],
    [[], { ACP_START_TIMEOUT_MS: '0' }],
    [[], { ACP_PROMPT_TIMEOUT_MS: '2147483648' }],
    [[], { LIMINAL_SLEEP_AFTER_MS: '-5' }],
    [[], { LIMINAL_START_TIMEOUT_MS: '0' }],
    [[], { LIMINAL_SPARE: 'no' }],
    [[], { LIMINAL_MAX_AWAKE: '0' }],
    [[], { LIMINAL_MAX_AWAKE: '1001' }],
    [[], { LIMINAL_KEEP: 'off' }],
    [[], { LIMINAL_KEEP: '2' }],
    [[], { LIMINAL_KEEP_LIMIT_MB: '0' }],
    [[], { LIMINAL_KEEP_LIMIT_MB: '-1' }],
    [[], { LIMINAL_KEEP_LIMIT_MB: '1.5' }],
    [[], { LIMINAL_KEEP_LIMIT_MB: '1000000001' }],
  ] as const)('%j %j is rejected with one line that names it', (argv, env) => {
    let refusal: unknown;
    try {
      readInvocation(argv, env);
    } catch (error) {
      refusal = error;
    }

    expect(refusal).toBeInstanceOf(UsageError);
    const { message } = refusal as UsageError;
    const [flag] = argv[0]?.split('=') ?? Object.keys(env);
    expect(message).toContain(flag);
    expect(message).not.toContain('\n');
  });
});
