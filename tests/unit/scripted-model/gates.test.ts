import { describe, expect, it } from 'vitest';
import { createGates } from '../../../scripted-model/server/gates.ts';

const never = new AbortController().signal;

/** What has happened once all promises have settled that can. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const gates = createGates();
  const passed: string[] = [];
  const arrive = (name: string, signal = never) =>
    gates.wait('gate', signal).then(
      () => passed.push(name),
      (reason: unknown) => passed.push(`${name}: ${reason}`),
    );
  return { gates, passed, arrive };
}

describe('a gate', () => {
  it('lets one reply pass per release, in order of arrival', async () => {
    const { gates, passed, arrive } = setUp();
    void arrive('first');
    void arrive('second');
    gates.release('gate');
    await settle();
    expect(passed).toEqual(['first']);
    gates.release('gate');
    await settle();
    expect(passed).toEqual(['first', 'second']);
  });

  it('keeps a release for the next reply when none is waiting', async () => {
    const { gates, passed, arrive } = setUp();
    gates.release('gate');
    void arrive('first');
    void arrive('second');
    await settle();
    expect(passed).toEqual(['first']);
  });

  it('stays open once it is opened', async () => {
    const { gates, passed, arrive } = setUp();
    void arrive('first');
    gates.open('gate');
    void arrive('second');
    await settle();
    expect(passed).toEqual(['first', 'second']);
  });

  it('tells when a reply is waiting, also for an earlier call', async () => {
    const { gates, arrive } = setUp();
    const asked = gates.reached('gate');
    void arrive('first');
    await asked;
    await gates.reached('gate');
    gates.release('gate');
    const again = gates.reached('gate').then(() => 'reached');
    await settle();
    expect(await Promise.race([again, 'not yet'])).toBe('not yet');
  });

  it('drops a reply whose agent closed the connection without using a release', async () => {
    const { gates, passed, arrive } = setUp();
    const controller = new AbortController();
    void arrive('first', controller.signal);
    void arrive('second');
    controller.abort('hung up');
    gates.release('gate');
    await settle();
    expect(passed).toEqual(['first: hung up', 'second']);
  });

  it('does not stop replies at gates of another name', async () => {
    const { gates, passed, arrive } = setUp();
    void arrive('first');
    gates.open('other gate');
    await settle();
    expect(passed).toEqual([]);
  });
});
