import type { IncomingHttpHeaders } from 'node:http';
import { type Conversation, describeConversation, type Entry } from '../scenario/conversation.ts';
import { asRecord, asRecords, asString, type JsonRecord } from '../wire/json.ts';
import { userText } from '../wire/user-text.ts';

const ASIDE =
  /^The user sent a new message while you were working:\n([\s\S]*?)(?:\n\n(?:This is how|IMPORTANT:)[\s\S]*)?$/;
const INTERRUPTION = /^\[Request interrupted by user/;
const CONTINUATION = /^Output token limit hit\./;
const WORKING_DIRECTORY = /^ *-? *(?:Primary working|Working) directory: (.+)$/m;

export function readAnthropicRequest(body: JsonRecord, headers: IncomingHttpHeaders): Conversation {
  const messages = asRecords(body.messages);
  return describeConversation({
    api: 'anthropic',
    model: asString(body.model),
    sessionId: asString(headers['x-claude-code-session-id']),
    cwd: findWorkingDirectory([body.system, ...messages.map((message) => message.content)]),
    isSideQuestion: asString(asRecord(asRecord(body.output_config).format).type) === 'json_schema',
    entries: messages.flatMap(readMessage),
  });
}

function readMessage(message: JsonRecord): readonly Entry[] {
  const blocks = blocksOf(message.content);
  switch (message.role) {
    case 'assistant':
      return [{ kind: 'reply' }];
    case 'user':
      return readUserBlocks(blocks);
    case 'system':
      return blocks.flatMap((block) => readAside(asString(block.text)));
    default:
      return [];
  }
}

/** Text next to tool results was sent during the turn, unless the turn had been interrupted. */
function readUserBlocks(blocks: readonly JsonRecord[]): readonly Entry[] {
  const entries: Entry[] = [];
  let insideTurn = false;
  for (const block of blocks) {
    if (block.type === 'tool_result') {
      insideTurn = true;
      entries.push({ kind: 'result', result: { callId: asString(block.tool_use_id), output: textOf(block.content) } });
    } else if (block.type === 'text') {
      const text = asString(block.text);
      if (INTERRUPTION.test(text)) insideTurn = false;
      entries.push(...readUserText(text, insideTurn));
    }
  }
  return entries;
}

function readUserText(raw: string, insideTurn: boolean): readonly Entry[] {
  const aside = readAside(raw.replace(/^<system-reminder>\n?|\n?<\/system-reminder>$/g, ''));
  if (aside.length > 0) return aside;
  const text = userText(raw);
  if (text === '' || INTERRUPTION.test(text) || CONTINUATION.test(text)) return [{ kind: 'nudge', text: raw }];
  return [{ kind: insideTurn ? 'aside' : 'user', text }];
}

function readAside(text: string): readonly Entry[] {
  const sent = ASIDE.exec(text)?.[1];
  return sent === undefined ? [] : [{ kind: 'aside', text: sent.trim() }];
}

function findWorkingDirectory(contents: readonly unknown[]): string | undefined {
  for (const content of contents) {
    const found = WORKING_DIRECTORY.exec(textOf(content))?.[1];
    if (found !== undefined) return found.trim();
  }
  return undefined;
}

function blocksOf(content: unknown): readonly JsonRecord[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asRecords(content);
}

function textOf(content: unknown): string {
  return blocksOf(content)
    .map((block) => asString(block.text))
    .join('\n');
}
