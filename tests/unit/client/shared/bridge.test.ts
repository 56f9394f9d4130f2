import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createBridge } from '../../../../client/shared/bridge.ts';

const accept = z.object({ type: z.literal('hello') });

function bridgeTo(target: Window | null) {
  const received: unknown[] = [];
  const bridge = createBridge<{ type: 'hello' }, { type: 'bye' }>({
    target: () => target,
    accept,
    onMessage: (message) => received.push(message),
  });
  onTestFinished(() => bridge.dispose());
  return { bridge, received };
}

function otherWindow(): Window {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  onTestFinished(() => frame.remove());
  if (frame.contentWindow === null) throw new Error('The frame has no window.');
  return frame.contentWindow;
}

const deliver = (init: MessageEventInit) => window.dispatchEvent(new MessageEvent('message', init));

describe('a bridge between two windows', () => {
  it('accepts a message with the right origin, source and schema', () => {
    const source = otherWindow();
    const { received } = bridgeTo(source);
    deliver({ data: { type: 'hello', more: 1 }, origin: location.origin, source });
    expect(received).toEqual([{ type: 'hello' }]);
  });

  it.each([
    ['origin', { origin: 'null' }],
    ['origin that starts with ours', { origin: `${location.origin}.evil.example` }],
    ['source', { source: window }],
    ['schema', { data: { type: 'hello!' } }],
  ])('drops a message with the wrong %s', (_, wrong) => {
    const source = otherWindow();
    const { received } = bridgeTo(source);
    deliver({ data: { type: 'hello' }, origin: location.origin, source, ...wrong });
    expect(received).toEqual([]);
  });

  it('drops everything while there is no window at the other end, even a message without a source', () => {
    const { received, bridge } = bridgeTo(null);
    deliver({ data: { type: 'hello' }, origin: location.origin, source: null });
    bridge.post({ type: 'bye' });
    expect(received).toEqual([]);
  });

  it('posts to our own origin only', () => {
    const source = otherWindow();
    const posts: unknown[][] = [];
    source.postMessage = (...args: unknown[]) => posts.push(args);
    bridgeTo(source).bridge.post({ type: 'bye' });
    expect(posts).toEqual([[{ type: 'bye' }, location.origin]]);
  });

  it('receives nothing after dispose', () => {
    const source = otherWindow();
    const { bridge, received } = bridgeTo(source);
    bridge.dispose();
    deliver({ data: { type: 'hello' }, origin: location.origin, source });
    expect(received).toEqual([]);
  });
});
