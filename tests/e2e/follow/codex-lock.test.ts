import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromCanonical } from '../../../shared/ids.ts';
import { turnEnd } from '../../support/product/product-scene.ts';
import { codexProgram } from '../../support/terminals/codex-terminal.ts';
import { startProgram } from '../../support/terminals/run-program.ts';
import { type FollowScene, openFollowScene } from './follow-scene.ts';

/** An idle process is ended after a while. Otherwise Codex would let go a minute after we close the session. */
const LIMIT_MS = 60_000;

let scene: FollowScene;
beforeAll(async () => {
  scene = await openFollowScene();
  await scene.start();
});
afterAll(() => scene.close());

test(
  'follow/idle-lock a Codex session of ours that is idle lets a terminal in',
  async () => {
    const sessionId = await scene.server.createSession('codex', scene.projectDir);
    const window = await scene.server.window();
    await window.ask('session:subscribe', { sessionId });
    expect(await turnEnd(window, await scene.server.send(sessionId, 'say one'))).toBe('turn_complete');
    const { nativeId } = fromCanonical(sessionId);
    const args = ['exec', '--skip-git-repo-check', 'resume', nativeId, 'say two'];
    const resume = async () => {
      const { code, stderr } = await startProgram(codexProgram(), args, {
        cwd: scene.projectDir,
        env: scene.home.env,
      }).ended;
      if (code !== 0) expect(stderr).toContain('already has an active writer');
      return code;
    };
    expect(await resume()).not.toBe(0);
    await expect.poll(resume, { timeout: LIMIT_MS, interval: 500 }).toBe(0);
  },
  LIMIT_MS + 60_000,
);
