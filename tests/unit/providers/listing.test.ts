import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, symlinkSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ListingFormat } from '../../../server/engine/native-listing.ts';
import type { NativeSummary } from '../../../server/engine/native-sessions.ts';
import { createLook, listFolders } from '../../../server/found/walk.ts';
import { codexListing } from '../../../server/providers/acp/rollout/listing.ts';
import { claudeListing } from '../../../server/providers/claude/transcript/listing.ts';
import { AT, recording, rolloutOf, secondAfter, transcriptOf } from '../../support/found/transcripts.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const CWD = '/work/project';
const ID = '9f6775a0-922e-479d-b57b-ab1076f345d9';
const ROLLOUT = `rollout-2026-11-16T02-19-57-${ID}.jsonl`;

/** Lists one folder that `write` has filled. */
function list(format: ListingFormat, write: (folder: string) => void): (NativeSummary | undefined)[] {
  const top = scratchDirectory();
  const folder = format === codexListing ? join(top, '2026', '11', '16') : join(top, 'folder');
  mkdirSync(folder, { recursive: true });
  write(folder);
  const look = createLook();
  const changes = listFolders({ folder: top, format }).flatMap((each) => [
    ...look(format, { folder: each, known: [] }),
  ]);
  return changes.map((change) => (change.stamp === undefined ? undefined : change.summary));
}

const claude = (text: string) => list(claudeListing, (folder) => writeFileSync(join(folder, `${ID}.jsonl`), text))[0];
const codex = (text: string) => list(codexListing, (folder) => writeFileSync(join(folder, ROLLOUT), text))[0];

describe('a transcript of Claude Code', () => {
  it('follow/list says where and when it was begun, what was asked first and when the last message was written', () => {
    expect(claude(recording('claude-terminal'))).toEqual({
      nativeId: ID,
      cwd: '/scratch/proj/alpha',
      title: 'echo:tui one',
      isTitleGiven: false,
      createdAt: '2026-11-16T01:50:39.618Z',
      lastMessageAt: '2026-11-16T01:52:08.308Z',
      isRun: false,
    });
  });

  it('follow/list keeps the directory, the kind and the title that it began with or was given', () => {
    expect(claude(recording('claude-rewound'))).toMatchObject({
      cwd: '/scratch/proj/alpha',
      title: 'My renamed session',
      isTitleGiven: true,
      isRun: false,
      lastMessageAt: '2026-11-16T03:03:42.837Z',
    });
  });

  it('follow/list is named after what was asked, not after the command that began it', () => {
    expect(claude(recording('claude-clear-after'))).toMatchObject({ title: 'echo:after clear' });
  });

  it('follow/runs is a run if a single command or a program began it', () => {
    expect(claude(transcriptOf({ cwd: CWD, isRun: true }))).toMatchObject({ isRun: true });
    expect(claude(recording('claude-two-writers-p'))).toMatchObject({ isRun: true });
  });

  it.each([10_000, 100_000, 1_500_000])('follow/list is listed with a first message of %i characters', (length) => {
    expect(claude(transcriptOf({ cwd: CWD, prompt: 'word '.repeat(length / 5), bytes: 100_000 }))).toMatchObject({
      cwd: CWD,
      title: 'word word word word word word word word word word…',
      lastMessageAt: secondAfter(AT),
    });
  });

  it('follow/list the last message counts, not what a rename or an exit writes after it', () => {
    const [sessionId, timestamp] = [ID, '2026-12-01T00:00:00.000Z'];
    const rename = { type: 'custom-title', customTitle: 'A name', sessionId };
    const meta = { type: 'user', isMeta: true, message: { role: 'user', content: 'named' }, timestamp, cwd: CWD };
    const cost = { type: 'cost-state', totals: 'x'.repeat(20_000), sessionId };
    const last = [rename, meta, { type: 'system', subtype: 'local_command', timestamp, cwd: CWD }, cost];
    expect(claude(transcriptOf({ cwd: CWD, last }))).toMatchObject({ lastMessageAt: secondAfter(AT), title: 'A name' });
  });

  it.each([
    ['nothing was asked', `${JSON.stringify({ type: 'mode', sessionId: ID })}\n`],
    ['only a command was given', commandOnly()],
    ['it is that of a sub-agent', transcriptOf({ cwd: CWD }).replaceAll('"isSidechain":false', '"isSidechain":true')],
    ['its directory is relative', transcriptOf({ cwd: 'project' })],
    ['its directory is no text', transcriptOf({ cwd: CWD }).replaceAll(`"cwd":"${CWD}"`, '"cwd":{"a":1}')],
    ['it is empty', ''],
    ['it is garbage', '\u0000\uffff{"type":"user"'.repeat(10_000)],
    ['its rows are lists', '[]\n[1]\nnull\n"type":"user"\n'],
  ])('follow/list is left out if %s', (_name, text) => {
    expect(claude(text)).toBeUndefined();
  });

  it('follow/list is left out while Claude Code has it archived', () => {
    const summaries = list(claudeListing, (folder) => {
      writeFileSync(join(folder, `${ID}.jsonl`), transcriptOf({ cwd: CWD }));
      mkdirSync(join(folder, ID));
      writeFileSync(join(folder, ID, 'archived.json'), '{}');
    });
    expect(summaries).toEqual([undefined]);
  });

  it('follow/list survives a torn last line', () => {
    const text = transcriptOf({ cwd: CWD });
    expect(claude(`${text}{"type":"assistant","mess`)).toMatchObject({ lastMessageAt: secondAfter(AT) });
  });
});

