/** Below this many bits, as estimated here, a token is called weak. */
const ENOUGH_BITS = 40;

/** What people choose when asked for a secret. */
const COMMON = [
  ...['password', 'passwort', 'passwd', 'pass', 'secret', 'token', 'admin', 'root', 'user', 'login', 'welcome'],
  ...['letmein', 'changeme', 'default', 'example', 'test', 'testing', 'demo', 'dev', 'local', 'localhost', 'server'],
  ...['liminal', 'builder', 'claude', 'codex', 'qwerty', 'qwertz', 'asdf', 'zxcv', 'abc', 'iloveyou', 'monkey', 'my'],
].sort((a, b) => b.length - a.length);

/**
 * Estimates whether a token chosen by a person could be guessed: counts each character with the variety of characters
 * used, and counts repetitions, sequences and common words as a single character.
 */
export function isWeakToken(token: string): boolean {
  const reduced = withoutSequences(withoutRepetition(withoutWords(token.toLowerCase())));
  const variety = new Set(token).size;
  return reduced.length * Math.log2(Math.max(variety, 2)) < ENOUGH_BITS || variety < 8;
}

function withoutWords(text: string): string {
  return COMMON.reduce((rest, word) => rest.replaceAll(word, '*'), text);
}

/** `abcabcabc` becomes `abc`, `aaaab` becomes `ab`. */
function withoutRepetition(text: string): string {
  return text.replace(/(.)\1{2,}/g, '$1').replace(/(.{2,32}?)\1+/g, '$1');
}

/** Keeps a character only if it does not continue a run such as `3456` or `fed`. */
function withoutSequences(text: string): string {
  const step = (index: number) => text.charCodeAt(index) - text.charCodeAt(index - 1);
  return [...text]
    .filter((_, index) => index < 2 || Math.abs(step(index)) > 1 || step(index) !== step(index - 1))
    .join('');
}
