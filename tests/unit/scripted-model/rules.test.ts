import { describe, expect, it } from 'vitest';
import { type Rule, type Scenario, say } from '../../../scripted-model/index.ts';
import { describeConversation } from '../../../scripted-model/scenario/conversation.ts';
import { chooseReplies } from '../../../scripted-model/scenario/rules.ts';

const about = (prompt: string) =>
  describeConversation({
    api: 'anthropic',
    model: '',
    sessionId: '',
    cwd: undefined,
    isSideQuestion: false,
    entries: [{ kind: 'user', text: prompt }],
  });

const answer = (text: string): Scenario => [[say(text)]];

const choose = (rules: readonly Rule[], prompt: string) => chooseReplies(rules, answer('fallback'), about(prompt));

describe('the choice of a scenario', () => {
  it.each([
    ['run', 'please RUN it', true],
    ['run', 'run', true],
    ['run', 'prune the tree', false],
    ['run', 'running', false],
    ['c++', 'I like C++, really', true],
    ['größe', 'welche Größe?', true],
    ['x', 'größex', false],
    [/^run (\d+)/, 'run 12 times', true],
    [/^run/, 'please run', false],
  ])('matches %s in "%s": %s', (when, prompt, found) => {
    expect(choose([{ when, scenario: answer('found') }], prompt)).toEqual(answer(found ? 'found' : 'fallback'));
  });

  it('is the same every time, also for a pattern that keeps a position', () => {
    const rules = [{ when: /run/g, scenario: answer('found') }];
    expect([choose(rules, 'run'), choose(rules, 'run')]).toEqual([answer('found'), answer('found')]);
  });

  it('takes the first rule that matches', () => {
    const rules = ['one', 'two'].map((text) => ({ when: 'run', scenario: answer(text) }));
    expect(choose(rules, 'run')).toEqual(answer('one'));
  });

  it('passes the conversation to a scenario function', () => {
    const scenario: Scenario = ({ prompt }) => [[say(`You said: ${prompt}`)]];
    expect(choose([{ when: 'run', scenario }], 'run far')).toEqual(answer('You said: run far'));
  });
});
