import { stat } from 'node:fs/promises';
import { ProviderError } from '../engine/provider-errors.ts';

/** Rejects where there is no such directory. Agents report that in many ways, or not at all. */
export async function requireDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  throw new ProviderError(
    'PROJECT_PATH_INVALID',
    `The project directory ${path} does not exist. Restore it, or add the project under its new path.`,
  );
}
