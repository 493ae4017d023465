/** Header names: case-insensitive lookup with the compact forms (RFC 3261 7.3.3 and 20, IANA SIP header registry). */

import { asciiWord } from '../core/byte-search.ts';
import { TOKEN_CLASS } from './chars.ts';

/** Ids of the headers the program asks for by name; the same number indexes `HEADER_NAMES`. */
export const HEADER = {
  OTHER: 0,
  VIA: 1,
  FROM: 2,
  TO: 3,
  CALL_ID: 4,
  CSEQ: 5,
  CONTENT_LENGTH: 6,
  CONTENT_TYPE: 7,
  CONTACT: 8,
  MAX_FORWARDS: 9,
  EXPIRES: 10,
  USER_AGENT: 11,
  SERVER: 12,
  EVENT: 13,
  SUBSCRIPTION_STATE: 14,
  REFER_TO: 15,
  AUTHORIZATION: 16,
  PROXY_AUTHORIZATION: 17,
  ROUTE: 18,
  RECORD_ROUTE: 19,
  SUPPORTED: 20,
  ALLOW: 21,
  REQUIRE: 22,
  DATE: 23,
  RETRY_AFTER: 24,
  WARNING: 25,
  REASON: 26,
  REPLACES: 27,
  REFERRED_BY: 28,
  SESSION_EXPIRES: 29,
  MIN_SE: 30,
  MIN_EXPIRES: 31,
  RACK: 32,
  RSEQ: 33,
  WWW_AUTHENTICATE: 34,
  PROXY_AUTHENTICATE: 35,
  CONTENT_ENCODING: 36,
  SUBJECT: 37,
  ALLOW_EVENTS: 38,
  P_ASSERTED_IDENTITY: 39,
  DIVERSION: 40,
  SESSION_ID: 41,
  CONTENT_DISPOSITION: 42,
  ACCEPT: 43,
  UNSUPPORTED: 44,
  PROXY_REQUIRE: 45,
  HISTORY_INFO: 46,
  PRIVACY: 47,
  P_PREFERRED_IDENTITY: 48,
  REMOTE_PARTY_ID: 49,
  IDENTITY: 50,
  PATH: 51,
  SERVICE_ROUTE: 52,
  ERROR_INFO: 53,
  MIME_VERSION: 54,
  TIMESTAMP: 55,
  P_CHARGING_VECTOR: 56,
  X_CALL_ID: 57,
  X_CID: 58,
  X_ASTERISK_HANGUPCAUSE: 59,
  X_ASTERISK_HANGUPCAUSECODE: 60,
} as const;

