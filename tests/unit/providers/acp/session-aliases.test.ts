import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSessionAliases } from '../../../../server/providers/acp/session/session-aliases.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

describe('the aliases of sessions', () => {
  it('are kept across a restart', async () => {
    const dataDir = join(scratchDirectory(), 'data');
    const before = await openSessionAliases(dataDir);
    expect(before.find('codex:a')).toBeUndefined();
    await before.record('codex:a', 'b');
    const after = await openSessionAliases(dataDir);
    expect(after.find('codex:a')).toBe('b');
    await Promise.all([before.close(), after.close()]);
  });
});
