import { h } from '../shared/dom.ts';
import type { DownloadedFile } from './server/api.ts';

/** Longer than any browser takes to begin with the file. */
const RELEASE_MS = 60_000;

/** Lets the browser save a file as it saves a download. */
export function saveFile({ fileName, content }: DownloadedFile): void {
  const address = URL.createObjectURL(content);
  h('a', { href: address, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(address), RELEASE_MS);
}
