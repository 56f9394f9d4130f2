/** A file in a tar archive. */
export interface TarEntry {
  readonly path: string;
  readonly size: number;
}

export const BLOCK = 512;
/** The largest size that fits into eleven octal digits. */
const MAX_OCTAL = 0o77777777777;
const [NAME, MODE, UID, GID, SIZE, TIME, SUM, TYPE, MAGIC, PREFIX] = [0, 100, 108, 116, 124, 136, 148, 156, 257, 345];

export type TarHeader =
  | { readonly kind: 'file' | 'extended'; readonly entry: TarEntry }
  /** Links, directories, devices and what else an archive may contain. */
  | { readonly kind: 'other'; readonly entry: TarEntry }
  | { readonly kind: 'end' }
  | { readonly kind: 'damaged' };

/**
 * The header of a file as every tar program reads it (POSIX ustar). What does not fit into its fields, a long path or a
 * large size, comes in an extended header (pax) before it.
 */
export function encodeHeader({ path, size }: TarEntry): Buffer {
  const split = splitPath(path);
  if (split !== undefined && size <= MAX_OCTAL) return block(split, size, '0');
  const records = Buffer.from(`${record('path', path)}${record('size', String(size))}`);
  const padding = Buffer.alloc(paddingOf(records.length));
  const short = { name: 'extended', prefix: '' };
  return Buffer.concat([
    block(short, records.length, 'x'),
    records,
    padding,
    block(short, Math.min(size, MAX_OCTAL), '0'),
  ]);
}

export function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

export function parseHeader(header: Buffer): TarHeader {
  if (header.every((byte) => byte === 0)) return { kind: 'end' };
  const size = readOctal(header, SIZE, 12);
  if (readOctal(header, SUM, 8) !== checksum(header) || size === undefined) return { kind: 'damaged' };
  if (header.toString('latin1', MAGIC, MAGIC + 5) !== 'ustar') return { kind: 'damaged' };
  const [name, prefix] = [readText(header, NAME, 100), readText(header, PREFIX, 155)];
  const entry = { path: prefix === '' ? name : `${prefix}/${name}`, size };
  switch (String.fromCharCode(header[TYPE] ?? 0)) {
    case '0':
      return { kind: 'file', entry };
    case 'x':
      return { kind: 'extended', entry };
    default:
      return { kind: 'other', entry };
  }
}

/** The entry with what an extended header says about it. Undefined if that cannot be read. */
export function applyExtended(records: Buffer, entry: TarEntry): TarEntry | undefined {
  let { path, size } = entry;
  for (let at = 0; at < records.length; ) {
    const space = records.indexOf(0x20, at);
    const length = Number(/^\d{1,6}$/.exec(records.toString('latin1', at, Math.max(at, space)))?.[0] ?? 0);
    const line = records.toString('utf8', space + 1, at + length - 1);
    const equals = line.indexOf('=');
    if (space === -1 || length <= space - at || at + length > records.length || equals === -1) return undefined;
    const [key, value] = [line.slice(0, equals), line.slice(equals + 1)];
    if (key === 'path') path = value;
    if (key === 'size') size = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    at += length;
  }
  return Number.isNaN(size) ? undefined : { path, size };
}

function splitPath(path: string): { name: string; prefix: string } | undefined {
  if (/[^\x20-\x7e]/.test(path)) return undefined;
  if (path.length <= 100) return { name: path, prefix: '' };
  for (let slash = path.indexOf('/'); slash !== -1 && slash <= 155; slash = path.indexOf('/', slash + 1)) {
    if (path.length - slash - 1 <= 100) return { name: path.slice(slash + 1), prefix: path.slice(0, slash) };
  }
  return undefined;
}

/** The length of a record includes its own digits. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (bytes + String(length).length > length) length += 1;
  return `${length}${rest}`;
}

function block({ name, prefix }: { name: string; prefix: string }, size: number, type: string): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, NAME, 100, 'latin1');
  for (const [at, digits, value] of [
    [MODE, 7, 0o600],
    [UID, 7, 0],
    [GID, 7, 0],
    [SIZE, 11, size],
    [TIME, 11, 0],
  ] as const) {
    header.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  }
  header.write(type, TYPE, 'latin1');
  header.write('ustar\0' + '00', MAGIC, 'latin1');
  header.write(prefix, PREFIX, 155, 'latin1');
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, SUM, 'latin1');
  return header;
}

/** The sum of all bytes, those of the sum itself counted as spaces. */
function checksum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at += 1) sum += at >= SUM && at < SUM + 8 ? 0x20 : (header[at] ?? 0);
  return sum;
}

function readText(header: Buffer, at: number, length: number): string {
  const end = header.indexOf(0, at);
  return header.toString('utf8', at, end === -1 || end > at + length ? at + length : end);
}

function readOctal(header: Buffer, at: number, length: number): number | undefined {
  const digits = readText(header, at, length).trim();
  return /^[0-7]{1,12}$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}
