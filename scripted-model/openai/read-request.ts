import type { IncomingHttpHeaders } from 'node:http';
import { type Conversation, describeConversation, type Entry } from '../scenario/conversation.ts';
import { asRecord, asRecords, asString, type JsonRecord } from '../wire/json.ts';
import { userText } from '../wire/user-text.ts';

const AGENTS_FILE = /^# AGENTS\.md instructions/;
const NEW_TASK = /^Message Type: NEW_TASK$/m;
const WORKING_DIRECTORY = /<cwd>(.+?)<\/cwd>/;

export function readOpenAiRequest(body: JsonRecord, headers: IncomingHttpHeaders): Conversation {
  const items = asRecords(body.input);
  return describeConversation({
    api: 'openai',
    model: asString(body.model),
    sessionId: asString(headers['thread-id']) || asString(body.prompt_cache_key),
    cwd: findWorkingDirectory(items),
    isSideQuestion: asString(asRecord(asRecord(body.text).format).type) === 'json_schema',
    entries: items.flatMap(readItem),
  });
}

function readItem(item: JsonRecord): readonly Entry[] {
  switch (item.type) {
    case 'message':
      return readMessage(item);
    case 'agent_message':
      return readAgentMessage(item);
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
      return [{ kind: 'reply' }];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ kind: 'result', result: { callId: asString(item.call_id), output: outputOf(item.output) } }];
    default:
      return [];
  }
}

function readMessage(item: JsonRecord): readonly Entry[] {
  if (item.role === 'assistant') return [{ kind: 'reply' }];
  if (item.role !== 'user') return [];
  const raw = textOf(item);
  const text = userText(raw);
  return text === '' || AGENTS_FILE.test(text) ? [{ kind: 'nudge', text: raw }] : [{ kind: 'user', text }];
}

/** Codex agents send each other messages: a new task is the prompt of a sub-agent, anything else informs its parent. */
function readAgentMessage(item: JsonRecord): readonly Entry[] {
  const parts = asRecords(item.content);
  const payload = parts.map((part) => asString(part.encrypted_content)).join('');
  const isTask = NEW_TASK.test(asString(parts[0]?.text)) && payload !== '';
  return [isTask ? { kind: 'user', text: payload } : { kind: 'nudge', text: textOf(item) }];
}

/** A session that moved names its directory again; the last one counts. */
function findWorkingDirectory(items: readonly JsonRecord[]): string | undefined {
  return items
    .filter((item) => item.type === 'message' && item.role === 'user')
    .map((item) => WORKING_DIRECTORY.exec(textOf(item))?.[1])
    .findLast((found) => found !== undefined);
}

function outputOf(output: unknown): string {
  return typeof output === 'string' ? output : textOf({ content: output });
}

function textOf(item: JsonRecord): string {
  return asRecords(item.content)
    .map((part) => asString(part.text))
    .join('\n');
}
