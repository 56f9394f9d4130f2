/** A part of a message in a request, reduced to what can be told from a transcript. */
export interface SentPart {
  readonly kind: string;
  readonly id?: string;
  readonly text: string;
}

export interface SentMessage {
  readonly role: string;
  readonly parts: readonly SentPart[];
}

interface Block {
  readonly type?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly name?: string;
  readonly text?: string;
}

type Body = Readonly<Record<string, unknown>>;

const messagesOf = (body: Body) =>
  (body.messages ?? []) as readonly { role: string; content: string | readonly Block[] }[];

/** The messages of a request of Claude Code, without what it adds when it sends them. */
export function sentMessages(body: Body): SentMessage[] {
  return withoutAdded(
    messagesOf(body).map(({ role, content }) => ({
      role,
      parts: typeof content === 'string' ? [{ kind: 'text', text: content }] : content.map(toPart),
    })),
  );
}

function toPart({ type, id = '', tool_use_id = '', name = '', text = '' }: Block): SentPart {
  switch (type) {
    case 'text':
      return { kind: 'text', text };
    case 'tool_use':
      return { kind: 'call', id, text: name };
    case 'tool_result':
      return { kind: 'result', id: tool_use_id, text: '' };
    case 'thinking':
    case 'redacted_thinking':
      return { kind: 'thinking', text: '' };
    default:
      return { kind: 'other', text: '' };
  }
}

const REMINDER = /^<system-reminder>[\s\S]*<\/system-reminder>\s*$/;

/** Without messages of the role `system`, reminders, and messages that have nothing else. */
export function withoutAdded(messages: readonly SentMessage[]): SentMessage[] {
  return messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, parts }) => ({
      role,
      parts: inOrder(parts.filter(({ kind, text }) => kind !== 'reminder' && !REMINDER.test(text)).map(comparable)),
    }))
    .filter(({ parts }) => parts.length > 0);
}

/** Calls that were made at once, and their results, have no order. */
function inOrder(parts: readonly SentPart[]): SentPart[] {
  const isTool = ({ kind }: SentPart) => kind === 'call' || kind === 'result';
  const byId = (one: SentPart, other: SentPart) => (`${one.id}` < `${other.id}` ? -1 : 1);
  return [...parts.filter((part) => !isTool(part)), ...parts.filter(isTool).toSorted(byId)];
}

/** Claude Code ends a text with a line break, and shortens results. */
const comparable = ({ kind, id, text }: SentPart): SentPart => ({
  kind,
  ...(id !== undefined && { id }),
  text: kind === 'result' ? '' : text.trimEnd(),
});

/** The texts of a request, of both agents, in order. */
export function sentTexts(body: Body): string[] {
  const input = body.input as readonly { readonly content?: readonly Block[] }[] | undefined;
  const parts = sentMessages(body).flatMap((message) => message.parts);
  return input?.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)) ?? parts.map(({ text }) => text);
}