/** Canonical spelling and, where one is registered, the compact letter. The first rows follow `HEADER`. */
const ROWS: readonly (readonly [name: string, compact?: string])[] = [
  ['', ''],
  ['Via', 'v'],
  ['From', 'f'],
  ['To', 't'],
  ['Call-ID', 'i'],
  ['CSeq'],
  ['Content-Length', 'l'],
  ['Content-Type', 'c'],
  ['Contact', 'm'],
  ['Max-Forwards'],
  ['Expires'],
  ['User-Agent'],
  ['Server'],
  ['Event', 'o'],
  ['Subscription-State'],
  ['Refer-To', 'r'],
  ['Authorization'],
  ['Proxy-Authorization'],
  ['Route'],
  ['Record-Route'],
  ['Supported', 'k'],
  ['Allow'],
  ['Require'],
  ['Date'],
  ['Retry-After'],
  ['Warning'],
  ['Reason'],
  ['Replaces'],
  ['Referred-By', 'b'],
  ['Session-Expires', 'x'],
  ['Min-SE'],
  ['Min-Expires'],
  ['RAck'],
  ['RSeq'],
  ['WWW-Authenticate'],
  ['Proxy-Authenticate'],
  ['Content-Encoding', 'e'],
  ['Subject', 's'],
  ['Allow-Events', 'u'],
  ['P-Asserted-Identity'],
  ['Diversion'],
  ['Session-ID'],
  ['Content-Disposition'],
  ['Accept'],
  ['Unsupported'],
  ['Proxy-Require'],
  ['History-Info'],
  ['Privacy'],
  ['P-Preferred-Identity'],
  ['Remote-Party-ID'],
  ['Identity', 'y'],
  ['Path'],
  ['Service-Route'],
  ['Error-Info'],
  ['MIME-Version'],
  ['Timestamp'],
  ['P-Charging-Vector'],
  ['X-Call-ID'],
  ['X-CID'],
  ['X-Asterisk-HangupCause'],
  ['X-Asterisk-HangupCauseCode'],
  ['Accept-Contact', 'a'],
  ['Reject-Contact', 'j'],
  ['Request-Disposition', 'd'],
  ['Identity-Info', 'n'],
  ['Accept-Encoding'],
  ['Accept-Language'],
  ['Accept-Resource-Priority'],
  ['Alert-Info'],
  ['Answer-Mode'],
  ['Authentication-Info'],
  ['Call-Info'],
  ['Content-Language'],
  ['Encryption'],
  ['Feature-Caps'],
  ['Flow-Timer'],
  ['Geolocation'],
  ['Geolocation-Error'],
  ['Geolocation-Routing'],
  ['Hide'],
  ['In-Reply-To'],
  ['Info-Package'],
  ['Join'],
  ['Max-Breadth'],
  ['Organization'],
  ['P-Access-Network-Info'],
  ['P-Associated-URI'],
  ['P-Called-Party-ID'],
  ['P-Charging-Function-Addresses'],
  ['P-Early-Media'],
  ['P-Visited-Network-ID'],
  ['Permission-Missing'],
  ['Priority'],
  ['Proxy-Authentication-Info'],
  ['Recv-Info'],
  ['Refer-Events-At'],
  ['Refer-Sub'],
  ['Resource-Priority'],
  ['Response-Key'],
  ['Security-Client'],
  ['Security-Server'],
  ['Security-Verify'],
  ['SIP-ETag'],
  ['SIP-If-Match'],
  ['Suppress-If-Match'],
  ['Target-Dialog'],
  ['Trigger-Consent'],
  ['User-to-User'],
];

/** Canonical names by id; id 0 is a header without an entry here. */
export const HEADER_NAMES: readonly string[] = ROWS.map((row) => row[0]);

/**
 * Lookup tables: `SLOTS[length, first letter]` is the first id with that shape, `NEXT[id]` the following one.
 * The lower-case names stand one behind the other in `POOL`, name `id` at `NAME_AT[id]`.
 */
const SLOTS = new Uint8Array(32 * 32);
const NEXT = new Uint8Array(ROWS.length);
const NAME_AT = new Uint16Array(ROWS.length);
const COMPACT = new Uint8Array(32);
const POOL: Uint8Array = ((): Uint8Array => {
  const lower = ROWS.map((row) => row[0].toLowerCase());
  const pool = new TextEncoder().encode(lower.join(''));
  let at = pool.length;
  // From the last row to the first, so that a chain starts with its most asked-for name.
  for (let id = ROWS.length - 1; id > 0; id--) {
    const name = lower[id] ?? '';
    at -= name.length;
    NAME_AT[id] = at;
    const slot = (name.length << 5) | (name.charCodeAt(0) & 31);
    NEXT[id] = SLOTS[slot] ?? 0;
    SLOTS[slot] = id;
    const compact = ROWS[id]?.[1];
    if (compact !== undefined) COMPACT[compact.charCodeAt(0) & 31] = id;
  }
  return pool;
})();

/** Id of the name at `start`..`end`, compact or full, or `HEADER.OTHER`. */
export function headerId(buf: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const first = buf[start] ?? 0;
  if (length === 1) return isLetter(first) ? (COMPACT[first & 31] ?? 0) : HEADER.OTHER;
  if (length > 31 || length < 1) return HEADER.OTHER;
  let id = SLOTS[(length << 5) | (first & 31)] ?? 0;
  while (id !== 0) {
    const at = NAME_AT[id] ?? 0;
    let i = 0;
    // Setting bit 5 folds case; a token holds no byte that it would turn into a letter or hyphen of another name.
    while (i < length && ((buf[start + i] ?? 0) | 0x20) === POOL[at + i]) i++;
    if (i === length) return id;
    id = NEXT[id] ?? 0;
  }
  return HEADER.OTHER;
}

