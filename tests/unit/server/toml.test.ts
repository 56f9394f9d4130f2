import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readToml } from '../../../server/toml.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

it('a TOML file is read, a missing one is not a problem, an invalid one says what is wrong', async () => {
  const directory = scratchDirectory();
  const path = join(directory, 'config.toml');
  expect(await readToml(path)).toEqual({ found: false });
  await writeFile(path, 'sandbox_mode = "read-only"\n[profiles.a]\napproval_policy = "never"\n');
  expect(await readToml(path)).toEqual({
    found: true,
    values: { sandbox_mode: 'read-only', profiles: { a: { approval_policy: 'never' } } },
  });
  await writeFile(path, 'sandbox_mode = \n');
  expect(await readToml(path)).toMatchObject({ found: false, problem: expect.stringContaining(path) });
  await mkdir(join(directory, 'folder'));
  expect(await readToml(join(directory, 'folder'))).toMatchObject({ problem: expect.stringContaining('EISDIR') });
});
