import { readFileSync } from 'node:fs';
import { codexRollouts, codexSessions, openCodex, runCodex } from '../../../support/terminals/codex-terminal.ts';
import type { TerminalHome } from '../../../support/terminals/terminal-home.ts';
import type { Base } from './subject.ts';

/** Makes conversations of every kind: each is what the files held at one moment. */
export async function makeCodexBases(home: TerminalHome): Promise<Base[]> {
  const bases: Base[] = [];
  const keep = (name: string, id: string) => {
    const paths = codexRollouts(home).filter((path) => path.includes(id));
    const segments = paths.flatMap((path) => /_(.{36})\.jsonl$/.exec(path)?.[1] ?? []);
    const files = paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    bases.push({ name, ids: [id, ...segments], files });
  };
  const terminal = await openCodex(home);
  await terminal.ask('say one');
  const [id = ''] = codexSessions(home);
  await terminal.ask('tool two');
  keep('two turns', id);
  await terminal.ask('tools three');
  await terminal.ask('say four');
  keep('several turns', id);
  await terminal.rewindLast('say four');
  await terminal.ask('say five');
  keep('rewound', id);
  await terminal.compact();
  keep('just compacted', id);
  await terminal.ask('tool six');
  keep('compacted', id);
  await terminal.rewindLast('tool six');
  await terminal.ask('say seven');
  keep('rewound after a compaction', id);
  await terminal.quit();
  await runCodex(home, 'tool eight');
  const run = codexSessions(home).at(-1) ?? '';
  await runCodex(home, 'say nine', { resume: run });
  keep('by exec', run);
  return bases;
}
