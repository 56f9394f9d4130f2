import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { identify } from '../../../server/processes/process-start-time.ts';
import { createProcessTable } from '../../../server/processes/system-process-table.ts';
import { canActAsOther, giveToOther } from '../../support/other-user.ts';
import { plainAddress } from '../../support/product/plain-address.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { buildServer, runServer } from './run-server.ts';

beforeAll(buildServer);

interface Scene {
  readonly home: string;
  readonly dataDir: string;
  /** A file of the user outside the data directory. */
  readonly precious: string;
}

type Attack = readonly [name: string, plant: (scene: Scene) => void, reason: RegExp];

const ADDRESS = 'http://127.0.0.1:6666/#token=of-the-attacker-0123456789';
const LEDGER_ENTRY = '00000000-0000-4000-8000-000000000000.json';

/** A lock whose owner runs: this process. */
function lockRecord(): string {
  const identity = identify(createProcessTable(), process.pid);
  return JSON.stringify({ id: 'planted', ...identity, released: false, url: ADDRESS });
}

function plantLock({ dataDir }: Scene): string {
  mkdirSync(join(dataDir, 'lock'), { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'lock', 'owner.json');
  writeFileSync(path, lockRecord());
  return path;
}

/** These need no second user. */
const attacks: Attack[] = [
  ['a directory that everybody can write to', ({ dataDir }) => chmodSync(dataDir, 0o777), /other users can write/],
  ['a directory that its group can write to', ({ dataDir }) => chmodSync(dataDir, 0o770), /other users can write/],
  [
    'a directory below one that everybody can write to',
    ({ home }) => chmodSync(home, 0o777),
    /everybody can write to .*chmod o-w/,
  ],
  [
    'a token that is a link',
    ({ dataDir, home }) => {
      writeFileSync(join(home, 'known'), 'a-token-that-is-known-to-others');
      symlinkSync(join(home, 'known'), join(dataDir, 'token'));
    },
    /token is a link/,
  ],
  [
    'a log that is a link',
    ({ dataDir, precious }) => symlinkSync(precious, join(dataDir, 'server.log')),
    /server\.log is a link/,
  ],
  [
    'a projects file that is a link',
    ({ dataDir, precious }) => symlinkSync(precious, join(dataDir, 'projects.json')),
    /projects\.json is a link/,
  ],
  [
    'a lock that is a link',
    (scene) => {
      writeFileSync(join(scene.home, 'lock.json'), lockRecord());
      mkdirSync(join(scene.dataDir, 'lock'), { mode: 0o700 });
      symlinkSync(join(scene.home, 'lock.json'), join(scene.dataDir, 'lock', 'owner.json'));
    },
    /owner\.json is a link/,
  ],
  [
    'a directory of locks that is a link',
    (scene) => {
      mkdirSync(join(scene.home, 'elsewhere'));
      writeFileSync(join(scene.home, 'elsewhere', 'owner.json'), lockRecord());
      symlinkSync(join(scene.home, 'elsewhere'), join(scene.dataDir, 'lock'));
    },
    /lock is a link/,
  ],
  [
    'a process ledger that is a link',
    ({ dataDir, home }) => {
      mkdirSync(join(home, 'elsewhere'));
      symlinkSync(join(home, 'elsewhere'), join(dataDir, 'processes'));
    },
    /processes is a link/,
  ],
];

const attacksByOthers: Attack[] = [
  ['a directory of another user', ({ dataDir }) => giveToOther(dataDir), /belongs to another user \(uid 65534\)/],
  [
    'a directory behind a link of another user',
    ({ home, dataDir }) => {
      symlinkSync(home, join(home, 'through'));
      giveToOther(join(home, 'through'));
      expect(existsSync(dataDir)).toBe(true);
    },
    /a link of another user/,
  ],
  [
    'a token of another user',
    ({ dataDir }) => {
      writeFileSync(join(dataDir, 'token'), 'a-token-that-is-known-to-others');
      giveToOther(join(dataDir, 'token'));
    },
    /token belongs to another user/,
  ],
  ['a lock of another user', (scene) => giveToOther(plantLock(scene)), /owner\.json belongs to another user/],
  [
    'a ledger entry of another user',
    ({ dataDir }) => {
      mkdirSync(join(dataDir, 'processes'), { mode: 0o700 });
      writeFileSync(join(dataDir, 'processes', LEDGER_ENTRY), '{}');
      giveToOther(join(dataDir, 'processes', LEDGER_ENTRY));
    },
    /belongs to another user/,
  ],
  [
    'a projects file of another user',
    ({ dataDir }) => {
      writeFileSync(join(dataDir, 'projects.json'), '{"version":1,"projects":[],"removed":[]}');
      giveToOther(join(dataDir, 'projects.json'));
    },
    /projects\.json belongs to another user/,
  ],
];

function prepareScene(): Scene {
  const home = scratchDirectory();
  const scene = { home, dataDir: join(home, 'data'), precious: join(home, 'precious') };
  mkdirSync(scene.dataDir, { mode: 0o700 });
  writeFileSync(scene.precious, 'precious\n');
  return scene;
}

describe('safe/data-directory a start is refused with one line, exit code 2, no address and nothing written', () => {
  it.each([...attacks, ...(canActAsOther ? attacksByOthers : [])])('for %s', async (name, plant, reason) => {
    const scene = prepareScene();
    plant(scene);
    const path = name.includes('behind a link') ? join(scene.home, 'through', 'data') : scene.dataDir;

    const { code, stdout, stderr } = await runServer({ home: scene.home, args: ['--data-dir', path] }).exited;

    expect(stderr).toMatch(/^liminal-builder: [^\n]+\n$/);
    expect(stderr).toMatch(reason);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(readFileSync(scene.precious, 'utf8')).toBe('precious\n');
  });

  it('for a link to a directory, and names the directory', async () => {
    const { home, dataDir } = prepareScene();
    symlinkSync(dataDir, join(home, 'link'));

    const { code, stderr } = await runServer({ home, args: ['--data-dir', join(home, 'link')] }).exited;

    expect(code).toBe(2);
    expect(stderr).toBe(
      `liminal-builder: --data-dir: ${join(home, 'link')} is a link. Name the directory itself: ${dataDir}\n`,
    );
    expect(readdirSync(dataDir)).toEqual([]);
  });
});

describe('safe/data-directory a start goes on', () => {
  it('with a directory of an older version, which others could read, and makes everything in it private', async () => {
    const { home, dataDir } = prepareScene();
    const names = ['projects.json', 'token', 'server.log'];
    writeFileSync(join(dataDir, 'projects.json'), '{"version":1,"projects":[],"removed":[]}');
    writeFileSync(join(dataDir, 'token'), 'the-same-token-as-always-0123');
    writeFileSync(join(dataDir, 'server.log'), 'earlier\n');
    for (const name of names) chmodSync(join(dataDir, name), 0o666);
    chmodSync(dataDir, 0o755);

    const { origin } = plainAddress(await runServer({ home, args: ['--data-dir', dataDir] }).ready());

    const headers = { authorization: 'Bearer the-same-token-as-always-0123' };
    expect((await fetch(`${origin}/api/project`, { headers })).status).toBe(200);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    for (const name of names) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dataDir, 'server.log'), 'utf8')).toMatch(/^earlier\n/);
  });

  it('below a directory that everybody can write to if only owners can rename there', async () => {
    const { home, dataDir } = prepareScene();
    chmodSync(home, 0o1777);

    await runServer({ home, args: ['--data-dir', dataDir] }).ready();
  });

  it('through a link of the user in the path', async () => {
    const { home } = prepareScene();
    symlinkSync(home, join(home, 'through'));

    await runServer({ home, args: ['--data-dir', join(home, 'through', 'data')] }).ready();
  });

  it('beside a temporary file of the token that is a link, which is not written through', async () => {
    const { home, dataDir, precious } = prepareScene();
    symlinkSync(precious, join(dataDir, 'token.tmp'));

    await runServer({ home, args: ['--data-dir', dataDir] }).ready();

    expect(readFileSync(precious, 'utf8')).toBe('precious\n');
  });

  const planted: Array<readonly [string, (path: string) => void, RegExp]> = [
    ['that others can write to', (path) => chmodSync(path, 0o666), /can be written by other users/],
    ...(canActAsOther ? [['of another user', giveToOther, /belongs to another user/] as const] : []),
  ];
  it.each(planted)('without the agents of an agents.json %s, and says so', async (_name, plant, reason) => {
    const { home, dataDir } = prepareScene();
    const path = join(dataDir, 'agents.json');
    const agent = { cliType: 'planted', label: 'Claude Code', command: '/bin/true', protocol: 'envelope' };
    writeFileSync(path, JSON.stringify({ version: 1, agents: [agent] }));
    plant(path);
    const server = runServer({ home, args: ['--data-dir', dataDir] });

    const { origin } = plainAddress(await server.ready());

    const health = await (await fetch(`${origin}/api/health`)).text();
    expect(health).not.toContain('planted');
    expect(server.stderr()).toMatch(/^Warning: The agents in agents\.json are not used: /);
    expect(server.stderr()).toMatch(reason);
    expect(readFileSync(join(dataDir, 'server.log'), 'utf8')).toMatch(reason);
  });

  it('with an agents.json that others can read but not write', async () => {
    const { home, dataDir } = prepareScene();
    const agent = { cliType: 'mine', label: 'Mine', command: '/bin/true', protocol: 'envelope' };
    writeFileSync(join(dataDir, 'agents.json'), JSON.stringify({ version: 1, agents: [agent] }), { mode: 0o644 });
    const server = runServer({ home, args: ['--data-dir', dataDir] });

    const { origin } = plainAddress(await server.ready());

    expect(await (await fetch(`${origin}/api/health`)).text()).toContain('mine');
    expect(server.stderr()).toBe('');
    expect(statSync(join(dataDir, 'agents.json')).mode & 0o777).toBe(0o644);
  });
});
