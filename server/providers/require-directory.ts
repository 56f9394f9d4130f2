import { stat } from 'node:fs/promises';
import { ProviderError } from '../engine/provider-errors.ts';

/** Agents report a missing directory in many ways, or not at all, so it is checked before they start. */
export async function requireDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  throw new ProviderError(
    'PROJECT_PATH_INVALID',
    `The directory ${path} does not exist any more. Restore it, or add the project under its new path.`,
  );
}
