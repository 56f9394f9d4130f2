import type { ExportFormat } from '../../shared/commands.ts';

const MAX_BYTES = 120;
/** Names of devices on Windows, with or without an extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** A name that every file system takes, made from the title: one part, no leading dot, no device. */
export function fileNameOf(title: string, format: ExportFormat): string {
  const plain = title
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|%]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/^[\s.-]+|[\s.]+$/gu, '');
  const short = cutToBytes(plain, MAX_BYTES).trimEnd();
  const name = short === '' ? 'session' : DEVICES.test(short) ? `session ${short}` : short;
  return `${name}.${format}`;
}

/** `attachment`, with the name in ASCII and, where that differs, in UTF-8 (RFC 6266). */
export function contentDisposition(fileName: string): string {
  const ascii = fileName.replace(/[^ -~]/gu, '_').replace(/["\\]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"${ascii === fileName ? '' : `; filename*=UTF-8''${encoded}`}`;
}

function cutToBytes(text: string, bytes: number): string {
  let size = 0;
  let kept = '';
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept;
}
