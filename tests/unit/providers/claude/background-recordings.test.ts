import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHistory } from '../../../../server/providers/claude/transcript/history.ts';
import { asEnded } from '../../../../server/streaming/history.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';
import { playRecording } from './play-recording.ts';
import {
  backgroundFolder,
  backgroundRecordingNames,
  outputsOf,
  readBackgroundRecording,
  taskOfFile,
} from './recording.ts';

const golden = join(import.meta.dirname, '../../../fixtures/golden/claude-background');

/** As the page shows them: steps under their call, whatever happened in between. */
function inOrderShown(items: readonly UpsertObject[]): UpsertObject[] {
  const under = (parent: string | undefined): UpsertObject[] =>
    items.filter(({ parentItemId }) => parentItemId === parent).flatMap((item) => [item, ...under(item.itemId)]);
  return under(undefined);
}

/** What an item shows, without times and without the reason of a failure, which only the moment knows. */
function shown(items: readonly UpsertObject[]) {
  return inOrderShown(items).map((item) => {
    const { sourceTimestamp, emittedAt, errorCode, errorMessage, ...rest } = asEnded(item);
    return rest;
  });
}

async function reload(name: string): Promise<readonly UpsertObject[]> {
  const home = scratchDirectory();
  const project = join(home, 'projects', '-home-dev-project');
  mkdirSync(project, { recursive: true });
  cpSync(join(backgroundFolder, 'transcripts', `${name}.jsonl`), join(project, 'recorded.jsonl'));
  const subAgents = join(backgroundFolder, 'transcripts', name);
  if (existsSync(subAgents)) cpSync(subAgents, join(project, 'recorded'), { recursive: true });
  const outputs = outputsOf(readBackgroundRecording(name));
  const history = await readHistory({
    env: { CLAUDE_CONFIG_DIR: home },
    nativeId: 'recorded',
    projectDir: '/home/dev/project',
    sessionId: 'claude-code:recorded',
    providerId: 'claude-code',
    now: () => '2026-01-01T00:00:00.000Z',
    readOutput: async (path) => outputs.get(taskOfFile(path)),
  });
  return history ?? [];
}

const lastOf = (upserts: readonly UpsertObject[]) => [
  ...new Map(upserts.map((upsert) => [upsert.itemId, upsert])).values(),
];

test.for(backgroundRecordingNames)('engine/background-live claude: "%s" comes out as agreed', async (name) => {
  const { text } = await playRecording(readBackgroundRecording(name));
  await expect(text).toMatchFileSnapshot(join(golden, `${name}.jsonl`));
});

test.for(backgroundRecordingNames)(
  'engine/background-reload claude: "%s" shows what the live view showed',
  async (name) => {
    const { upserts } = await playRecording(readBackgroundRecording(name));
    expect(shown(await reload(name))).toEqual(shown(lastOf(upserts)));
  },
);

/** Text that Claude Code writes for the model. */
const FOR_THE_MODEL = /internal metadata|do not mention|Output is being written to|hand-back|You will be notified/;

test.for(backgroundRecordingNames)(
  'engine/background-live claude: "%s" names every step and no internals',
  async (name) => {
    const { upserts } = await playRecording(readBackgroundRecording(name));
    const calls = upserts.filter((upsert) => upsert.type === 'tool_call');
    expect(calls.map(({ toolName }) => toolName)).not.toContain('unknown');
    expect(JSON.stringify(calls.map(({ toolOutput }) => toolOutput))).not.toMatch(FOR_THE_MODEL);
  },
);

test('engine/background-live claude: a sub-agent is running until it ends, and its steps belong to the turn of its call', async () => {
  const { upserts, turns } = await playRecording(readBackgroundRecording('background-agent-message-beside'));
  const call = upserts.find((upsert) => upsert.type === 'tool_call');
  const statuses = upserts.filter(({ itemId }) => itemId === call?.itemId).map(({ status }) => status);
  expect(statuses).toEqual(['create', 'update', 'update', 'complete']);
  const steps = upserts.filter(({ parentItemId }) => parentItemId === call?.itemId);
  expect(new Set(steps.map(({ turnId }) => turnId))).toEqual(new Set([call?.turnId]));
  const ended = turns.findIndex(({ turnId, type }) => turnId === call?.turnId && type === 'turn_complete');
  expect(turns.slice(ended + 1).map(({ type }) => type)).toContain('turn_started');
  expect(upserts.findLast(({ itemId }) => itemId === call?.itemId)).toMatchObject({
    toolOutput: 'The slow one is done.',
    background: true,
  });
});

test.for([
  'background-shell-stopped',
  'background-shell-stopped-by-model',
  'background-agent-stopped',
  'background-agent-interrupt-idle',
] as const)('engine/background-stop claude: "%s" ends the call as stopped', async (name) => {
  const { upserts } = await playRecording(readBackgroundRecording(name));
  const call = lastOf(upserts).find((upsert) => upsert.type === 'tool_call');
  expect(call).toMatchObject({ status: 'error', errorCode: 'STOPPED', errorMessage: 'Stopped.' });
});

test.for([
  ['background-agent', 'Agent "Inspect the file" finished'],
  ['background-agent-fails', 'Agent "Inspect the file" failed: Agent terminated early due to an API error'],
  ['background-agent-ends-during-text', 'Agent "Inspect the file" finished'],
  ['background-shell-exit-3', 'Background command "Fail on purpose" failed with exit code 3'],
  ['background-two-shells-end-together', 'Background command "Shell A" completed (exit code 0)'],
  ['background-agent-nested', 'Agent "Outer work" finished'],
] as const)('engine/own-turn claude: the turn after "%s" says why it began', async ([name, cause]) => {
  const { upserts, turns } = await playRecording(readBackgroundRecording(name));
  const shownCauses = upserts.filter(({ itemId }) => itemId.endsWith(':cause'));
  expect(shownCauses).toMatchObject([{ origin: 'system', content: expect.stringContaining(cause) }]);
  const ownTurn = turns.filter(({ turnId }) => turnId === shownCauses[0]?.turnId);
  expect(ownTurn.map(({ type }) => type)).toEqual(['turn_started', 'turn_complete']);
});

test('engine/own-turn claude: what ends while a tool runs joins the running turn', async () => {
  const { turns } = await playRecording(readBackgroundRecording('background-agent-ends-during-tool'));
  expect(turns.filter(({ turnId }) => turnId.startsWith('self-'))).toEqual([]);
});
