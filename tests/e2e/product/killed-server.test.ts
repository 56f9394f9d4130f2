import { once } from 'node:events';
import { watch } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { claudeEnvironment, prepareCodexHome, say, shell, startScriptedModel } from '../../../scripted-model/index.ts';
import { program } from '../../support/processes/program.ts';
import { type BuiltProduct, buildProduct } from '../../support/product/built-product.ts';
import { prepareProductScene, textsOf, turnEnd } from '../../support/product/product-scene.ts';

const [NO_AGENT = ''] = program('print-nothing').args;

let product: BuiltProduct;
beforeAll(async () => {
  product = await buildProduct({ withAgents: true });
});
afterAll(() => product.remove());

test.each(['claude-code', 'codex'])(
  'after kill -9 of the server while a tool of %s runs, the next server leaves no process and the conversation continues',
  async (cliType) => {
    const model = await startScriptedModel({
      rules: [
        { when: 'greet', scenario: [[say('Hello there.')]] },
        { when: 'wait', scenario: [[shell('touch started; sleep 600')], [say('Waited.')]] },
      ],
    });
    onTestFinished(() => model.close());
    const scene = await prepareProductScene(NO_AGENT, async (home) => {
      const agent = { baseUrl: model.url, home };
      return { ...claudeEnvironment(agent), ...(await prepareCodexHome(agent)) };
    });
    const server = await scene.start([process.execPath, product.main]);
    const window = await server.window();
    const sessionId = await server.createSession(cliType, scene.projectDir);
    await window.ask('session:subscribe', { sessionId });
    await turnEnd(window, await server.send(sessionId, 'greet me'));
    const watcher = watch(scene.projectDir);
    onTestFinished(() => watcher.close());
    const toolRuns = once(watcher, 'change');
    await server.send(sessionId, 'wait long');
    await toolRuns;
    await server.stop('SIGKILL');

    const next = await scene.start([process.execPath, product.main]);
    expect(scene.survivors()).toEqual([next.pid]);
    const texts = await textsOf(next, sessionId);
    expect(texts.slice(0, 3)).toEqual(['greet me', 'Hello there.', 'wait long']);

    const again = await next.window();
    await again.ask('session:subscribe', { sessionId });
    const turnId = await next.send(sessionId, 'What is the context?');
    expect(await turnEnd(again, turnId)).toBe('turn_complete');
    expect((await textsOf(next, sessionId)).at(-1)).toContain('I know 3 user messages.');
    expect(await next.stop()).toMatchObject({ code: 0, signal: null });
    expect(scene.survivors()).toEqual([]);
  },
);
