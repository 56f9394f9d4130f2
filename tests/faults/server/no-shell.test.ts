import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { createLogger } from '../../../server/log.ts';
import { createProcessHost, createProcessLedger } from '../../../server/processes/index.ts';
import { createEnvelopeProvider } from '../../../server/providers/envelope/envelope-driver.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createTestApp } from '../../support/server/test-app.ts';

const echoAgent = fileURLToPath(new URL('../../../examples/echo-agent.mjs', import.meta.url));

/** Each would create a file named `canary` if a shell interpreted it. */
const hostile = [
  '$(touch canary)',
  '`touch canary`',
  '; touch canary;',
  '| touch canary',
  '&& touch canary',
  '"; touch canary; "',
  "'; touch canary; '",
  '-e require("fs").writeFileSync("canary","")',
  '--help',
  '*',
  '~',
  'new\nline; touch canary',
];

it('hostile names of projects and hostile messages reach a real process as they are and never a shell', async () => {
  const scratch = scratchDirectory();
  const ledger = createProcessLedger(join(scratch, 'ledger'));
  const provider = createEnvelopeProvider({
    cliType: 'echo',
    label: 'Echo',
    command: process.execPath,
    args: [echoAgent],
    env: { PATH: process.env.PATH ?? '' },
    dataDir: scratch,
    whatRuns: async () => [],
    host: createProcessHost({ ledger }),
    clock: systemClock,
    newId: randomUUID,
    log: createLogger('no-token-is-needed-here', () => undefined),
  });
  const app = await createTestApp({ providers: [provider] });
  const window = await app.connect();

  await Promise.all(
    hostile.map(async (text) => {
      const directory = join(scratch, 'projects', text);
      mkdirSync(directory, { recursive: true });
      const added = await window.ask('project:add', { path: directory });
      // Whitespace around a path is trimmed.
      expect(added.project?.path).toBe(directory.trim());
      const { sessionId } = await window.ask('session:create', { cliType: 'echo', projectDir: directory });
      await window.ask('session:open', { sessionId });
      await window.ask('session:send', { sessionId, content: text });
      const answer = await window.next(
        ({ payload }) =>
          payload?.sessionId === sessionId &&
          payload?.type === 'message' &&
          payload.status === 'complete' &&
          payload.origin === 'agent',
      );
      expect(answer.payload).toMatchObject({ content: text });
      expect(readdirSync(directory)).toEqual([]);
    }),
  );
  await app.close();

  expect(readdirSync(join(scratch, 'projects'))).toHaveLength(hostile.length);
  expect([scratch, process.cwd(), app.dataDir].filter((path) => existsSync(join(path, 'canary')))).toEqual([]);
  expect(ledger.entries()).toEqual([]);
});
