import { describe, expect, it, vi } from 'vitest';
import { createListeners } from '../../../server/engine/listeners.ts';
import { createSessionListeners } from '../../../server/engine/session-listeners.ts';
import type { TurnEvent } from '../../../shared/stream-contracts.ts';

const broken = () => {
  throw new Error('a broken listener');
};

const started = (sessionId: string): TurnEvent => ({
  type: 'turn_started',
  turnId: 't',
  sessionId,
  modelId: 'm',
  providerId: 'p',
});

describe('listeners', () => {
  it('are all told, though one of them fails', () => {
    const onFailure = vi.fn();
    const listeners = createListeners<number>(onFailure);
    const heard: number[] = [];
    listeners.add((value) => heard.push(value));
    listeners.add(broken);
    listeners.add((value) => heard.push(value * 10));
    listeners.emit(1);
    listeners.emit(2);

    expect(heard).toEqual([1, 10, 2, 20]);
    expect(onFailure).toHaveBeenCalledTimes(2);
    expect(onFailure).toHaveBeenCalledWith(new Error('a broken listener'));
  });

  it('that stop listening hear no more, and only they', () => {
    const listeners = createListeners<number>(broken);
    const heard: number[] = [];
    const listener = (value: number) => heard.push(value);
    const stop = listeners.add(listener);
    listeners.add(listener);
    stop();
    stop();
    listeners.emit(1);

    expect(heard).toEqual([1]);
  });

  it('may come and go while others are told', () => {
    const listeners = createListeners<number>(broken);
    const heard: string[] = [];
    const stop = listeners.add(() => {
      stop();
      listeners.add(() => heard.push('new'));
      heard.push('first');
    });
    listeners.add(() => heard.push('second'));
    listeners.emit(1);
    expect(heard).toEqual(['first', 'second']);
    listeners.emit(2);
    expect(heard).toEqual(['first', 'second', 'second', 'new']);
  });
});

describe('listeners of a session', () => {
  it('hear of that session only', () => {
    const listeners = createSessionListeners(broken);
    const heard: TurnEvent[] = [];
    listeners.onTurn('codex:a', (event) => heard.push(event));
    listeners.emitTurn(started('codex:a'));
    listeners.emitTurn(started('codex:b'));

    expect(heard).toEqual([started('codex:a')]);
  });

  it('of turns and of upserts do not break each other', () => {
    const onFailure = vi.fn();
    const listeners = createSessionListeners(onFailure);
    const heard: TurnEvent[] = [];
    listeners.onUpsert('codex:a', broken);
    listeners.onTurn('codex:a', broken);
    listeners.onTurn('codex:a', (event) => heard.push(event));
    listeners.emitTurn(started('codex:a'));

    expect(heard).toHaveLength(1);
    expect(onFailure).toHaveBeenCalledTimes(1);
  });
});
