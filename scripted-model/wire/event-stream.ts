import type { ServerResponse } from 'node:http';

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An HTTP response: events, or a single JSON body if no event has been sent. */
export interface EventStream {
  readonly begun: boolean;
  send(event: StreamEvent): void;
  /** Resolves when everything has been sent or the client has disconnected. */
  flushed(): Promise<void>;
  end(): void;
  /** Drops the connection after what was sent so far, without ending the response. */
  cut(): Promise<void>;
  answer(status: number, body: unknown): void;
}

/** Sends each event immediately, as a server-sent event. */
export function createEventStream(response: ServerResponse): EventStream {
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  let lastWrite: Promise<void> = Promise.resolve();

  const flushed = () => Promise.race([lastWrite, closed]);

  return {
    get begun() {
      return response.headersSent;
    },
    send: (event) => {
      if (!response.headersSent) {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      }
      lastWrite = new Promise((resolve) => {
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, () => resolve());
      });
    },
    flushed,
    end: () => {
      response.end();
    },
    cut: async () => {
      await flushed();
      response.destroy();
    },
    answer: (status, body) => answerJson(response, status, body),
  };
}

/** Collects the events and sends one body made from all of them. */
export function createCollectingStream(
  response: ServerResponse,
  assemble: (events: readonly StreamEvent[]) => unknown,
): EventStream {
  const events: StreamEvent[] = [];
  return {
    begun: false,
    send: (event) => {
      events.push(event);
    },
    flushed: () => Promise.resolve(),
    end: () => answerJson(response, 200, assemble(events)),
    cut: async () => {
      response.destroy();
    },
    answer: (status, body) => answerJson(response, status, body),
  };
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
