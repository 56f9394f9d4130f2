import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProvider } from '../../../server/engine/create-provider.ts';
import { nativeHomes } from '../../support/agents/native-homes.ts';
import { keepOne } from '../../support/keep-one.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createTestApp } from '../../support/server/test-app.ts';

describe.each(nativeHomes)('a conversation of $name', ({ create }) => {
  it('keep/gone is read from its copy if the agent has deleted it and the journal never had it', async () => {
    const native = create();
    const directory = scratchDirectory();
    const dataDir = join(directory, 'data');
    const projectDir = join(directory, 'project');
    mkdirSync(projectDir);
    const { cliType } = native.driver;
    const sessionId = `${cliType}:one`;
    const path = native.write('one', projectDir, 'The code word is heron.');
    mkdirSync(dataDir, { mode: 0o700 });
    await keepOne(dataDir, sessionId, relative(native.home, path), readFileSync(path, 'utf8'));
    rmSync(path);

    const provider = createProvider(native.driver, { onProblem: expect.fail });
    const app = await createTestApp({ dataDir, providers: [provider] });
    const { id: projectId } = await app.stores.projects.addProject(projectDir);
    const at = '2026-01-01T00:00:00.000Z';
    const meta = { id: sessionId, projectId, cliType, archived: false, title: 'One', used: true };
    await app.stores.sessions.add({ ...meta, createdAt: at, lastActiveAt: at });
    const window = await app.connect();
    const shown = await window.ask('session:open', { sessionId });
    expect(shown).toMatchObject({ type: 'session:history', missing: true });
    expect(JSON.stringify(shown.entries)).toContain('The code word is heron.');

    const url = `/api/session/${encodeURIComponent(sessionId)}`;
    const refused = await app.request('POST', `${url}/send`, { body: { content: 'hello' } });
    expect(refused).toMatchObject({ status: 409, body: { code: 'TRANSCRIPT_MISSING' } });

    const from = window.frames.length;
    expect(await app.request('POST', `${url}/put-back`, { body: {} })).toMatchObject({
      status: 200,
      body: { files: 1 },
    });
    const again = await window.next(
      (frame) => frame.type === 'session:history' && window.frames.indexOf(frame) >= from,
    );
    expect(again.missing).toBeUndefined();
    expect(again.entries).toEqual(shown.entries);
  });
});

it('keep/disk-full every window is told when what happens is not kept, and when it is again', async () => {
  const listeners: ((trouble: string | undefined) => void)[] = [];
  const app = await createTestApp({
    stores: (stores) => ({ ...stores, onTrouble: (listener) => void listeners.push(listener) }),
  });
  const window = await app.connect();
  for (const tell of listeners) tell('The disk is full.');
  expect(await window.next('error')).toMatchObject({
    code: 'STORAGE_FAILED',
    message: 'What happens now is not kept. The disk is full.',
  });
  const from = window.frames.length;
  for (const tell of listeners) tell(undefined);
  const again = await window.next((frame) => frame.type === 'error' && window.frames.indexOf(frame) >= from);
  expect(again.message).toMatch(/kept/);
});
