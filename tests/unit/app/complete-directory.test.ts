import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completeDirectory } from '../../../server/projects/complete-directory.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

describe('completeDirectory', () => {
  it('keeps the form of the typed path', async () => {
    const home = scratchDirectory();
    mkdirSync(join(home, 'code', 'app'), { recursive: true });

    const cases = [
      ['', ['~/code']],
      ['~', ['~/code']],
      ['~/c', ['~/code']],
      ['~/code/', ['~/code/app']],
      [`${home}/code/../co`, [`${home}/code/../code`]],
      [`${home}//c`, [`${home}//code`]],
    ] as const;
    for (const [prefix, directories] of cases) {
      expect(await completeDirectory(prefix, home)).toEqual({ directories, truncated: false });
    }
  });

  it('shows hidden directories of home after a dot', async () => {
    const home = scratchDirectory();
    mkdirSync(join(home, '.config'));
    mkdirSync(join(home, 'visible'));

    expect((await completeDirectory('~/.', home)).directories).toEqual(['~/.config']);
    expect((await completeDirectory('~/.c', home)).directories).toEqual(['~/.config']);
    expect((await completeDirectory('~/', home)).directories).toEqual(['~/visible']);
  });

  it('lists directories and links to directories, not files, broken links or loops', async () => {
    const root = scratchDirectory();
    mkdirSync(join(root, 'real'));
    writeFileSync(join(root, 'file'), '');
    symlinkSync('real', join(root, 'link'));
    symlinkSync('missing', join(root, 'broken'));
    symlinkSync('loop', join(root, 'loop'));
    symlinkSync('file', join(root, 'to-file'));

    expect((await completeDirectory(`${root}/`)).directories).toEqual([`${root}/link`, `${root}/real`]);
  });

  it('returns nothing if the directory cannot be read', async () => {
    const root = scratchDirectory();
    const file = join(root, 'file');
    writeFileSync(file, '');
    chmodSync(file, 0o000);

    expect(await completeDirectory(`${file}/`)).toEqual({ directories: [], truncated: false });
    expect(await completeDirectory('~other/x')).toEqual({ directories: [], truncated: false });
  });
});
