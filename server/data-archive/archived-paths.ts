/**
 * What stays on the machine: secrets that give access to this server, what is true only while it runs, and its log.
 * Everything else in the data directory is archived.
 */
const OF_THE_MACHINE: ReadonlySet<string> = new Set([
  'token',
  'identity.json',
  'running.json',
  'lock',
  'processes',
  'server.log',
  'server.log.1',
  'journal.sqlite.lock',
]);

/** A file that is being written, or was when the server was killed. */
const TEMPORARY = /^\..*\.tmp$/;

const MAX_PATH_BYTES = 1_024;
const MAX_NAME_BYTES = 255;

/** Whether something at the top of the data directory, or below it, belongs into an archive. */
export function isArchived(path: string): boolean {
  const names = path.split('/');
  return !OF_THE_MACHINE.has((names[0] ?? '').toLowerCase()) && !TEMPORARY.test(names.at(-1) ?? '');
}

/** Whether it is a path that stays inside the directory it is taken from, on every system, and that is archived. */
export function isSafePath(path: string): boolean {
  const names = path.split('/');
  return Buffer.byteLength(path) <= MAX_PATH_BYTES && names.every(isSafeName) && isArchived(path);
}

/** Windows drops a dot at the end, and `.` and `..` end with one. */
function isSafeName(name: string): boolean {
  if (name === '' || Buffer.byteLength(name) > MAX_NAME_BYTES) return false;
  return !/[\p{Cc}\p{Cs}\\:*?"<>|\uFFFD]/u.test(name) && !/[. ]$/.test(name);
}
