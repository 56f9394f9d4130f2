import { expect, test } from 'vitest';
import type { AcpSession } from '../../../../server/providers/acp/session/acp-session.ts';
import { createSessionIndex } from '../../../../server/providers/acp/session/session-index.ts';
import { chunk, subagent } from './session-rig.ts';

function createRig() {
  const received: unknown[] = [];
  const session = {
    nativeId: 's1',
    receive: (update: unknown, from?: string) => received.push([update, from]),
  } as unknown as AcpSession;
  const index = createSessionIndex();
  index.add(session);
  return { index, session, received };
}

test('what a sub-agent does and asks belongs to the session that set it to work, however deep', () => {
  const { index, session, received } = createRig();
  index.receive('s1', subagent('a1', { title: 'One' }));
  index.receive('a1', subagent('a2', { title: 'Two' }));
  index.receive('a2', chunk('deep'));
  expect(received).toEqual([
    [subagent('a1', { title: 'One' }), undefined],
    [subagent('a2', { title: 'Two' }), 'a1'],
    [chunk('deep'), 'a2'],
  ]);
  expect(index.find('a2')).toBe(session);
  index.remove(session);
  expect(index.find('a2')).toBeUndefined();
});

test('what a replay tells about a sub-agent before it names it comes after the name', async () => {
  const { index, received } = createRig();
  const replayed: unknown[] = [];
  // Known from before: the replay still has to hear its name first.
  index.receive('s1', subagent('a1', { title: 'One' }));
  await index.redirectUpdates(
    's1',
    (update, from) => replayed.push([update, from]),
    async () => {
      index.receive('a1', chunk('step'));
      index.receive('s1', subagent('a1', { title: 'One' }));
    },
  );
  expect(replayed).toEqual([
    [subagent('a1', { title: 'One' }), undefined],
    [chunk('step'), 'a1'],
  ]);
  index.receive('a1', chunk('live'));
  expect(received.at(-1)).toEqual([chunk('live'), 'a1']);
});

test('what belongs to nobody is dropped', () => {
  const { index, received } = createRig();
  index.receive('stranger', chunk('hello'));
  index.receive('s1', subagent('stranger', { title: 'Late' }));
  expect(received).toHaveLength(1);
});
