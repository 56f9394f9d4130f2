import { describe, expect, test } from 'vitest';
import {
  createRetryMachine,
  type RetryMachineOptions,
  type RetryStatus,
} from '../../../server/processes/retry-machine.ts';
import { createManualClock } from '../../support/manual-clock.ts';

/** A machine whose attempts the test settles one by one. */
function setUp(options: Partial<RetryMachineOptions> = {}) {
  const clock = createManualClock();
  const seen: RetryStatus[] = [];
  const attempts: Array<{ succeed(): void; fail(error: Error): void; signal: AbortSignal }> = [];
  const machine = createRetryMachine({
    clock,
    onStatus: (status) => seen.push(status),
    connect: (signal) => new Promise((resolve, reject) => attempts.push({ succeed: resolve, fail: reject, signal })),
    ...options,
  });
  const drain = () => new Promise<void>((resolve) => setImmediate(resolve));
  const answer = async (reply: 'succeed' | Error) => {
    await drain();
    const attempt = attempts.shift();
    if (attempt === undefined) throw new Error('no attempt is running');
    if (reply === 'succeed') attempt.succeed();
    else attempt.fail(reply);
    await drain();
  };
  /** What was reported since the last call: status, attempt, delay. */
  const words = () =>
    seen
      .splice(0)
      .map(({ status, attempt, retryInMs }) =>
        [status, attempt, retryInMs].filter((fact) => fact !== undefined).join(' '),
      );
  const connect = async () => {
    const connected = machine.ensureConnected();
    await answer('succeed');
    await connected;
    words();
  };
  return { clock, machine, attempts, answer, words, connect, drain };
}

const crash = new Error('crashed');

describe('starting', () => {
  test('goes from idle through starting to connected', async () => {
    const { machine, answer, words } = setUp();
    expect(machine.current.status).toBe('idle');
    const connected = machine.ensureConnected();
    await answer('succeed');
    await connected;
    expect(words()).toEqual(['starting', 'connected']);
  });

  test('that fails rejects and is not retried', async () => {
    const { machine, answer, words, clock } = setUp();
    const connected = machine.ensureConnected();
    connected.catch(() => {});
    await answer(crash);
    await expect(connected).rejects.toBe(crash);
    expect(words()).toEqual(['starting', 'disconnected']);
    expect(machine.current.error).toBe(crash);
    expect(clock.pending).toBe(0);
  });

  test('called twice at the same time makes one attempt', async () => {
    const { machine, attempts, answer, drain } = setUp();
    const both = Promise.all([machine.ensureConnected(), machine.ensureConnected()]);
    await drain();
    expect(attempts).toHaveLength(1);
    await answer('succeed');
    await both;
  });

  test('when connected does nothing', async () => {
    const { machine, connect, attempts, words } = setUp();
    await connect();
    await machine.ensureConnected();
    await machine.reconnect();
    expect(attempts).toHaveLength(0);
    expect(words()).toEqual([]);
  });
});

