import { expect, it } from 'vitest';
import { createKeyedQueue } from '../../../server/keyed-queue.ts';
import { createGate } from '../../support/gate.ts';

it('runs the tasks of one key one after the other', async () => {
  const enqueue = createKeyedQueue();
  const gate = createGate();
  const order: string[] = [];
  gate.close();
  const first = enqueue('a', async () => {
    await gate.pass();
    order.push('first');
  });
  const second = enqueue('a', async () => {
    order.push('second');
  });
  await gate.reached();
  gate.open();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
});

it('runs the tasks of different keys independently', async () => {
  const enqueue = createKeyedQueue();
  const gate = createGate();
  gate.close();
  const blocked = enqueue('a', () => gate.pass());
  await expect(enqueue('b', async () => 'done')).resolves.toBe('done');
  gate.open();
  await blocked;
});

it('runs the next task after one that failed', async () => {
  const enqueue = createKeyedQueue();
  const failed = enqueue('a', () => Promise.reject(new Error('broken')));
  const next = enqueue('a', async () => 'done');
  await expect(failed).rejects.toThrow('broken');
  await expect(next).resolves.toBe('done');
});

it('turns a synchronous exception of a task into a rejection', async () => {
  const enqueue = createKeyedQueue();
  await expect(
    enqueue('a', () => {
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
});
