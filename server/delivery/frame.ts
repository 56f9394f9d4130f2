import type { ServerMessage } from '../../shared/messages.ts';

/** A serialised message, shared by all windows that receive it. */
export type Frame = Uint8Array;

/** Made when the first window needs it, and once for all of them. */
export function lazyFrame(message: ServerMessage): () => Frame {
  let frame: Frame | undefined;
  return () => {
    frame ??= serialise(message);
    return frame;
  };
}

export function serialise(message: ServerMessage): Frame {
  return Buffer.from(JSON.stringify(message));
}