function isLetter(c: number): boolean {
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const LETTERS = 0x20202020;
const COLON = 0x3a;
const VIA = asciiWord('via:');
const FROM = asciiWord('from');
const CALL = asciiWord('call');
const DASH_ID = asciiWord('-id:');
const CSEQ = asciiWord('cseq');
const CONT = asciiWord('cont');
const ACT = asciiWord('act:');
const ENT = asciiWord('ent-');
const LENG = asciiWord('leng');
const TYPE = asciiWord('type');
const MAX = asciiWord('max-');
const FORW = asciiWord('forw');
const ARDS = asciiWord('ards');
const USER = asciiWord('user');
const DASH_AGE = asciiWord('-age');
const ENT_COLON = asciiWord('ent:');
const SERV = asciiWord('serv');
const VER = asciiWord('ver:');
const ALLO = asciiWord('allo');
const W_COLON = 0x3a77;
const SUPP = asciiWord('supp');
const ORTE = asciiWord('orte');
const D_COLON = 0x3a64;

/**
 * Id of the header at `p` when it is one that nearly every message has, written out and with the colon right behind
 * the name; else `HEADER.OTHER`, which decides nothing. Bit 5 is folded for letters only, never for `-` and `:`.
 */
export function commonHeaderId(buf: Uint8Array, words: DataView, p: number, end: number): number {
  if (end - p < 16) return HEADER.OTHER;
  const raw = words.getInt32(p, true);
  const first = raw | LETTERS;
  if ((raw | 0x202020) === VIA) return HEADER.VIA;
  if (first === FROM) return buf[p + 4] === COLON ? HEADER.FROM : HEADER.OTHER;
  if (((raw | 0x2020) & 0xffffff) === 0x3a6f74) return HEADER.TO;
  if (first === CALL) return (words.getInt32(p + 4, true) | 0x202000) === DASH_ID ? HEADER.CALL_ID : HEADER.OTHER;
  if (first === CSEQ) return buf[p + 4] === COLON ? HEADER.CSEQ : HEADER.OTHER;
  if (first === CONT) {
    const second = words.getInt32(p + 4, true) | 0x202020;
    if (second === ACT) return HEADER.CONTACT;
    if (second !== ENT) return HEADER.OTHER;
    const third = words.getInt32(p + 8, true) | LETTERS;
    if (third === TYPE) return buf[p + 12] === COLON ? HEADER.CONTENT_TYPE : HEADER.OTHER;
    const isLength =
      third === LENG &&
      ((buf[p + 12] ?? 0) | 0x20) === 0x74 &&
      ((buf[p + 13] ?? 0) | 0x20) === 0x68 &&
      buf[p + 14] === COLON;
    return isLength ? HEADER.CONTENT_LENGTH : HEADER.OTHER;
  }
  if ((raw | 0x202020) === MAX) {
    const isForwards =
      (words.getInt32(p + 4, true) | LETTERS) === FORW &&
      (words.getInt32(p + 8, true) | LETTERS) === ARDS &&
      buf[p + 12] === COLON;
    return isForwards ? HEADER.MAX_FORWARDS : HEADER.OTHER;
  }
  return softwareHeaderId(words, p, first);
}

/** The same for what software says of itself; `first` is the folded word at `p`, and 16 bytes are there. */
function softwareHeaderId(words: DataView, p: number, first: number): number {
  const second = words.getInt32(p + 4, true);
  if (first === USER) {
    const isAgent = (second | 0x20202000) === DASH_AGE && (words.getInt32(p + 7, true) | 0x202020) === ENT_COLON;
    return isAgent ? HEADER.USER_AGENT : HEADER.OTHER;
  }
  if (first === SERV) return (words.getInt32(p + 3, true) | 0x202020) === VER ? HEADER.SERVER : HEADER.OTHER;
  if (first === ALLO) return ((second | 0x20) & 0xffff) === W_COLON ? HEADER.ALLOW : HEADER.OTHER;
  if (first !== SUPP || (second | LETTERS) !== ORTE) return HEADER.OTHER;
  return ((words.getInt32(p + 8, true) | 0x20) & 0xffff) === D_COLON ? HEADER.SUPPORTED : HEADER.OTHER;
}

/** Length of the full name of a header. */
export const NAME_LENGTH: Uint8Array = Uint8Array.from(ROWS, (row) => row[0].length);

/** Id of a name given as text. */
export function headerIdOf(name: string): number {
  for (let i = 0; i < name.length; i++) if (TOKEN_CLASS[name.charCodeAt(i)] !== 1) return HEADER.OTHER;
  return headerId(Buffer.from(name, 'latin1'), 0, name.length);
}
