import { describe, expect, it } from 'vitest';
import { type Access, decidePermission } from '../../../server/engine/permission.ts';

const decide = (access: Access) => decidePermission({ sessionId: 's', toolName: 'Write', input: {}, access });

describe('a permission that an agent asks for', () => {
  it('is given where the user chose nothing else', async () => {
    expect(await decide({ mode: 'normal' })).toEqual({ allow: true });
  });

  it.each(['plan', 'read-only', 'never-ask'] as const)('safe/modes is denied in the mode %s', async (mode) => {
    const decision = await decide({ mode, chosenBy: 'the_setting in /home/dev/settings' });
    expect(decision).toMatchObject({
      allow: false,
      reason: expect.stringMatching(
        /\(the_setting in \/home\/dev\/settings\), so this was not allowed\. To allow it, /,
      ),
    });
  });
});
