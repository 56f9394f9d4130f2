import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProvider } from '../../../server/engine/create-provider.ts';
import { nativeHomes } from '../../support/agents/native-homes.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createTestApp } from '../../support/server/test-app.ts';

describe.each(nativeHomes)('a session of $name that a terminal continues', ({ create }) => {
  async function openTerminalSession() {
    const native = create();
    const directory = scratchDirectory();
    const projectDir = join(directory, 'project');
    mkdirSync(projectDir);
    const path = native.write('one', projectDir, 'The first question.');
    const provider = createProvider(native.driver, { onProblem: expect.fail });
    const app = await createTestApp({ dataDir: join(directory, 'data'), providers: [provider] });
    const { id: projectId } = await app.stores.projects.addProject(projectDir);
    const { cliType } = native.driver;
    const sessionId = `${cliType}:one`;
    const at = '2026-01-01T00:00:00.000Z';
    const meta = { id: sessionId, projectId, cliType, archived: false, title: 'One', used: true };
    await app.stores.sessions.add({ ...meta, createdAt: at, lastActiveAt: at });
    const window = await app.connect();
    const shown = await window.ask('session:open', { sessionId });
    return { native, path, projectDir, provider, app, sessionId, window, shown };
  }

  it('follow/live follow/never-written is followed within a second, without a process and without a byte written', async () => {
    const { native, path, projectDir, provider, sessionId, window, shown } = await openTerminalSession();
    expect(JSON.stringify(shown.entries)).toContain('The first question.');
    for (const question of ['The second question.', 'The third question.']) {
      const began = performance.now();
      native.ask('one', projectDir, question);
      const written = readFileSync(path);
      const told = await window.next(
        (frame) => frame.type === 'session:upsert' && JSON.stringify(frame.payload).includes(question),
      );
      expect(performance.now() - began).toBeLessThan(1_000);
      expect(told.seq).toBeGreaterThan(Number(shown.asOf));
      expect(readFileSync(path)).toEqual(written);
    }
    expect(window.frames.filter(({ type }) => type === 'session:history')).toHaveLength(1);
    expect(provider.isAlive(sessionId)).toBe(false);
  });

  it('follow/live follow/hostile shows a last line that is torn when it is whole', async () => {
    const { native, path, projectDir, window } = await openTerminalSession();
    const before = statSync(path).size;
    native.ask('one', projectDir, 'The torn question.');
    const row = readFileSync(path).subarray(before);
    truncateSync(path, before);
    const told = window.next((frame) => frame.type === 'session:upsert');
    appendFileSync(path, row.subarray(0, 30));
    appendFileSync(path, row.subarray(30));
    expect(JSON.stringify((await told).payload)).toContain('The torn question.');
  });
});
