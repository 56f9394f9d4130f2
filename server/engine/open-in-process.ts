import type { OpenedSession, OpenRequest } from './driver.ts';
import { abortable, type ProcessKeeper } from './process-keeper.ts';
import { ProviderError } from './provider-errors.ts';

/**
 * Opens a session in the keeper's process, which is started if necessary. Rejects with CANCELLED when `signal` aborts;
 * a session that the agent opens after that is released.
 */
export async function openInProcess(
  keeper: ProcessKeeper,
  request: OpenRequest,
  signal?: AbortSignal,
): Promise<OpenedSession> {
  const process = await keeper.ensure(signal);
  const opening = process.open(request);
  const isWanted = () => signal?.aborted !== true && keeper.current === process;
  void opening.then(
    (opened) => (isWanted() ? undefined : opened.release?.()),
    () => {},
  );
  const opened = await abortable(opening, signal);
  if (!isWanted()) throw new ProviderError('PROCESS_CRASH');
  return opened;
}
