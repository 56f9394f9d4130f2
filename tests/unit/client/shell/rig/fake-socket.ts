type Frame = Record<string, unknown> & { type: string };

/** The server end of a socket. */
export interface SocketEnd {
  readonly socket: WebSocket;
  readonly sent: Frame[];
  readonly closedByPage: () => boolean;
  accept(): void;
  say(frame: unknown): void;
  drop(code?: number): void;
}

export interface SocketExchange {
  readonly connect: () => WebSocket;
  /** Every socket that the page opened, oldest first. */
  readonly ends: SocketEnd[];
  /** The most recent socket. */
  end(): SocketEnd;
}

/** Socket ends that another program answers. */
const taken = new WeakMap<SocketEnd, (frame: Frame) => void>();

/** Another program accepts the socket and answers the first frame with this. */
export function createStranger(end: SocketEnd, answer: unknown | ((frame: Frame) => unknown)) {
  taken.set(end, (frame) => {
    queueMicrotask(() => end.say(typeof answer === 'function' ? answer(frame) : answer));
  });
  end.accept();
  return { heard: () => end.sent };
}

/** A fake network: creates sockets whose server end belongs to the test. */
export function createSocketExchange(onSent: (frame: Frame, end: SocketEnd) => void = () => undefined): SocketExchange {
  const ends: SocketEnd[] = [];

  function connect(): WebSocket {
    let isClosed = false;
    const sent: Frame[] = [];
    const socket = {
      onopen: null as (() => void) | null,
      onmessage: null as ((event: { data: string }) => void) | null,
      onclose: null as ((event: { code: number }) => void) | null,
      send(text: string) {
        const frame = JSON.parse(text) as Frame;
        sent.push(frame);
        (taken.get(end) ?? onSent)(frame, end);
      },
      close() {
        isClosed = true;
      },
    };
    const end: SocketEnd = {
      socket: socket as unknown as WebSocket,
      sent,
      closedByPage: () => isClosed,
      accept: () => socket.onopen?.(),
      say: (frame) => socket.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) }),
      drop: (code = 1006) => socket.onclose?.({ code }),
    };
    ends.push(end);
    return end.socket;
  }

  return {
    connect,
    ends,
    end() {
      const last = ends.at(-1);
      if (last === undefined) throw new Error('The page has opened no socket.');
      return last;
    },
  };
}
