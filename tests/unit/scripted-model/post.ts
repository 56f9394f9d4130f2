import { request as httpRequest, type IncomingMessage } from 'node:http';

export interface SentEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Posts JSON on its own connection, as an agent does, and resolves when the headers have arrived. */
export function post(
  url: string,
  body: unknown,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
      ...(signal ? { signal } : {}),
    };
    const request = httpRequest(url, options, resolve);
    request.on('error', reject);
    request.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode ?? 0, text };
}

/** The events of a reply, each as soon as it arrives. */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<SentEvent> {
  let pending = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const parts = (pending + chunk).split('\n\n');
    pending = parts.pop() ?? '';
    for (const part of parts) yield parseEvent(part);
  }
}

export async function allEvents(response: IncomingMessage): Promise<readonly SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  return events;
}

/** The two lines of an event must name the same type. */
function parseEvent(lines: string): SentEvent {
  const match = /^event: (.+)\ndata: (.+)$/.exec(lines);
  if (!match?.[1] || !match[2]) throw new Error(`Not a server-sent event: ${lines}`);
  const event = JSON.parse(match[2]) as SentEvent;
  if (event.type !== match[1]) throw new Error(`Event ${match[1]} carries type ${event.type}`);
  return event;
}
