import { describe, expect, it } from 'vitest';
import { createEnvelopeRig } from '../../support/agents/envelope-rig.ts';

const MIB = 1024 * 1024;

async function play(content: string, flags: string[] = []) {
  const rig = createEnvelopeRig({ flags });
  const sessionId = await rig.create();
  const turnId = await rig.ask(sessionId, content);
  const notices = rig.output
    .upserts()
    .filter((upsert) => upsert.type === 'message' && upsert.origin === 'system')
    .map((upsert) => ('content' in upsert ? upsert.content : ''));
  return { rig, sessionId, turnId, notices };
}

describe('an agent that prints what it should not', () => {
  it('is answered by notices, and the rest of its answer is shown', async () => {
    const { rig, notices } = await play('garbage');

    expect(notices).toEqual([
      'Fixture printed a line that is not JSON. Ignored: Traceback (most recent call last):',
      expect.stringContaining('payload.deltaContent'),
      'Fixture printed an event of an unknown turn. Ignored: nobody-knows',
    ]);
    expect(rig.texts().at(-1)).toBe('fine otherwise');
    expect(rig.output.turns().at(-1)).toMatchObject({ type: 'turn_complete', status: 'completed' });
  });

  it('does not fill the page or the log with them', async () => {
    const { rig, notices } = await play('flood');

    expect(notices).toHaveLength(4);
    expect(notices.at(-1)).toContain('more of this');
    expect(rig.logLines).toHaveLength(4);
    expect(rig.texts().at(-1)).toBe('after the flood');
  });

  it('is told on once there is a turn to tell it in', async () => {
    const { rig, turnId, notices } = await play('echo', ['banner']);

    expect(notices).toEqual([expect.stringContaining('Welcome to the fixture agent')]);
    expect(rig.output.outline()).toEqual([
      'message:complete',
      'turn_started',
      'message:complete',
      'message:complete',
      'turn_complete',
    ]);
    expect(rig.output.upserts(`${turnId}:notice:1`)).toHaveLength(1);
  });

  it.each([2 * MIB, 40 * MIB])('in a line of %d bytes loses that line and nothing else', async (bytes) => {
    const { rig, notices } = await play(`oversized ${bytes}`);

    expect(notices).toEqual([expect.stringContaining('too long')]);
    expect(rig.texts().at(-1)).toBe('still here');
  });

  it('may print lines as long as is allowed', async () => {
    const rig = createEnvelopeRig({ maxLineBytes: 4 * MIB });
    const sessionId = await rig.create();
    await rig.ask(sessionId, `oversized ${2 * MIB}`);
    expect(rig.texts().join()).not.toContain('too long');
  });

  it('changes nothing in a turn that is over', async () => {
    const { rig, sessionId, notices } = await play('late');
    await rig.ask(sessionId, 'echo next');

    expect(notices).toEqual([]);
    expect(rig.texts()).toEqual(['late', 'that is all', 'echo next', 'echo next']);
    expect(rig.output.turns().filter((event) => event.type === 'turn_complete')).toHaveLength(2);
  });
});
