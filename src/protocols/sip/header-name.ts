/** Header names: case-insensitive lookup with the compact forms (RFC 3261 7.3.3 and 20, IANA SIP header registry). */

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

/** Id of a name given as text. */
export function headerIdOf(name: string): number {
  for (let i = 0; i < name.length; i++) if (TOKEN_CLASS[name.charCodeAt(i)] !== 1) return HEADER.OTHER;
  return headerId(Buffer.from(name, 'latin1'), 0, name.length);
}
