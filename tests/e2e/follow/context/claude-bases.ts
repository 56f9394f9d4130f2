import { readFileSync } from 'node:fs';
import { type Rule, readFile, say, shell, think } from '../../../../scripted-model/index.ts';
import { claudeTranscripts, openClaude } from '../../../support/terminals/claude-terminal.ts';
import type { TerminalHome } from '../../../support/terminals/terminal-home.ts';
import type { Base } from './subject.ts';

const answer = (prompt: string) => [say(`Answer to ${prompt}.`)];
const pace = { wordsPerChunk: 1, msBetweenChunks: 40 };

export const rules: readonly Rule[] = [
  { when: /^CRITICAL: Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION/, scenario: [[say('A summary of it.')]] },
  {
    when: /^tool /,
    scenario: ({ prompt }) => [[think('Hm.'), say('Let me look.'), shell('echo seen')], answer(prompt)],
  },
  {
    when: /^tools /,
    scenario: ({ prompt }) => [[shell('echo first'), readFile('greeting.txt'), shell('echo third')], answer(prompt)],
  },
  // About two seconds, so that it can be killed at every stage.
  {
    when: /^work /,
    scenario: ({ prompt }) => [
      [think(`Hm ${'on '.repeat(8)}`, pace), say(`Begun ${'and '.repeat(8)}`, pace), shell('sleep 0.3; echo worked')],
      [say(`Answer to ${prompt}. ${'End '.repeat(8)}`, pace)],
    ],
  },
  { when: /./, scenario: ({ prompt }) => [answer(prompt)] },
];

/** Makes transcripts of every kind: each is what the file held at one moment. */
export async function makeClaudeBases(home: TerminalHome): Promise<Base[]> {
  const bases: Base[] = [];
  const keep = (name: string, id: string) => {
    const path = claudeTranscripts(home).find((each) => each.includes(id)) ?? '';
    bases.push({ name, ids: [id], files: [{ path, text: readFileSync(path, 'utf8') }] });
  };
  const first = await openClaude(home);
  const id = first.sessionId();
  await first.ask('say one');
  await first.ask('tool two');
  keep('open', id);
  await first.ask('tools three');
  await first.ask('say four');
  keep('several turns', id);
  await first.compact();
  keep('just compacted', id);
  await first.ask('say five');
  await first.ask('tool six');
  keep('compacted', id);
  await first.rewindTo('tool six');
  await first.ask('say seven');
  keep('rewound', id);
  await first.clear();
  const cleared = first.sessionId();
  await first.ask('say eight');
  keep('cleared', cleared);

  const second = await openClaude(home, { resume: cleared });
  await second.ask('say nine');
  await first.ask('tool ten');
  keep('two writers', cleared);
  await second.ask('say eleven');
  await first.quit();
  keep('two writers, one has left', cleared);
  await second.quit();
  keep('two writers, both have left', cleared);
  return bases;
}
