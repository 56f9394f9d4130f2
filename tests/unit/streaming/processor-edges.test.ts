import { beforeEach, describe, expect, it } from 'vitest';
import { words } from '../../support/output-log.ts';
import {
  callStart,
  delta,
  envelope,
  messageDone,
  messageStart,
  responseDone,
  responseError,
  responseStart,
  SESSION,
} from './envelopes.ts';
import { createProcessorRig, type ProcessorRig } from './processor-rig.ts';

let rig: ProcessorRig;

beforeEach(() => {
  rig = createProcessorRig();
});

describe('edge cases', () => {
  it('stream/TC-5.4a destruction during a stream flushes buffered text as error', () => {
    rig.feed(responseStart(), messageStart(), delta('below the threshold'));
    rig.processor.destroy({ code: 'PROCESS_CRASH', message: 'It died.' });

    expect(rig.log.outline()).toEqual(['turn_started', 'message:error', 'turn_error']);
    expect(rig.log.upserts()[0]).toMatchObject({
      content: 'below the threshold',
      errorCode: 'PROCESS_CRASH',
      errorMessage: 'It died.',
    });
  });

  it('emits nothing after its destruction', () => {
    rig.feed(responseStart(), messageStart(), delta('text'));
    rig.processor.destroy();
    const outputs = rig.log.all.length;
    rig.processor.destroy();
    rig.feed(delta(words(50)), messageDone('x'), responseDone(), responseStart('turn-2'));
    rig.clock.advance(10_000);

    expect(rig.log.all).toHaveLength(outputs);
    expect(rig.clock.pending).toBe(0);
  });

  it('stream/TC-5.4c an item without content is emitted once, complete', () => {
    rig.feed(responseStart(), messageStart(), messageDone(''));

    expect(rig.log.upserts()).toMatchObject([{ status: 'complete', content: '' }]);
  });

  it('stream/TC-5.4d a cancelled item is dropped silently', () => {
    rig.feed(responseStart(), messageStart(), delta('half a'), envelope({ type: 'item_cancelled', itemId: 'item-1' }));
    rig.clock.advance(10_000);
    rig.feed(delta(words(50)), messageDone('late'), responseDone());

    expect(rig.log.outline()).toEqual(['turn_started', 'turn_complete']);
    expect(rig.clock.pending).toBe(0);
  });

  it('stream/TC-5.4e a cancelled turn ends as cancelled; its cancelled items are neither complete nor failed', () => {
    rig.feed(responseStart(), messageStart(), delta(words(12)), envelope({ type: 'item_cancelled', itemId: 'item-1' }));
    rig.feed(messageStart('item-2'), delta('unsent', 'item-2'), responseDone('turn-1', 'cancelled'));

    expect(rig.log.statuses('item-1')).toEqual(['create']);
    expect(rig.log.statuses('item-2')).toEqual(['create']);
    expect(rig.log.contents('item-2')).toEqual(['unsent']);
    expect(rig.log.turns().at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  });

  it('stream/TC-5.4f a failed turn ends with turn_error and never with turn_complete', () => {
    rig.feed(
      responseStart(),
      messageStart(),
      delta('half'),
      responseError('MODEL_ERROR', 'Overloaded.'),
      responseDone(),
    );

    expect(rig.log.outline()).toEqual(['turn_started', 'message:error', 'turn_error']);
    expect(rig.log.turns().at(-1)).toEqual({
      type: 'turn_error',
      turnId: 'turn-1',
      sessionId: SESSION,
      errorCode: 'MODEL_ERROR',
      errorMessage: 'Overloaded.',
    });
  });

  it('ends a failed item with its error and its content so far', () => {
    const error = { code: 'CONTENT_FILTER', message: 'Withheld.' };
    rig.feed(responseStart(), messageStart(), delta('half'), envelope({ type: 'item_error', itemId: 'item-1', error }));
    rig.feed(callStart('call-1', 'item-2'), envelope({ type: 'item_error', itemId: 'item-2', error }));

    expect(rig.log.upserts('item-1')).toMatchObject([
      { status: 'error', content: 'half', errorCode: 'CONTENT_FILTER' },
    ]);
    expect(rig.log.upserts('item-2').at(-1)).toMatchObject({ status: 'error', errorMessage: 'Withheld.' });
  });

  it('keeps interleaved turns apart', () => {
    rig.feed(responseStart('a'), responseStart('b'), messageStart('a-1', 'a'), messageStart('b-1', 'b'));
    rig.feed(delta('from a', 'a-1', 'a'), delta('from b', 'b-1', 'b'), responseError('X', 'No.', 'a'));
    rig.feed(delta(', still', 'b-1', 'b'), responseDone('b'));

    expect(rig.log.upserts()).toMatchObject([
      { itemId: 'a-1', turnId: 'a', status: 'error', content: 'from a' },
      { itemId: 'b-1', turnId: 'b', status: 'complete', content: 'from b, still' },
    ]);
    expect(rig.log.turns('b').map((event) => event.type)).toEqual(['turn_started', 'turn_complete']);
  });
});

describe('error details', () => {
  const doneWithError = { code: 'FROM_DONE', message: 'Said by response_done.' };
  const failedDone = (extra: { error?: typeof doneWithError; finishReason?: string }) =>
    envelope({ type: 'response_done', status: 'error', ...extra });

  it('come from response_error if there is one', () => {
    rig.feed(
      responseStart(),
      responseError('FROM_ERROR', 'Said by response_error.'),
      failedDone({ error: doneWithError }),
    );
    expect(rig.log.turns().slice(1)).toMatchObject([
      { errorCode: 'FROM_ERROR', errorMessage: 'Said by response_error.' },
    ]);
  });

  it('come from response_done otherwise', () => {
    rig.feed(responseStart(), failedDone({ error: doneWithError, finishReason: 'refusal' }));
    expect(rig.log.turns().slice(1)).toMatchObject([{ type: 'turn_error', errorCode: 'FROM_DONE' }]);
  });

  it('come from the finish reason if there is nothing else', () => {
    rig.feed(responseStart(), failedDone({ finishReason: 'refusal' }));
    expect(rig.log.turns().slice(1)).toMatchObject([
      { type: 'turn_error', errorCode: 'MODEL_ERROR', errorMessage: expect.stringContaining('refusal') },
    ]);
  });
});

describe('turns', () => {
  it('report model, provider, usage and reason', () => {
    const usage = { inputTokens: 3, outputTokens: 5, cacheReadInputTokens: 1 };
    rig.feed(
      responseStart(),
      envelope({ type: 'response_done', status: 'completed', finishReason: 'end_turn', usage }),
    );

    expect(rig.log.turns()).toEqual([
      { type: 'turn_started', turnId: 'turn-1', sessionId: SESSION, modelId: 'model-1', providerId: 'echo' },
      {
        type: 'turn_complete',
        turnId: 'turn-1',
        sessionId: SESSION,
        status: 'completed',
        usage,
        stopReason: 'end_turn',
      },
    ]);
  });

  it('that end without having started are started first', () => {
    rig.feed(responseError('MODEL_ERROR', 'At once.'));
    expect(rig.log.turns()).toMatchObject([{ type: 'turn_started', modelId: 'unknown' }, { type: 'turn_error' }]);
  });
});

describe('invalid events', () => {
  it.each([
    ['nothing', undefined],
    ['text', 'item_delta'],
    ['an unknown type', { ...delta('x'), type: 'item_gone', payload: { type: 'item_gone', itemId: 'item-1' } }],
    ['a type that differs from its payload', { ...delta('x'), type: 'item_done' }],
    ['a call without its id', envelope({ type: 'item_start', itemId: 'i', itemType: 'function_call', name: 'read' })],
    ['a failed response without any reason', envelope({ type: 'response_done', status: 'error' })],
  ])('are ignored and reported: %s', (_, event) => {
    rig.feed(responseStart(), messageStart(), delta('before '));
    const outputs = rig.log.all.length;
    rig.feed(event);
    expect(rig.log.all).toHaveLength(outputs);
    expect(rig.invalid).toMatchObject([{ event, message: expect.stringMatching(/\w/) }]);

    rig.feed(messageDone('before and after'), responseDone());
    expect(rig.log.contents('item-1')).toEqual(['before and after']);
  });
});

describe('sessions', () => {
  it('are those of the events if none is given', () => {
    rig = createProcessorRig({});
    rig.feed({ ...messageDone('one'), sessionId: 'echo:one' }, { ...messageDone('two'), sessionId: 'echo:two' });
    rig.feed({ ...messageDone('three'), sessionId: 'not canonical' });

    expect(rig.log.upserts().map((upsert) => upsert.sessionId)).toEqual(['echo:one', 'echo:two']);
    expect(rig.invalid).toMatchObject([{ message: expect.stringContaining('sessionId') }]);
  });

  it('are the given one otherwise', () => {
    rig.feed({ ...messageDone('one'), sessionId: 'anything' });
    expect(rig.log.upserts()).toMatchObject([{ sessionId: SESSION }]);
  });
});
