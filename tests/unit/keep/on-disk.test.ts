import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { keepOne } from '../../support/keep-one.ts';
import { createKeepRig, dataFiles, PROJECT } from './keep-rig.ts';

it('keep/copies-verified what a crash left after the end of a copy is cut off on disk', async () => {
  const rig = await createKeepRig();
  const path = rig.native.write('one', PROJECT, 'hello');
  await rig.keep.copyAll();
  await rig.keep.close();
  const [data = ''] = dataFiles(rig, 'one');
  appendFileSync(data, 'torn');
  appendFileSync(join(dirname(data), 'index.jsonl'), '{"kind":"chu');
  rig.native.ask('one', PROJECT, 'again');
  const again = await createKeepRig({ native: rig.native, dataDir: rig.dataDir });
  await again.keep.copyAll();
  expect(gunzipSync(readFileSync(data)).toString()).toBe(readFileSync(path, 'utf8'));
  expect(again.copyOf('one')[relative(rig.native.home, path)]?.toString()).toBe(readFileSync(path, 'utf8'));
});

it('keep/copies-verified other content in place of the copied one is refused, although it is valid gzip', async () => {
  const rig = await createKeepRig();
  await keepOne(rig.dataDir, 'claude-code:one', 'projects/a.jsonl', 'content 1');
  const [data = ''] = dataFiles(rig, 'one');
  const other = gzipSync('content 2');
  expect(other).toHaveLength(readFileSync(data).length);
  writeFileSync(data, other);
  await expect(rig.keep.putBack('claude-code:one')).rejects.toMatchObject({ code: 'COPY_DAMAGED' });
});
