import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Scenario, type ScriptedModel, say, startScriptedModel } from '../../../scripted-model/index.ts';
import { applyPace } from '../../../scripted-model/scenario/pace.ts';
import { allEvents, post } from './post.ts';
import { anthropicBody, userMessage } from './requests.ts';
import { createSteppingClock } from './stepping-clock.ts';

let model: ScriptedModel | undefined;

afterEach(() => model?.close());

async function play(fallback: Scenario) {
  const clock = createSteppingClock();
  model = await startScriptedModel({ fallback, clock });
  await allEvents(await post(`${model.url}/v1/messages`, anthropicBody([userMessage('go')])));
  return { clock, request: model.requests[0] };
}

describe('the pace of text', () => {
  it('splits a text into words with the whitespace after them', () => {
    expect([...applyPace('one two\n\nthree', {}).chunks]).toEqual(['one ', 'two\n\n', 'three']);
  });

  it('puts the given number of words into a chunk', () => {
    expect([...applyPace('one two three', { wordsPerChunk: 2 }).chunks]).toEqual(['one two ', 'three']);
  });

  it('preserves any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 5 }), (text, wordsPerChunk) => {
        expect([...applyPace(text, { wordsPerChunk }).chunks].join('')).toBe(text);
      }),
    );
  });

  it('sends the first chunk at once and each further one when it is due', async () => {
    const { clock } = await play([[say('one two three', { msBetweenChunks: 20 })]]);
    expect(clock.sleeps).toEqual([20, 20]);
  });

  it('turns tokens per second into time between words', async () => {
    const { clock } = await play([[say('one two three', { tokensPerSecond: 500 })]]);
    expect(clock.sleeps).toEqual([2, 2]);
  });

  it('does not wait for a chunk that is already late', async () => {
    const clock = createSteppingClock();
    const chunksOf = function* () {
      yield 'one ';
      clock.advance(30);
      yield 'two ';
      yield 'three ';
      yield 'four';
    };
    model = await startScriptedModel({ fallback: [[say(chunksOf, { msBetweenChunks: 20 })]], clock });
    await allEvents(await post(`${model.url}/v1/messages`, anthropicBody([userMessage('go')])));
    expect(clock.sleeps).toEqual([10, 20]);
  });

  it('records when a request arrived, when its first event was sent and when it ended', async () => {
    const { request } = await play([[say('one two', { msBetweenChunks: 20 })]]);
    expect(request).toMatchObject({ receivedAt: 0, firstEventAt: 0, endedAt: 20, outcome: 'replied' });
  });
});
