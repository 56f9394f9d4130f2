import { writeSync } from 'node:fs';
import { openJournal } from '../../../server/journal/open-journal.ts';
import { growth, item, message, SESSION, turn, turnChange } from '../../support/journal/kept-entries.ts';

// Records forever. Prints `> n` when the first n characters of the text were recorded, `< n` when they are on disk.

const [, , dataDir = '', from = '0'] = process.argv;
let length = Number(from);
const say = (sign: string, count: number) => writeSync(1, `${sign} ${count} ${Date.now()}\n`);

const journal = await openJournal({ dataDir, thread: 'here', warn: (text) => say('!', text.length) });
journal.record(SESSION, [turnChange(turn('t', { status: 'running' }))]);
if (length === 0) journal.record(SESSION, [item(message('t', 1, { status: 'update', content: '' }), 0)]);
for (let round = 0; ; round += 1) {
  const text = String.fromCharCode(97 + (length % 26)).repeat(1 + (round % 40));
  journal.record(SESSION, [growth('t:0:1', length, text)]);
  length += text.length;
  say('>', length);
  if (round % 5 === 0) {
    const count = length;
    await journal.durable();
    say('<', count);
  } else await new Promise((resolve) => setTimeout(resolve, 3));
}
