import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PermissionRequest } from '../../../../server/engine/permission.ts';
import { type AcpRigOptions, createAcpRig, fixtureAgent, watchSession } from '../../../support/agents/acp-rig.ts';

async function open(options: Partial<AcpRigOptions> = {}) {
  const rig = createAcpRig({ agent: fixtureAgent('talker'), ...options });
  const { sessionId } = await rig.provider.createSession({ projectDir: rig.projectDir });
  const watch = watchSession(rig.provider, sessionId);
  const ask = async (method: string, params: object): Promise<unknown> =>
    JSON.parse((await watch.turn(`client ${JSON.stringify([method, params])}`)).text);
  return { ...rig, sessionId, watch, ask };
}

describe('an agent that sends requests to its client', { timeout: 30_000 }, () => {
  it('gets permission by its own option to allow once', async () => {
    const asked: PermissionRequest[] = [];
    const { watch, sessionId } = await open({
      decidePermission: async (request) => {
        asked.push(request);
        return { allow: true };
      },
    });
    expect((await watch.turn('permission')).text).toBe('{"outcome":"selected","optionId":"once"}');
    expect(asked).toMatchObject([
      { sessionId, toolName: 'execute', title: 'Touch it', input: { command: 'touch it' } },
    ]);
  });

  it('is denied by its own option to reject, and continues', async () => {
    const { watch } = await open({ decidePermission: async () => ({ allow: false, reason: 'no' }) });
    const { text, end } = await watch.turn('permission');
    expect(text).toBe('{"outcome":"selected","optionId":"no"}');
    expect(end).toMatchObject({ status: 'completed' });
  });

  it('is denied when the decision fails', async () => {
    const { watch } = await open({ decidePermission: () => Promise.reject(new Error('no one there')) });
    expect((await watch.turn('permission')).text).toBe('{"outcome":"selected","optionId":"no"}');
  });

  it('gets the outcome "cancelled" when its turn is cancelled', async () => {
    let askedNow = () => {};
    const asked = new Promise<void>((resolve) => {
      askedNow = resolve;
    });
    const { watch, provider, sessionId } = await open({
      decidePermission: () => {
        askedNow();
        return new Promise(() => {});
      },
    });
    const { turnId } = await provider.sendMessage(sessionId, 'permission');
    await asked;
    await provider.cancelTurn(sessionId);
    expect(await watch.ended(turnId)).toMatchObject({ status: 'cancelled' });
    expect(watch.items().at(-1)).toMatchObject({ content: '{"outcome":"cancelled"}' });
  });

  it('reads and writes files in the project', async () => {
    const { ask, projectDir } = await open();
    writeFileSync(join(projectDir, 'a.txt'), 'one\ntwo\nthree\n');
    expect(await ask('fs/read_text_file', { path: join(projectDir, 'a.txt'), line: 2, limit: 1 })).toEqual({
      content: 'two',
    });
    expect(await ask('fs/write_text_file', { path: join(projectDir, 'new/b.txt'), content: 'hi' })).toEqual({});
    expect(readFileSync(join(projectDir, 'new/b.txt'), 'utf8')).toBe('hi');
  });

  it('is refused files outside the project, missing files, and sessions of others', async () => {
    const { ask, projectDir } = await open();
    expect(await ask('fs/read_text_file', { path: '/etc/hostname' })).toEqual({
      code: -32602,
      message: 'Invalid params: /etc/hostname is outside the project directory.',
    });
    expect(await ask('fs/read_text_file', { path: join(projectDir, 'gone') })).toMatchObject({ code: -32002 });
    expect(await ask('fs/read_text_file', { path: projectDir, sessionId: 'other' })).toMatchObject({ code: -32002 });
    expect(await ask('terminal/output', { terminalId: 'none' })).toMatchObject({ code: -32602 });
    expect(await ask('elicitation/create', {})).toMatchObject({ code: -32601 });
  });

  it('runs a program in the project, and its output is shown in the tool call', async () => {
    const { watch, projectDir } = await open();
    const { items } = await watch.turn(
      `terminal ${JSON.stringify([process.execPath, '-e', 'console.log(process.cwd()); process.exit(4)'])}`,
    );
    expect(items[1]).toMatchObject({
      type: 'tool_call',
      status: 'complete',
      toolOutput: `${projectDir}\n`,
      exitCode: 4,
      toolKind: 'execute',
    });
  });
});
