import { join } from 'node:path';
import { expect, test } from 'vitest';
import { playRecording } from './play-recording.ts';
import { readRecording, recordingNames } from './recording.ts';

const golden = join(import.meta.dirname, '../../../fixtures/golden/codex-acp');

test.for(recordingNames)('the recording "%s" of Codex is translated as expected', async (name) => {
  const output = await playRecording(readRecording(name));
  await expect(output).toMatchFileSnapshot(join(golden, `${name}.jsonl`));
});
