import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveTitle } from '../../../server/titles.ts';
import { createServiceRig } from './service-rig.ts';

describe('the title of a session', () => {
  it.each([
    ['a short message as it is', 'Fix the login bug', 'Fix the login bug'],
    ['one line of several', 'First line\nsecond\t line', 'First line second line'],
    [
      'cut at a word',
      'Please refactor the authentication module so that it works',
      'Please refactor the authentication module so that…',
    ],
    ['cut inside a word that is very long', `x${'y'.repeat(80)}`, `x${'y'.repeat(49)}…`],
    ['without control characters', 'a\u0000b\u001b[31mred\u007f', 'a b [31mred'],
    ['without bidi and invisible characters', 'abc\u202Edef\u200Bghi\uFEFF', 'abc def ghi'],
    ['of whole characters', '😀'.repeat(60), `${'😀'.repeat(50)}…`],
    ['exactly fifty', 'a'.repeat(50), 'a'.repeat(50)],
    ['a placeholder where nothing is left', '\u200B\u202E', 'New Session'],
  ])('is %s', (_name, message, title) => {
    expect(deriveTitle(message)).toBe(title);
  });

  it('is one clean line of at most 51 characters, whatever was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (message) => {
        const title = deriveTitle(message);
        const isShort = title !== '' && Array.from(title).length <= 51;
        return isShort && title.trim() === title && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(title);
      }),
      { numRuns: 300 },
    );
  });

  it('comes from the first message and is announced once', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();

    await Promise.all([
      rig.service.send({ sessionId, content: 'First words' }),
      rig.service.send({ sessionId, content: 'Second words' }),
    ]);

    const named = rig.announcements.filter(({ message }) => message.type === 'session:title-updated');
    expect(named).toEqual([{ to: 'all', message: { type: 'session:title-updated', sessionId, title: 'First words' } }]);
    expect(rig.sessions.get(sessionId)?.title).toBe('First words');
  });

  it('is not taken from a message that could not be sent', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.failNext('send', new Error('no'));

    await rig.service.send({ sessionId, content: 'Lost' }).catch(() => undefined);
    await rig.service.send({ sessionId, content: 'Found' });

    expect(rig.sessions.get(sessionId)?.title).toBe('Found');
  });
});
