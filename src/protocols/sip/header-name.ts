/** Header names: case-insensitive lookup with the compact forms (RFC 3261 7.3.3 and 20, IANA SIP header registry). */

/** Canonical spelling of every known header. */
const NAMES = [
  'Via',
  'From',
  'To',
  'Call-ID',
  'CSeq',
  'Content-Length',
  'Content-Type',
  'Contact',
  'Max-Forwards',
  'Expires',
  'User-Agent',
  'Server',
  'Event',
  'Subscription-State',
  'Refer-To',
  'Authorization',
  'Proxy-Authorization',
  'Route',
  'Record-Route',
  'Supported',
  'Allow',
  'Require',
  'Date',
  'Retry-After',
  'Warning',
  'Reason',
  'Replaces',
  'Referred-By',
  'Session-Expires',
  'Min-SE',
  'Min-Expires',
  'RAck',
  'RSeq',
  'WWW-Authenticate',
  'Proxy-Authenticate',
  'Content-Encoding',
  'Subject',
  'Allow-Events',
  'P-Asserted-Identity',
  'Diversion',
  'Session-ID',
  'Content-Disposition',
  'Accept',
  'Unsupported',
  'Proxy-Require',
  'History-Info',
  'Privacy',
  'P-Preferred-Identity',
  'Remote-Party-ID',
  'Identity',
  'Path',
  'Service-Route',
  'Error-Info',
  'MIME-Version',
  'Timestamp',
  'P-Charging-Vector',
  'X-Call-ID',
  'X-CID',
  'X-Asterisk-HangupCause',
  'X-Asterisk-HangupCauseCode',
  'Accept-Contact',
  'Reject-Contact',
  'Request-Disposition',
  'Identity-Info',
  'Accept-Encoding',
  'Accept-Language',
  'Accept-Resource-Priority',
  'Alert-Info',
  'Answer-Mode',
  'Authentication-Info',
  'Call-Info',
  'Content-Language',
  'Encryption',
  'Feature-Caps',
  'Flow-Timer',
  'Geolocation',
  'Geolocation-Error',
  'Geolocation-Routing',
  'Hide',
  'In-Reply-To',
  'Info-Package',
  'Join',
  'Max-Breadth',
  'Organization',
  'P-Access-Network-Info',
  'P-Associated-URI',
  'P-Called-Party-ID',
  'P-Charging-Function-Addresses',
  'P-Early-Media',
  'P-Visited-Network-ID',
  'Permission-Missing',
  'Priority',
  'Proxy-Authentication-Info',
  'Recv-Info',
  'Refer-Events-At',
  'Refer-Sub',
  'Resource-Priority',
  'Response-Key',
  'Security-Client',
  'Security-Server',
  'Security-Verify',
  'SIP-ETag',
  'SIP-If-Match',
  'Suppress-If-Match',
  'Target-Dialog',
  'Trigger-Consent',
  'User-to-User',
] as const;

/** Compact forms. */
const COMPACT = {
  a: 'Accept-Contact',
  b: 'Referred-By',
  c: 'Content-Type',
  d: 'Request-Disposition',
  e: 'Content-Encoding',
  f: 'From',
  i: 'Call-ID',
  j: 'Reject-Contact',
  k: 'Supported',
  l: 'Content-Length',
  m: 'Contact',
  n: 'Identity-Info',
  o: 'Event',
  r: 'Refer-To',
  s: 'Subject',
  t: 'To',
  u: 'Allow-Events',
  v: 'Via',
  x: 'Session-Expires',
  y: 'Identity',
} as const satisfies Readonly<Record<string, (typeof NAMES)[number]>>;

type Key<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${Key<Tail>}`
  : Uppercase<Name>;

/** Ids by name: `HEADER.CALL_ID`. An id indexes `HEADER_NAMES`; `OTHER` is a header that is not known. */
export const HEADER = Object.fromEntries([
  ['OTHER', 0],
  ...NAMES.map((name, i) => [name.toUpperCase().replaceAll('-', '_'), i + 1] as const),
]) as { readonly [Name in 'OTHER' | Key<(typeof NAMES)[number]>]: number };

export const HEADER_NAMES: readonly string[] = ['', ...NAMES];

const IDS = new Map<string, number>(NAMES.map((name, i) => [name.toLowerCase(), i + 1]));
for (const [letter, name] of Object.entries(COMPACT)) IDS.set(letter, IDS.get(name.toLowerCase()) ?? HEADER.OTHER);

/** Id of a name, compact or full, in any case; else `HEADER.OTHER`. */
export function headerIdOf(name: string): number {
  return IDS.get(name.toLowerCase()) ?? HEADER.OTHER;
}

/** All names of a known header, in small letters. */
export function spellingsOf(id: number): string[] {
  return [...IDS].flatMap(([name, of]) => (of === id ? [name] : []));
}