describe('a lost connection', () => {
  test('mvp/TC-5.2b mvp/TC-5.2c is disconnected, then reconnecting by itself, then connected', async () => {
    const { machine, connect, clock, answer, words } = setUp();
    await connect();
    machine.lost(crash);
    clock.advance(999);
    expect(words()).toEqual(['disconnected 1 1000']);
    clock.advance(1);
    await answer('succeed');
    expect(words()).toEqual(['reconnecting 1', 'connected']);
  });

  test('is retried after 1, 2, 4, 8 and 16 s, then only on request', async () => {
    const { machine, connect, clock, answer, words } = setUp();
    await connect();
    machine.lost(crash);
    for (const delay of [1_000, 2_000, 4_000, 8_000, 16_000]) {
      expect(machine.current.retryInMs).toBe(delay);
      clock.advance(delay);
      await answer(crash);
    }
    expect(words()).toEqual([
      'disconnected 1 1000',
      'reconnecting 1',
      'reconnecting 2 2000',
      'reconnecting 2',
      'reconnecting 3 4000',
      'reconnecting 3',
      'reconnecting 4 8000',
      'reconnecting 4',
      'reconnecting 5 16000',
      'reconnecting 5',
      'disconnected',
    ]);
    expect(machine.current).toMatchObject({ error: crash, maxAttempts: 5 });
    expect(clock.pending).toBe(0);
  });

  test('that breaks again within a minute continues the count of retries', async () => {
    const { machine, connect, clock, answer } = setUp();
    await connect();
    const delays: Array<number | undefined> = [];
    for (let round = 0; round < 6; round += 1) {
      machine.lost(crash);
      delays.push(machine.current.retryInMs);
      clock.advance(machine.current.retryInMs ?? 0);
      if (round < 5) await answer('succeed');
      clock.advance(59_999);
    }
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, undefined]);
    expect(machine.current.status).toBe('disconnected');
  });

  test('that was stable for a minute resets the count of retries', async () => {
    const { machine, connect, clock, answer } = setUp();
    await connect();
    machine.lost(crash);
    clock.advance(1_000);
    await answer('succeed');
    clock.advance(60_000);
    machine.lost(crash);
    expect(machine.current).toMatchObject({ attempt: 1, retryInMs: 1_000 });
  });

  test('that a retry cannot fix is not retried', async () => {
    const { machine, connect, clock, words } = setUp({ isTransient: () => false });
    await connect();
    machine.lost(crash);
    expect(words()).toEqual(['disconnected']);
    expect(clock.pending).toBe(0);
  });

  test('is retried at once when needed, and the retries continue if that fails', async () => {
    const { machine, connect, clock, answer, words } = setUp();
    await connect();
    machine.lost(crash);
    const needed = machine.ensureConnected();
    needed.catch(() => {});
    await answer(crash);
    await expect(needed).rejects.toBe(crash);
    expect(words()).toEqual(['disconnected 1 1000', 'reconnecting 1', 'reconnecting 2 2000']);
    expect(clock.pending).toBe(1);
  });

  test('at the moment the attempt succeeds does not count as connected', async () => {
    const { machine, attempts, words, drain } = setUp();
    const connected = machine.ensureConnected();
    connected.catch(() => {});
    await drain();
    attempts[0]?.succeed();
    machine.lost(crash);
    await expect(connected).rejects.toBe(crash);
    expect(words()).toEqual(['starting', 'disconnected']);
  });
});

describe('a manual reconnect', () => {
  test('mvp/TC-5.2d connects at once after the retries ran out, with all retries available again', async () => {
    const { machine, connect, clock, answer, words } = setUp({ delaysMs: [10] });
    await connect();
    machine.lost(crash);
    clock.advance(10);
    await answer(crash);
    expect(machine.current.retryInMs).toBeUndefined();
    words();

    const asked = machine.reconnect();
    asked.catch(() => {});
    await answer(crash);
    await expect(asked).rejects.toBe(crash);
    clock.advance(10);
    await answer('succeed');
    expect(words()).toEqual(['reconnecting', 'reconnecting 1 10', 'reconnecting 1', 'connected']);
  });
});

describe('stopping', () => {
  test('cancels a pending retry', async () => {
    const { machine, connect, clock, words } = setUp();
    await connect();
    machine.lost(crash);
    machine.stop();
    clock.advance(100_000);
    expect(words()).toEqual(['disconnected 1 1000', 'idle']);
    expect(clock.pending).toBe(0);
  });

  test('aborts a running attempt, whose late result is ignored', async () => {
    const { machine, attempts, words, drain } = setUp();
    const connected = machine.ensureConnected();
    connected.catch(() => {});
    await drain();
    machine.stop();
    expect(attempts[0]?.signal.aborted).toBe(true);
    attempts[0]?.succeed();
    await expect(connected).rejects.toThrow('stopped');
    expect(words()).toEqual(['starting', 'idle']);
  });

  test('before the attempt has begun prevents it', async () => {
    const { machine, attempts } = setUp();
    const connected = machine.ensureConnected();
    machine.stop();
    await expect(connected).rejects.toThrow('stopped');
    expect(attempts).toHaveLength(0);
  });

  test('allows a new start', async () => {
    const { machine, connect, words, answer } = setUp();
    await connect();
    machine.stop();
    const again = machine.ensureConnected();
    await answer('succeed');
    await again;
    expect(words()).toEqual(['idle', 'starting', 'connected']);
  });

  test('ignores a later loss', async () => {
    const { machine, connect, words } = setUp();
    await connect();
    machine.stop();
    machine.lost(crash);
    expect(words()).toEqual(['idle']);
  });
});