describe('a rollout of Codex', () => {
  it('follow/list says where and when it was begun, what was asked first and when the last message was written', () => {
    expect(codex(recording('codex-terminal'))).toEqual({
      nativeId: ID,
      cwd: '/scratch/proj/gamma',
      title: 'echo:ctui one',
      isTitleGiven: false,
      createdAt: '2026-11-16T02:19:57.317Z',
      lastMessageAt: '2026-11-16T02:20:11.728Z',
      isRun: false,
    });
  });

  it('follow/runs is a run if `codex exec` made it', () => {
    expect(codex(recording('codex-exec'))).toMatchObject({ isRun: true, title: 'echo:codex exec one' });
  });

  it('follow/old-formats is read as Codex 0.130 wrote it', () => {
    const old = { isRun: true, title: 'slowtool=3', cwd: '/scratch/old/cx-0.130.0/proj' };
    expect(codex(recording('codex-legacy-0.130'))).toMatchObject(old);
    const sent = recording('codex-legacy-0.130')
      .split('\n')
      .filter((line) => !line.includes('user_message'));
    expect(codex(sent.join('\n'))).toMatchObject(old);
  });

  it('follow/list is listed with long instructions and a long first message', () => {
    expect(codex(rolloutOf({ cwd: CWD, bytes: 300_000, prompt: 'word '.repeat(100_000) }))).toMatchObject({
      cwd: CWD,
      title: 'word word word word word word word word word word…',
    });
  });

  it.each([
    ['nothing was asked', rolloutOf({ cwd: CWD }).split('\n').slice(0, 3).join('\n')],
    ['another conversation started it', rolloutOf({ cwd: CWD }).replace('"cwd"', '"parent_thread_id":"x","cwd"')],
    ['its directory is relative', rolloutOf({ cwd: '..' })],
    ['its beginning is missing', rolloutOf({ cwd: CWD }).split('\n').slice(1).join('\n')],
    ['it is garbage', '{"UserMessage"\n'.repeat(1_000)],
  ])('follow/list is left out if %s', (_name, text) => {
    expect(codex(text)).toBeUndefined();
  });
});

it('follow/hostile titles are one short line without control characters', () => {
  const prompt = `<img src=x onerror=alert(1)>\u001b[31m\u202e\n${'y '.repeat(1_000_000)}`;
  const titles = [claude(transcriptOf({ cwd: CWD, prompt })), codex(rolloutOf({ cwd: CWD, prompt }))];
  for (const summary of titles) expect(summary?.title).toMatch(/^<img src=x onerror=alert\(1\)> \[31m( y)+…$/);
  const custom = { type: 'custom-title', customTitle: `a\u0000\ud800${'z'.repeat(100_000)}`, sessionId: ID };
  expect(claude(transcriptOf({ cwd: CWD, last: [custom] }))?.title).toHaveLength(200);
});

it('follow/hostile what is no readable file is passed over, and the rest is listed', () => {
  const summaries = list(claudeListing, (folder) => {
    const path = (name: string) => join(folder, `${name}.jsonl`);
    mkdirSync(path('a-directory'));
    execFileSync('mkfifo', [path('b-pipe')]);
    symlinkSync('/dev/zero', path('c-device'));
    symlinkSync(path('missing'), path('d-dangling'));
    symlinkSync(path('e-loop'), path('e-loop'));
    writeFileSync(path('not an id'), transcriptOf({ cwd: CWD }));
    writeFileSync(path('g-listed'), transcriptOf({ cwd: CWD, id: 'g-listed' }));
    symlinkSync(dirname(folder), join(dirname(folder), 'around'));
  });
  expect(summaries.map((summary) => summary?.nativeId)).toEqual(['g-listed']);
});

it.each([
  ['Claude Code', claudeListing, `${ID}.jsonl`],
  ['Codex', codexListing, ROLLOUT],
] as const)('follow/hostile a first line of 100 MB costs %s no more than 2 MB of it', (_name, format, name) => {
  const startedAt = performance.now();
  const summaries = list(format, (folder) => {
    const file = openSync(join(folder, name), 'w');
    writeSync(file, '{"type":"user","message":{"role":"user","content":"Look at this: ');
    // A hole: the file is as long as this, without taking the room.
    writeSync(file, `"},"cwd":"${CWD}"}\n${transcriptOf({ cwd: CWD })}`, 100 * 1024 * 1024);
    closeSync(file);
    utimesSync(join(folder, name), 1, 1);
  });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  if (format === claudeListing) expect(summaries[0]).toMatchObject({ title: 'Look at this:', cwd: CWD });
  else expect(summaries).toEqual([undefined]);
});

function commandOnly(): string {
  return transcriptOf({ cwd: CWD, prompt: '<command-name>/clear</command-name>' })
    .split('\n')
    .filter((line) => !line.includes('"assistant"'))
    .join('\n');
}
