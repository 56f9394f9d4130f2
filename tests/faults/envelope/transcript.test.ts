import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEnvelopeRig } from '../../support/agents/envelope-rig.ts';

async function talk() {
  const rig = createEnvelopeRig();
  const sessionId = await rig.create();
  await rig.ask(sessionId, 'echo one');
  const folder = join(rig.dataDir, 'envelope', 'fixture');
  const path = join(folder, readdirSync(folder)[0] ?? '');
  const load = async () => {
    const { history } = await rig.provider.loadSession(sessionId, { projectDir: rig.projectDir });
    return history.map((item) => ('content' in item ? item.content : item.toolName));
  };
  return { rig, sessionId, path, load };
}

describe('a transcript', () => {
  it('that was cut off in a line loses that line alone, and says so', async () => {
    const { rig, sessionId, path, load } = await talk();
    await rig.provider.killSession(sessionId);
    truncateSync(path, readFileSync(path).length - 20);
    expect(await load()).toEqual(['echo one', '1 entry of this conversation could not be read and is missing here.']);

    await rig.ask(sessionId, 'echo two');
    expect(await load()).toEqual(['echo one', 'echo two', 'echo two', expect.stringContaining('1 entry')]);
  });

  it('with lines that are no entries keeps the others', async () => {
    const { path, load } = await talk();
    appendFileSync(path, 'rubbish\n{"order":9}\n{"order":-1,"item":{}}\n\n');
    expect(await load()).toEqual(['echo one', 'echo one', expect.stringContaining('3 entries')]);
  });

  it('that is gone ends the session for good: it is not continued in silence', async () => {
    const { rig, sessionId, path, load } = await talk();
    await rig.provider.killSession(sessionId);
    rmSync(path);
    await expect(load()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(rig.provider.sendMessage(sessionId, 'echo')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('that cannot be written is told once, and the conversation goes on', async () => {
    const { rig, sessionId, path } = await talk();
    rmSync(path);
    mkdirSync(path);
    await rig.ask(sessionId, 'echo two');
    await rig.ask(sessionId, 'echo three');

    expect(rig.texts().filter((text) => text.includes('cannot be saved'))).toHaveLength(1);
    expect(rig.texts().at(-1)).toBe('echo three');
  });

  it('that could not be written for a while gets what it missed, and the user is told', async () => {
    const { rig, sessionId, path, load } = await talk();
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    await rig.ask(sessionId, 'echo two');
    rmdirSync(path);
    renameSync(`${path}.away`, path);
    expect((await load()).filter((text) => text === 'echo two')).toHaveLength(2);

    await rig.ask(sessionId, 'echo three');
    await rig.provider.killSession(sessionId);
    const told = (await load()).filter((text) => text.startsWith('This conversation'));
    expect(told).toEqual([expect.stringContaining('cannot be saved'), expect.stringContaining('saved again')]);
    expect((await load()).filter((text) => text === 'echo two')).toHaveLength(2);
  });

  it('that can be written again when the session is closed gets what it missed', async () => {
    const { rig, sessionId, path, load } = await talk();
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    await rig.ask(sessionId, 'echo two');
    rmdirSync(path);
    renameSync(`${path}.away`, path);
    await rig.provider.killSession(sessionId);
    expect((await load()).filter((text) => text === 'echo two')).toHaveLength(2);
  });

  it('that cannot be read or made is told with what to do', async () => {
    const { rig, sessionId, path, load } = await talk();
    await rig.provider.killSession(sessionId);
    rmSync(path);
    mkdirSync(path);
    await expect(load()).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining('EISDIR'),
    });

    rmSync(join(rig.dataDir, 'envelope'), { recursive: true });
    writeFileSync(join(rig.dataDir, 'envelope'), 'in the way');
    await expect(rig.create()).rejects.toMatchObject({ code: 'SESSION_CREATE_FAILED' });
    expect(rig.running()).toBe(0);
  });
});
