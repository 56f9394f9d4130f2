import { join } from 'node:path';
import { expect, test } from 'vitest';
import { playRecording } from './play-recording.ts';
import { readRecording, recordingNames } from './recording.ts';

const golden = join(import.meta.dirname, '../../../fixtures/golden/claude');

test.for(recordingNames)('the recording "%s" of Claude Code matches its golden file', async (name) => {
  const { text } = await playRecording(readRecording(name));
  await expect(text).toMatchFileSnapshot(join(golden, `${name}.jsonl`));
});
