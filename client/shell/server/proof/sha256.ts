/**
 * SHA-256 and HMAC without `crypto.subtle`, which browsers offer only to secure contexts: a page that is reached over
 * plain HTTP from another machine has none. Also used where a synchronous result is simpler.
 */

const BLOCK = 64;
const ROUNDS = 64;
const { k: K, h: INITIAL } = constants();

export function sha256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = withPadding(message);
  const words = new DataView(padded.buffer);
  const hash = Uint32Array.from(INITIAL);
  const schedule = new Uint32Array(ROUNDS);
  for (let offset = 0; offset < padded.length; offset += BLOCK) compress(hash, schedule, words, offset);
  const result = new Uint8Array(32);
  const view = new DataView(result.buffer);
  hash.forEach((word, index) => {
    view.setUint32(4 * index, word);
  });
  return result;
}

export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(joined(xored(block, 0x36), message));
  return sha256(joined(xored(block, 0x5c), inner));
}

function compress(hash: Uint32Array, w: Uint32Array, words: DataView, offset: number): void {
  for (let i = 0; i < 16; i += 1) w[i] = words.getUint32(offset + 4 * i);
  for (let i = 16; i < ROUNDS; i += 1) {
    const s0 = rotate(at(w, i - 15), 7) ^ rotate(at(w, i - 15), 18) ^ (at(w, i - 15) >>> 3);
    const s1 = rotate(at(w, i - 2), 17) ^ rotate(at(w, i - 2), 19) ^ (at(w, i - 2) >>> 10);
    w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < ROUNDS; i += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(w, i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    hash[index] = at(hash, index) + word;
  });
}

function withPadding(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK) * BLOCK);
  padded.set(message);
  padded[message.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  return padded;
}

/** The fractions of the cube and square roots of the first primes. */
function constants(): { readonly k: Uint32Array; readonly h: Uint32Array } {
  const primes: number[] = [];
  for (let n = 2; primes.length < ROUNDS; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (value: number) => (value - Math.floor(value)) * 2 ** 32;
  return {
    k: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    h: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  };
}

const at = (words: Uint32Array, index: number): number => words[index] ?? 0;
const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
const xored = (bytes: Uint8Array, value: number) => bytes.map((byte) => byte ^ value);

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
