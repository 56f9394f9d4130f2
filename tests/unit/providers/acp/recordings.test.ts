import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { playRecording } from './play-recording.ts';
import { type RecordingFolder, readRecording, recordingNamesIn } from './recording.ts';

const golden = join(import.meta.dirname, '../../../fixtures/golden');

describe.each(['codex-acp', 'codex-background'] satisfies RecordingFolder[])('recordings in %s', (folder) => {
  test.for(recordingNamesIn(folder))('the recording "%s" of Codex comes out as agreed', async (name) => {
    const output = await playRecording(readRecording(name, folder));
    await expect(output).toMatchFileSnapshot(join(golden, folder, `${name}.jsonl`));
  });
});
