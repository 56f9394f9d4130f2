import { describe, expect, test } from 'vitest';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { playRecording } from './play-recording.ts';
import { readRecording, recordingNamesIn } from './recording.ts';

/** What the replay of Codex does not tell, so that a reload after a restart cannot show it. */
const LIMITS: Readonly<Record<string, string>> = {
  'agent-and-shell':
    'a command that outlives its sub-agent stands where it ended, and its first output is missing live',
  'agent-asks': 'a command that needs permission has its name in the replay only',
  'agent-cancelled-by-its-session': 'the open command of a stopped sub-agent is missing',
  'agent-continued': 'the second task of a sub-agent stands with the first',
  'agent-killed-and-loaded': 'the open command of a sub-agent that died is missing',
  'agent-outlives-turn-cancel': 'a call that was cut short is missing',
  'code-cell-outlives-turn': 'the first output is missing live',
  'exec-background-cancel': 'a command that still runs is missing, and so is the text of a turn that was cut short',
  'exec-background-cancel-air': 'a command that still runs is missing',
  'exec-background-killed-and-loaded': 'a command that was killed is missing',
  'exec-outlives-turn': 'a command stands where it ended',
  'exec-outlives-turn-stop-without-air': 'a command stands where it ended',
  'exec-write-stdin': 'what was typed into a command is part of its output live',
  goal: 'the prompts about a goal and the borders of its turns are missing',
  'goal-completed-by-the-model': 'the prompts about a goal and the borders of its turns are missing',
  'goal-loaded-while-active': 'the prompts about a goal and the borders of its turns are missing',
  'guardian-allows': 'a review is missing',
  'guardian-denies': 'a review and the command that it denied are missing',
};

interface Line {
  readonly upsert?: UpsertObject;
  readonly history?: UpsertObject;
}

async function play(name: string) {
  const output = await playRecording(readRecording(name, 'codex-background'));
  const lines = output.split('\n').filter(Boolean);
  const parsed = lines.map((line) => JSON.parse(line) as Line);
  const firstLoaded = parsed.findIndex(({ history }) => history !== undefined);
  const before = firstLoaded < 0 ? parsed : parsed.slice(0, firstLoaded);
  return {
    live: before.flatMap(({ upsert }) => upsert ?? []),
    reloaded: parsed.slice(Math.max(0, firstLoaded)).flatMap(({ history }) => history ?? []),
  };
}

interface Shown {
  readonly what: string;
  readonly steps: readonly Shown[];
}

/** What a reader sees: the last state of each item in order, with its steps under it. */
function show(upserts: readonly UpsertObject[], parentItemId?: string): readonly Shown[] {
  const items = [...new Map(upserts.map((upsert) => [upsert.itemId, upsert])).values()];
  return items
    .filter((item) => item.parentItemId === parentItemId)
    .map((item) => ({ what: describeItem(item), steps: show(upserts, item.itemId) }));
}

function describeItem(item: UpsertObject): string {
  if (item.type !== 'tool_call') return `${item.type}: ${item.content}`;
  const { toolName, toolArguments, toolOutput, toolOutputIsError, exitCode, status, errorCode } = item;
  return JSON.stringify({ toolName, toolArguments, toolOutput, toolOutputIsError, exitCode, status, errorCode });
}

describe('background work of Codex after a reload', () => {
  const names = recordingNamesIn('codex-background').filter((name) =>
    readRecording(name, 'codex-background').some((line) => line.dir === 'out' && line.msg.method === 'session/load'),
  );

  test.for(names.filter((name) => LIMITS[name] === undefined))(
    'engine/background-reload codex: "%s" shows the same as before',
    async (name) => {
      const { live, reloaded } = await play(name);
      expect(show(reloaded)).toEqual(show(live));
    },
  );

  test.for(Object.keys(LIMITS))(
    'engine/background-reload codex: "%s" still differs in what is not told',
    async (name) => {
      const { live, reloaded } = await play(name);
      expect(show(reloaded)).not.toEqual(show(live));
    },
  );
});

describe('a review of Codex', () => {
  test.for([
    ['guardian-allows', 'Approved', 'low', false],
    ['guardian-denies', 'Denied', 'high', true],
  ] as const)('"%s" shows as what it is, with its reasons', async ([name, status, risk, isError]) => {
    const { live } = await play(name);
    const calls = [...new Map(live.map((upsert) => [upsert.itemId, upsert])).values()].filter(
      (item) => item.type === 'tool_call',
    );
    expect(calls).toMatchObject([
      { toolKind: 'execute', toolOutputIsError: isError },
      { toolName: 'Guardian Review', toolKind: 'think', toolOutputIsError: isError },
    ]);
    const [, review] = calls;
    expect(review?.toolOutput).toMatch(new RegExp(`^Status: ${status}\n[^]*Risk: ${risk}\n[^]*Rationale: `));
  });
});
