import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Reply, type ScriptedModel, say, shell, startScriptedModel } from '../../../scripted-model/index.ts';
import { simulateClaude, simulateCodex } from './simulated-agent.ts';

let model: ScriptedModel;

beforeEach(async () => {
  model = await startScriptedModel({
    rules: [
      {
        when: /^count to (\d+) as (\w+)/,
        scenario: ({ prompt }) => {
          const [, last, name] = /^count to (\d+) as (\w+)/.exec(prompt) ?? [];
          return Array.from({ length: Number(last) }, (_, index): Reply => {
            const text = say(`${name} ${index + 1}`);
            return index + 1 < Number(last) ? [text, shell('one'), shell('two')] : [text];
          });
        },
      },
    ],
  });
});

afterEach(() => model.close());

const agents = [
  ['Claude Code', simulateClaude],
  ['Codex', simulateCodex],
] as const;

describe.each(agents)('conversations of %s', (_, simulate) => {
  it('continue their scenario after the tools of each reply have run', async () => {
    expect(await simulate(model.url, 's').turn('count to 3 as a')).toEqual(['a 1', 'a 2', 'a 3']);
  });

  it('start a new scenario with each message of the user, also with an equal one', async () => {
    const agent = simulate(model.url, 's');
    await agent.turn('count to 2 as a');
    expect(await agent.turn('hello')).toEqual(['Hello from the scripted model.']);
    expect(await agent.turn('count to 2 as a')).toEqual(['a 1', 'a 2']);
  });

  it('are independent, however many run at once', async () => {
    const counts = Array.from({ length: 20 }, (__, index) => 1 + (index % 5));
    const said = await Promise.all(
      counts.map((count, index) => simulate(model.url, `s${index}`).turn(`count to ${count} as n${index}`)),
    );
    expect(said).toEqual(counts.map((count, n) => Array.from({ length: count }, (__, index) => `n${n} ${index + 1}`)));
  });

  it('end with a closing reply when the scenario has no more replies', async () => {
    model.when('endless', [[shell('ls')]]);
    expect(await simulate(model.url, 's').turn('endless')).toEqual(['', 'Done.']);
  });

  it('can report what the model knows', async () => {
    const agent = simulate(model.url, 's');
    await agent.turn('my name is Ada');
    expect(await agent.turn('context?')).toEqual(['I know 2 user messages. The first was: my name is Ada']);
  });
});

it('both agents share one server and one scenario', async () => {
  const said = await Promise.all(agents.map(([name, simulate]) => simulate(model.url, name).turn('count to 2 as x')));
  expect(said).toEqual([
    ['x 1', 'x 2'],
    ['x 1', 'x 2'],
  ]);
});
