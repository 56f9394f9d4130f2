import type { BrowserContext, WebSocketRoute } from 'playwright-core';
import type { EventMessage } from '../../../shared/events.ts';

/** Lets a test say frames to the pages of a context, between those of the server. */
export async function insertFrames(context: BrowserContext): Promise<(frame: EventMessage) => void> {
  const sockets = new Set<WebSocketRoute>();
  await context.routeWebSocket(/./, (socket) => {
    socket.connectToServer();
    sockets.add(socket);
  });
  return (frame) => {
    for (const socket of sockets) socket.send(JSON.stringify(frame));
  };
}
