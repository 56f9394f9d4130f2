import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../../support/seeded-random.ts';

const recordings = join(import.meta.dirname, '../../fixtures/traces/continuity');
const NAMES = ['two-writers-p', 'compact-manual', 'compact-auto', 'truncated', 'clear-after', 'rewound', 'terminal'];
const GARBAGE = ['{"type":"user"', '<html>', '{}', 'null', '[]', '\u0000'];

interface Row {
  type?: string;
  uuid?: string;
  parentUuid?: string | null;
  isSidechain?: boolean;
  isApiErrorMessage?: boolean;
  message?: { model?: string };
}

export interface ChangedTranscript {
  /** What was done to which recording. */
  readonly description: string;
  readonly text: string;
}

/** A recording to which was done what kills, other versions, other programs and broken disks do to transcripts. */
export function changeTranscript(seed: number, nativeId: string): ChangedTranscript {
  const random = createRandom(seed * 7_919);
  const name = random.pick(NAMES);
  let lines = readFileSync(join(recordings, `claude-${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean);
  const description = [name];
  let end = '\n';
  let added = 0;

  const rows = () =>
    lines.flatMap((line, place) => {
      const { uuid, type } = parse(line);
      return uuid === undefined ? [] : [{ uuid, place, isAttachment: type === 'attachment' }];
    });
  const messages = () => rows().filter(({ isAttachment }) => !isAttachment);
  const change = (place: number, edit: (row: Row) => void) => {
    const row = parse(lines[place] ?? '');
    edit(row);
    lines[place] = JSON.stringify(row);
  };
  const newUuid = () => {
    added += 1;
    return `bbbbbbbb-0000-4000-8000-${String(seed * 100 + added).padStart(12, '0')}`;
  };

  const changes: Readonly<Record<string, (at: { uuid: string; place: number }) => void>> = {
    cut: ({ place }) => {
      lines = lines.slice(0, Math.max(8, place + 1));
    },
    drop: ({ place }) => void lines.splice(place, 1),
    twice: ({ place }) => void lines.splice(place + 1 + random.below(lines.length - place), 0, lines[place] ?? ''),
    sidechain: ({ place }) => change(place, (row) => (row.isSidechain = true)),
    unknown: ({ place }) => change(place, (row) => (row.type = 'novel')),
    garbage: ({ place }) => void lines.splice(place, 0, random.pick(GARBAGE)),
    checkpoint: ({ uuid }) =>
      void lines.push(JSON.stringify({ type: 'last-prompt', leafUuid: uuid, sessionId: nativeId })),
    uncheck: () => {
      lines = lines.filter((line) => !line.includes('"last-prompt"'));
    },
    parent: ({ place }) => change(place, (row) => (row.parentUuid = random.pick(messages()).uuid)),
    error: ({ place }) =>
      change(place, (row) => {
        if (row.type === 'assistant')
          Object.assign(row, { isApiErrorMessage: true, message: { ...row.message, model: '<synthetic>' } });
      }),
    tear: () => {
      end = `\n${(lines.at(-1) ?? '').slice(0, 40)}`;
    },
    branch: ({ uuid }) => {
      const [user, assistant] = [newUuid(), newUuid()];
      const common = {
        isSidechain: false,
        sessionId: nativeId,
        timestamp: new Date(1_795_000_000_000 + seed * 1_000 + added).toISOString(),
      };
      lines.push(
        JSON.stringify({
          parentUuid: uuid,
          ...common,
          type: 'user',
          message: { role: 'user', content: `branch ${added}` },
          uuid: user,
        }),
      );
      if (random.below(3) > 0) {
        const message = {
          id: `msg-${assistant}`,
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [{ type: 'text', text: `answer ${added}` }],
        };
        lines.push(JSON.stringify({ parentUuid: user, ...common, type: 'assistant', message, uuid: assistant }));
      }
      const leafUuid = random.pick([assistant, uuid, '00000000-0000-0000-0000-000000000000']);
      if (random.below(2) > 0) lines.push(JSON.stringify({ type: 'last-prompt', leafUuid, sessionId: nativeId }));
    },
  };

  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const kind = random.pick([...Object.keys(changes), 'branch']);
    changes[kind]?.(random.pick(random.below(5) === 0 ? rows() : messages()));
    description.push(kind);
  }
  const text = (lines.join('\n') + end).replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"${nativeId}"`);
  return { description: description.join(', '), text };
}

function parse(line: string): Row {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
