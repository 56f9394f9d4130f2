import type { ToolCallUpsert, UpsertObject } from '../../shared/stream-contracts.ts';
import type { ExportHead, WriteConversation } from './conversation.ts';
import { marksOf, speakerOf } from './entry-facts.ts';
import { escapeLine, fence, quote } from './markdown-text.ts';
import { writeTurns } from './turn-facts.ts';

export const writeMarkdown: WriteConversation = async function* writeMarkdown(head, parts) {
  yield headOf(head);
  yield* writeTurns(parts, {
    entry: (entry) => `${entryOf(entry, head.agentLabel)}\n\n`,
    turn: (description) => `*${escapeLine(description)}*\n\n---\n\n`,
  });
};

function headOf({ session, agentLabel, projectPath, exportedAt }: ExportHead): string {
  const facts = [
    `Agent: ${escapeLine(agentLabel)}`,
    ...(projectPath === undefined ? [] : [`Project: ${escapeLine(projectPath)}`]),
    `Session: ${escapeLine(session.id)}`,
    `Created: ${session.createdAt}`,
    `Last active: ${session.lastActiveAt}`,
    `Exported: ${exportedAt}`,
  ];
  return `# ${escapeLine(session.title)}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n\n---\n\n`;
}

function entryOf(entry: UpsertObject, agentLabel: string): string {
  const head = [speakerOf(entry, agentLabel), entry.sourceTimestamp, ...marksOf(entry)].map(escapeLine).join(' · ');
  switch (entry.type) {
    case 'message':
      return `## ${head}\n\n${quote(entry.content)}`;
    case 'thinking':
      return folded(head, fence(entry.content));
    case 'tool_call':
      return folded(head, toolCall(entry));
  }
}

/** Closed, as on the page. */
function folded(head: string, body: string): string {
  return `<details>\n<summary>${head}</summary>\n\n${body}\n\n</details>`;
}

function toolCall({ toolArguments, toolOutput, diffs = [] }: ToolCallUpsert): string {
  const parts = [`Arguments\n\n${fence(JSON.stringify(toolArguments, null, 2), 'json')}`];
  for (const { path, oldText, newText } of diffs) {
    const before = oldText === null ? 'New file' : `Before\n\n${fence(oldText)}`;
    parts.push(`File ${escapeLine(path)}\n\n${before}\n\nAfter\n\n${fence(newText)}`);
  }
  if (toolOutput !== undefined) parts.push(`Output\n\n${fence(toolOutput)}`);
  return parts.join('\n\n');
}
