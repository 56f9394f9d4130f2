import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { createProductClient } from '../../support/product/product-client.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { startStrangers } from '../../support/server/strangers.ts';
import { buildServer, runServer } from './run-server.ts';

beforeAll(buildServer);

const LIMIT = 256;
const MANY_WINDOWS = 80;
/** More than the limit allows. */
const MANY_SESSIONS = 80;
const SHORTAGE = /Too many open files: \d+ of the 256 .* ulimit -n 4096/;

/** An agent that starts fast and says nothing of use. */
const silentAgent = { cliType: 'silent', label: 'Silent', command: '/bin/cat', protocol: 'envelope' };

it('safe/descriptors with 256 descriptors, strangers, windows and agents: reachable, logged, and the error says why', async () => {
  const home = scratchDirectory();
  const dataDir = join(home, '.liminal-builder');
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, 'agents.json'), JSON.stringify({ version: 1, agents: [silentAgent] }));
  const server = runServer({ home, openFiles: LIMIT, env: { LIMINAL_MAX_AWAKE: '1000' } });
  const { origin, port, hash } = new URL(await server.ready());
  const client = createProductClient({ origin, token: hash.replace('#token=', '') });
  const strangers = await startStrangers(Number(port), 350, 100);
  const windows = await Promise.all(Array.from({ length: MANY_WINDOWS }, () => client.window()));

  const failures = new Set<string>();
  for (let count = 0; count < MANY_SESSIONS; count += 1) {
    await client
      .createSession('silent', home)
      .then((sessionId) => client.send(sessionId, 'hello'))
      .catch((error: Error) => failures.add(error.message));
  }

  expect([...failures]).not.toEqual([]);
  for (const failure of failures) {
    expect(failure).toMatch(/: TOO_MANY_OPEN_FILES\. /);
    expect(failure).toMatch(SHORTAGE);
  }
  for (let count = 0; count < 10; count += 1) {
    await strangers.more();
    const window = await client.window();
    await window.settled();
    await window.close();
    expect((await fetch(`${origin}/api/health`)).status).toBe(200);
  }
  await Promise.all(windows.map((window) => window.settled()));
  expect(server.stderr()).toMatch(/^Warning: The limit of open files is 256/);
  const shortages = readFileSync(join(dataDir, 'server.log'), 'utf8')
    .split('\n')
    .filter((line) => SHORTAGE.test(line) && line.includes('"level":40'));
  expect(shortages).toHaveLength(1);
});
