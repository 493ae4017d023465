/**
 * The text of nearly every message as JSON, read once: a loop over its bytes writes the escapes, and looks whether anything
 * stands there that redaction.ts may have to hide. Where it may, or where a byte is no ASCII, the answer is null, and who asks
 * takes the careful way: text, redaction, JSON. That takes longer.
 */

/** Longer ones take the careful way. */
const MOST_BYTES = 16_384;
/** An escape takes two bytes. */
const scratch = Buffer.alloc(2 * MOST_BYTES);

/** What a byte may need: most need nothing. */
const KIND = { PLAIN: 0, ESCAPED: 1, AT: 2, U: 3, K: 4, EQUALS: 5, CARE: 6 } as const;
/** What is written behind the backslash. */
const ESCAPES: Readonly<Record<string, string>> = { '\t': 't', '\n': 'n', '\r': 'r', '"': '"', '\\': '\\' };

const kinds = new Uint8Array(256).fill(KIND.CARE);
const letters = new Uint8Array(256);
kinds.fill(KIND.PLAIN, 0x20, 0x80);
for (const [char, letter] of Object.entries(ESCAPES)) {
  kinds[char.charCodeAt(0)] = KIND.ESCAPED;
  letters[char.charCodeAt(0)] = letter.charCodeAt(0);
}
for (const [chars, kind] of [
  ['@', KIND.AT],
  ['uU', KIND.U],
  ['kK', KIND.K],
  ['=', KIND.EQUALS],
] as const)
  for (const char of chars) kinds[char.charCodeAt(0)] = kind;

const LF = 0x0a;
const CR = 0x0d;
const BACKSLASH = 0x5c;
const DASH = 0x2d;
const COLON = 0x3a;
const SMALL = 0x20;
const [A, H, K, T] = [0x61, 0x68, 0x6b, 0x74] as const;
/** Behind `a=`: those of crypto, key-mgmt, ice-pwd and 3ge2ae. */
const OF_KEYS: ReadonlySet<number> = new Set([...'ckiCKI3'].map((char) => char.charCodeAt(0)));

/** What stands in a string of JSON for the message, or for its headers and the empty line; null where care is needed. */
export function harmlessJson(bytes: Uint8Array, hasBody: boolean): string | null {
  const { length } = bytes;
  if (length > MOST_BYTES) return null;
  let to = 0;
  for (let at = 0; at < length; at++) {
    const c = bytes[at] ?? 0;
    const kind = kinds[c] ?? 0;
    if (kind === KIND.ESCAPED) {
      scratch[to++] = BACKSLASH;
      scratch[to++] = letters[c] ?? 0;
      if (c !== LF || hasBody) continue;
      const end = emptyLineEnd(bytes, at + 1);
      if (end < 0) continue;
      for (let i = at + 1; i < end; i++) {
        scratch[to++] = BACKSLASH;
        scratch[to++] = letters[bytes[i] ?? 0] ?? 0;
      }
      return scratch.toString('latin1', 0, to);
    }
    if (kind !== KIND.PLAIN && needsCare(bytes, at, kind)) return null;
    scratch[to++] = c;
  }
  return scratch.toString('latin1', 0, to);
}

/** Behind the empty line that begins at `at`; -1 where none does. */
function emptyLineEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] === LF) return at + 1;
  return bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : -1;
}

/** Whether a secret may stand around this byte: rather once too often. */
function needsCare(bytes: Uint8Array, at: number, kind: number): boolean {
  const before = bytes[at - 1] ?? 0;
  switch (kind) {
    // A password is behind the second colon of its word.
    case KIND.AT:
      return colonsBefore(bytes, at) > 1;
    case KIND.U:
      return isLetter(before, A) && isLetter(bytes[at + 1] ?? 0, T) && isLetter(bytes[at + 2] ?? 0, H);
    // "response-key"
    case KIND.K:
      return before === DASH;
    case KIND.EQUALS:
      return isLetter(before, K) || (isLetter(before, A) && OF_KEYS.has(bytes[at + 1] ?? 0));
    default:
      return true;
  }
}

/** In the word that ends at `at`: a blank, a quote, an angle bracket or another @ is in front of it. */
function colonsBefore(bytes: Uint8Array, at: number): number {
  let colons = 0;
  for (let i = at - 1; i >= 0; i--) {
    const c = bytes[i] ?? 0;
    if (c === COLON) colons++;
    else if (c <= 0x20 || c === 0x22 || c === 0x3c || c === 0x3e || c === 0x40) break;
  }
  return colons;
}

function isLetter(c: number, small: number): boolean {
  return (c | SMALL) === small;
}
