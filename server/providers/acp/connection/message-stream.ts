import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, JsonRpcId, Stream } from '@agentclientprotocol/sdk';
import { createLineReader } from '../../../processes/index.ts';
import { isRecord } from '../translate/session-update.ts';

/** Far above what agents send, files and pictures included, and far below what hurts. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export interface MessageStreamOptions {
  readonly stdout: Readable;
  readonly stdin: Writable;
  /** Gets the params of every `session/update`, in order, before anything that comes behind it. Must not throw. */
  readonly onUpdate: (params: unknown) => void;
  /** Told what was skipped and why. */
  readonly onProblem: (problem: string) => void;
  readonly maxLineBytes?: number;
}

/**
 * The pipe to an agent as messages. Lines that are too long, not JSON, not a message, or the answer to nothing are
 * reported and skipped: an agent that prints something else in between is still an agent.
 *
 * Updates of sessions do not go through the SDK. It passes notifications on later than answers, so that the answer
 * which ends a turn could overtake its last words; it also validates each one twice and writes those that it does not
 * know to our stderr.
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
        stdout.on('data', (chunk: Uint8Array) => lines.push(chunk));
        stdout.once('end', end);
        stdout.once('close', end);
      },
      /** What still comes is read and dropped, so that the agent does not block on a full pipe while it ends. */
      cancel() {
        isOpen = false;
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('method' in message && 'id' in message) unanswered.add(message.id);
        // A failed write is no error here: the agent has ended, and its end is told by its exit.
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

/** Looked at by hand, not by schema: it is done for every word that an agent streams. */
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
