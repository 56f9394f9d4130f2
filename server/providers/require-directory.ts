import { stat } from 'node:fs/promises';
import { ProviderError } from '../engine/provider-errors.ts';

export async function requireDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  throw new ProviderError(
    'PROJECT_PATH_INVALID',
    `The directory ${path} does not exist any more. Restore it, or add the project under its new path.`,
  );
}
