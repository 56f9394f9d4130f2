import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, JsonRpcId, Stream } from '@agentclientprotocol/sdk';
import { createLineReader, readInSlices } from '../../../processes/index.ts';
import { isRecord } from '../translate/session-update.ts';

/** Far more than agents send, including files and images. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export interface MessageStreamOptions {
  readonly stdout: Readable;
  readonly stdin: Writable;
  /** Called with the params of every `session/update`, in order and before any later message. Must not throw. */
  readonly onUpdate: (params: unknown) => void;
  /** Called with what was skipped and why. */
  readonly onProblem: (problem: string) => void;
  readonly maxLineBytes?: number;
}

/**
 * The messages of an agent. Lines that are too long, no JSON, no message, or a response without a request are reported
 * and skipped, because some agents also print other things.
 *
 * Session updates bypass the SDK. It delivers notifications later than responses, so that the response which ends a
 * turn could overtake its last updates; it also validates each of them twice and prints unknown ones to our stderr.
 */
export function createMessageStream(options: MessageStreamOptions): Stream {
  const { stdout, stdin, onUpdate, onProblem, maxLineBytes = MAX_LINE_BYTES } = options;
  const unanswered = new Set<JsonRpcId>();
  let isOpen = true;

  const accept = (line: string): AnyMessage | undefined => {
    const message = parseMessage(line);
    if (message === undefined) {
      onProblem(`a line that is not a protocol message: ${excerpt(line)}`);
      return undefined;
    }
    if (!('method' in message) && !unanswered.delete(message.id)) {
      onProblem(`an answer to a request that was not made: ${excerpt(line)}`);
      return undefined;
    }
    if ('method' in message && message.method === 'session/update' && !('id' in message)) {
      onUpdate(message.params);
      return undefined;
    }
    return message;
  };

  return {
    readable: new ReadableStream<AnyMessage>({
      start(controller) {
        const lines = createLineReader({
          maxLineBytes,
          onLine(line) {
            const message = isOpen ? accept(line) : undefined;
            if (message !== undefined) controller.enqueue(message);
          },
          onOversized: () => onProblem(`a line of more than ${maxLineBytes} bytes`),
        });
        const end = () => {
          if (!isOpen) return;
          lines.end();
          isOpen = false;
          controller.close();
        };
        readInSlices(stdout, lines.push);
        stdout.once('end', end);
        stdout.once('close', end);
      },
      /** Later output is read and dropped, so that the agent does not block on a full pipe while it exits. */
      cancel() {
        isOpen = false;
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('method' in message && 'id' in message) unanswered.add(message.id);
        // A failed write is not an error: the agent has exited, and that is reported elsewhere.
        return new Promise((resolve) => stdin.write(`${JSON.stringify(message)}\n`, () => resolve()));
      },
    }),
  };
}

function parseMessage(line: string): AnyMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Without a schema, because it is called for every chunk of text. */
function isMessage(value: unknown): value is AnyMessage {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return false;
  if ('id' in value && !isId(value.id)) return false;
  if ('method' in value) return typeof value.method === 'string';
  if (!('id' in value) || 'result' in value === 'error' in value) return false;
  return 'result' in value || (isRecord(value.error) && isError(value.error));
}

function isId(value: unknown): value is JsonRpcId {
  return value === null || typeof value === 'string' || Number.isFinite(value);
}

function isError({ code, message }: Record<string, unknown>): boolean {
  return Number.isInteger(code) && typeof message === 'string';
}

function excerpt(line: string): string {
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}
