import type { ToolCallUpsert, UpsertObject } from '../../shared/stream-contracts.ts';
import type { ExportHead, WriteConversation } from './conversation.ts';
import { marksOf, speakerOf } from './entry-facts.ts';
import { EXPORT_STYLE } from './html-style.ts';
import { asText, codeBlock, textWithCode } from './html-text.ts';
import { writeTurns } from './turn-facts.ts';

/** Nothing is loaded and nothing runs, whatever a text contains. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** One page without scripts and without requests. All text is escaped; of Markdown only code blocks are recognised. */
export const writeHtml: WriteConversation = async function* writeHtml(head, parts) {
  yield headOf(head);
  yield* writeTurns(parts, {
    entry: (entry) => entryOf(entry, head.agentLabel),
    turn: (description) => `<p class="turn">${asText(description)}</p>\n`,
  });
  yield '</main>\n</body>\n</html>\n';
};

function headOf({ session, agentLabel, projectPath, exportedAt }: ExportHead): string {
  const facts = [
    ['Agent', agentLabel],
    ...(projectPath === undefined ? [] : [['Project', projectPath]]),
    ['Session', session.id],
    ['Created', session.createdAt],
    ['Last active', session.lastActiveAt],
    ['Exported', exportedAt],
  ] as const;
  const list = facts.map(([name = '', value = '']) => `<dt>${name}</dt><dd>${asText(value)}</dd>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${asText(session.title)}</title>
<style>${EXPORT_STYLE}</style>
</head>
<body>
<header>
<h1 dir="auto">${asText(session.title)}</h1>
<dl>${list}</dl>
</header>
<main>
`;
}

function entryOf(entry: UpsertObject, agentLabel: string): string {
  const marks = marksOf(entry).map((mark) => ` <span class="mark">${asText(mark)}</span>`);
  const who = `<b>${asText(speakerOf(entry, agentLabel))}</b> <time>${asText(entry.sourceTimestamp)}</time>${marks.join('')}`;
  const part = entry.parentItemId === undefined ? '' : ' part';
  if (entry.type === 'message') {
    return `<article class="${entry.origin}${part}">\n<h2>${who}</h2>\n${textWithCode(entry.content)}</article>\n`;
  }
  const body = entry.type === 'thinking' ? textWithCode(entry.content) : toolCall(entry);
  return `<details class="${entry.type}${part}">\n<summary>${who}</summary>\n${body}</details>\n`;
}

function toolCall({ toolArguments, toolOutput, diffs = [] }: ToolCallUpsert): string {
  const parts = [section('Arguments', JSON.stringify(toolArguments, null, 2))];
  for (const { path, oldText, newText } of diffs) {
    parts.push(section(`${path}, ${oldText === null ? 'a new file' : 'before'}`, oldText ?? ''));
    parts.push(section(`${path}, after`, newText));
  }
  if (toolOutput !== undefined) parts.push(section('Output', toolOutput));
  return parts.join('');
}

function section(name: string, text: string): string {
  return `<h3>${asText(name)}</h3>\n${text === '' ? '' : codeBlock(text)}`;
}
