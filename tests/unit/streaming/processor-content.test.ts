import { beforeEach, describe, expect, it } from 'vitest';
import { turnEventSchema, upsertObjectSchema } from '../../../shared/stream-contracts.ts';
import { isUpsert, words } from '../../support/output-log.ts';
import {
  callDone,
  callOutput,
  callStart,
  delta,
  envelope,
  messageDone,
  messageStart,
  reasoningStart,
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

describe('content', () => {
  it('stream/TC-5.1a a text message is created, then completed, each time with the whole text', () => {
    rig.feed(responseStart(), messageStart(), delta(words(11)), delta('and more'));
    rig.feed(messageDone(`${words(11)}and more`), responseDone());

    expect(rig.log.outline()).toEqual(['turn_started', 'message:create', 'message:complete', 'turn_complete']);
    expect(rig.log.contents('item-1')).toEqual([words(11), `${words(11)}and more`]);
    expect(rig.log.upserts()[0]).toEqual({
      type: 'message',
      turnId: 'turn-1',
      sessionId: SESSION,
      itemId: 'item-1',
      sourceTimestamp: '2026-01-01T00:00:00.000Z',
      emittedAt: '2026-01-01T00:00:00.000Z',
      status: 'create',
      content: words(11),
      origin: 'agent',
    });
  });

  it('stream/TC-5.1b every emission contains the whole content, not only the addition', () => {
    rig.feed(responseStart(), messageStart());
    rig.pushesOver(100);

    const contents = rig.log.contents('item-1');
    expect(contents.length).toBeGreaterThan(2);
    expect(contents).toEqual([words(11), words(32), words(73)]);
  });

  it('stream/TC-5.1c a tool call is emitted when it starts and when its result arrives, and only then', () => {
    rig.feed(responseStart(), callStart('call-1', 'item-1'), delta('{"path":', 'item-1'), delta('"a.txt"}', 'item-1'));
    rig.feed(callDone('call-1', 'item-1', { path: 'a.txt' }));
    rig.clock.advance(10_000);
    rig.feed(callOutput('call-1', 'contents'), responseDone());

    expect(rig.log.upserts()).toMatchObject([
      { type: 'tool_call', status: 'create', itemId: 'item-1', callId: 'call-1', toolName: 'read', toolArguments: {} },
      {
        type: 'tool_call',
        status: 'complete',
        itemId: 'item-1',
        callId: 'call-1',
        toolArguments: { path: 'a.txt' },
        toolOutput: 'contents',
        toolOutputIsError: false,
      },
    ]);
  });

  it('stream/TC-5.1d reasoning becomes a thinking item', () => {
    rig.feed(responseStart(), reasoningStart(), delta(words(12)));
    rig.feed(
      envelope({
        type: 'item_done',
        itemId: 'item-1',
        finalItem: { type: 'reasoning', content: words(13), providerId: 'other' },
      }),
    );

    expect(rig.log.upserts()).toMatchObject([
      { type: 'thinking', status: 'create', content: words(12), providerId: 'echo' },
      { type: 'thinking', status: 'complete', content: words(13), providerId: 'other' },
    ]);
  });

  it('includes the content an item starts with', () => {
    rig.feed(envelope({ type: 'item_start', itemId: 'item-1', itemType: 'message', initialContent: 'Once ' }));
    rig.feed(delta(words(10)));

    expect(rig.log.contents('item-1')).toEqual([`Once ${words(10)}`]);
  });

  it('shows a finished item without a start', () => {
    rig.feed(messageDone('whole'), callDone('call-1', 'item-2', { a: 1 }), callOutput('call-1', 'result'));

    expect(rig.log.outline()).toEqual(['turn_started', 'message:complete', 'tool_call:create', 'tool_call:complete']);
    expect(rig.log.upserts('item-2')[0]).toMatchObject({ toolArguments: { a: 1 } });
  });

  it('keeps the origin that a finished message names', () => {
    const finalItem = { type: 'message', content: 'Careful.', origin: 'system' } as const;
    rig.feed(envelope({ type: 'item_done', itemId: 'item-1', finalItem }));

    expect(rig.log.upserts()[0]).toMatchObject({ origin: 'system', status: 'complete' });
  });

  it('emits only what matches the contract', () => {
    rig.feed(
      responseStart(),
      messageStart(),
      delta(words(40)),
      callStart('call-1', 'item-2'),
      callOutput('call-1', 'x'),
    );
    rig.feed(responseError('MODEL_ERROR', 'Out of order.'));

    const broken = rig.log.all.filter(
      (output) => !(isUpsert(output) ? upsertObjectSchema : turnEventSchema).safeParse(output).success,
    );
    expect(rig.log.all).toHaveLength(6);
    expect(broken).toEqual([]);
  });
});

describe('tool correlation', () => {
  it('stream/TC-5.3a a result is added to its call, which keeps its item id', () => {
    rig.feed(responseStart(), callStart('call-1', 'item-1'), callDone('call-1', 'item-1'));
    rig.feed(callOutput('call-1', 'result', 'item-9'));

    expect(rig.log.upserts().map((upsert) => upsert.itemId)).toEqual(['item-1', 'item-1']);
  });

  it('stream/TC-5.3b calls that run at the same time each get their own result', () => {
    rig.feed(responseStart(), callStart('call-1', 'item-1'), callStart('call-2', 'item-2'));
    rig.feed(callDone('call-2', 'item-2', { n: 2 }), callDone('call-1', 'item-1', { n: 1 }));
    rig.feed(callOutput('call-2', 'second'), callOutput('call-1', 'first'));

    expect(rig.log.upserts().slice(2)).toMatchObject([
      { itemId: 'item-2', callId: 'call-2', toolArguments: { n: 2 }, toolOutput: 'second', status: 'complete' },
      { itemId: 'item-1', callId: 'call-1', toolArguments: { n: 1 }, toolOutput: 'first', status: 'complete' },
    ]);
  });

  it('distinguishes equal call ids of two turns', () => {
    rig.feed(responseStart('a'), responseStart('b'), callStart('call-1', 'a-1', 'a'), callStart('call-1', 'b-1', 'b'));
    rig.feed(callDone('call-1', 'a-1', { of: 'a' }, 'a'), callDone('call-1', 'b-1', { of: 'b' }, 'b'));
    rig.feed(callOutput('call-1', 'for a', 'a-2', 'a'), callOutput('call-1', 'for b', 'b-2', 'b'));

    expect(rig.log.upserts().slice(2)).toMatchObject([
      { itemId: 'a-1', turnId: 'a', toolOutput: 'for a', toolArguments: { of: 'a' } },
      { itemId: 'b-1', turnId: 'b', toolOutput: 'for b', toolArguments: { of: 'b' } },
    ]);
  });
});
