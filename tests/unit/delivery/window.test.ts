import { describe, expect, it } from 'vitest';
import { createWindow, type WindowSocket } from '../../../server/delivery/window.ts';

/** A socket whose peer reads only when the test says so. */
function createFakeSocket() {
  const sent: Uint8Array[] = [];
  const unread: { bytes: number; done: (() => void) | undefined }[] = [];
  const log: string[] = [];
  const socket = {
    readyState: 1,
    get bufferedAmount() {
      return unread.reduce((sum, { bytes }) => sum + bytes, 0);
    },
    send(data, _options, done) {
      sent.push(data);
      unread.push({ bytes: data.byteLength, done });
    },
    ping: () => void log.push('ping'),
    close: (code, reason) => void log.push(`close ${code} ${reason}`),
    terminate() {
      log.push('terminate');
      socket.readyState = 3;
    },
  } satisfies WindowSocket & { readyState: number };
  return {
    socket,
    sent,
    log,
    readOne: () => unread.shift()?.done?.(),
  };
}

const frameOf = (bytes: number) => new Uint8Array(bytes);

describe('a window', () => {
  it('gets frames as long as it reads', () => {
    const { socket, sent, log, readOne } = createFakeSocket();
    const window = createWindow(socket, { maxBufferedBytes: 100 });

    for (let count = 0; count < 50; count += 1) {
      window.send(frameOf(90));
      readOne();
    }

    expect(sent).toHaveLength(50);
    expect(log).toEqual([]);
  });

  it('is disconnected when more than the limit is unread, and gets nothing more', () => {
    const { socket, sent, log } = createFakeSocket();
    const window = createWindow(socket, { maxBufferedBytes: 100 });

    for (let count = 0; count < 5; count += 1) window.send(frameOf(51));

    expect(sent).toHaveLength(2);
    expect(log).toEqual(['terminate']);
  });

  it('is not disconnected for a snapshot of any size, nor for what follows it', () => {
    const { socket, sent, log, readOne } = createFakeSocket();
    const window = createWindow(socket, { maxBufferedBytes: 100 });

    window.sendSnapshot(frameOf(5000));
    window.sendSnapshot(frameOf(7000));
    window.send(frameOf(60));
    window.send(frameOf(60));
    expect(sent).toHaveLength(4);

    readOne();
    readOne();
    expect(log).toEqual([]);
    window.send(frameOf(60));
    expect(log).toEqual(['terminate']);
  });

  it('safe/unread may leave one frame unread that is larger than the limit, but not two', () => {
    const { socket, sent, log } = createFakeSocket();
    const window = createWindow(socket, { maxBufferedBytes: 100 });

    window.send(frameOf(5000));
    window.send(frameOf(60));
    expect(log).toEqual([]);
    window.send(frameOf(5000));
    window.send(frameOf(1));

    expect(sent).toHaveLength(3);
    expect(log).toEqual(['terminate']);
  });

  it('safe/unread tells when a snapshot was sent, also if it cannot be sent any more', async () => {
    const { socket, readOne } = createFakeSocket();
    const window = createWindow(socket, { maxBufferedBytes: 100 });
    let isSent = false;
    const sent = window.sendSnapshot(frameOf(10)).then(() => {
      isSent = true;
    });
    await Promise.resolve();
    expect(isSent).toBe(false);

    readOne();
    await sent;
    socket.terminate();
    await window.sendSnapshot(frameOf(10));
  });

  it('is pinged, and disconnected if it did not answer', () => {
    const { socket, log } = createFakeSocket();
    const window = createWindow(socket, { maxBufferedBytes: 100 });

    window.beat();
    window.markAlive();
    window.beat();
    window.beat();

    expect(log).toEqual(['ping', 'ping', 'terminate']);
  });

  it('is disconnected if it does not answer a close frame', () => {
    const { socket, log } = createFakeSocket();
    const window = createWindow(socket, { maxBufferedBytes: 100 });

    window.beat();
    socket.readyState = 2;
    window.beat();

    expect(log).toEqual(['ping', 'terminate']);
  });

  it('gets nothing unless it is open', () => {
    const { socket, sent, log } = createFakeSocket();
    const window = createWindow(socket, { maxBufferedBytes: 100 });
    socket.readyState = 2;

    window.send(frameOf(1));
    window.sendSnapshot(frameOf(1));
    window.beat();

    expect(sent).toEqual([]);
    expect(log).toEqual([]);
  });
});
