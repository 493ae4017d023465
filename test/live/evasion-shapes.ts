/**
 * Requests of somebody who has read our source and shapes them so that they are not counted: what he repeats, leaves out,
 * forges or says instead. Each shape is a scan or a guessing that a registrar refuses.
 */
import { createHash, randomBytes } from 'node:crypto';
import { PASSWORD } from './attack-peers.ts';

export type Transport = 'udp' | 'tcp' | 'ws';

/** A request before it is written: a shape changes what it likes. */
export type Draft = {
  method: string;
  uri: string;
  headers: [name: string, value: string][];
  body: string;
};

export type Shape = {
  readonly name: string;
  /**
   * Over what it is sent, each from an address of its own; six is UDP over IPv6. By TCP and WebSocket over IPv6 every
   * shape is sent.
   */
  readonly over: readonly (Transport | 'six')[];
  /** At the registrar that challenges everybody. */
  readonly strict?: boolean;
  readonly count: number;
  readonly everyMs: number;
  /** With so many requests the evidence is complete. */
  readonly enough: number;
  readonly method?: string;
  readonly user: (n: number) => string;
  /** Wants the challenge of one request before it goes on. */
  readonly guesses?: boolean;
  /** Guesses with the nonce of the first challenge alone. */
  readonly oneNonce?: boolean;
  /** IPv6: each request from another address of its /64. */
  readonly spreads?: boolean;
  readonly draw?: (draft: Draft, n: number) => void;
  /** The bytes in the end. */
  readonly write?: (text: string, n: number) => string;
};

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
export const random = (): string => randomBytes(6).toString('hex');
const PHONES = [
  'Yealink SIP-T46S 66.85.0.5',
  'PolycomVVX-VVX_411-UA/5.9.0.9373',
  'snomD785/10.1.54.13',
  'Grandstream GXP2170 1.0.11.6',
];

export function set(draft: Draft, name: string, change: (value: string) => string): void {
  draft.headers = draft.headers.map(([key, value]) => [key, key === name ? change(value) : value]);
}

const walk = (n: number): string => String(3000 + n);
const fast = { over: ['udp'], count: 60, everyMs: 20, enough: 10, user: walk } as const;
const wide = { ...fast, over: ['udp', 'tcp', 'ws', 'six'] } as const;

/** The credentials of a wrong password, with the realm and nonce of a challenge. */
export function guess(draft: Draft, challenge: string, user: string, password: string): string {
  const realm = /realm="([^"]*)"/.exec(challenge)?.[1] ?? '';
  const nonce = /nonce="([^"]*)"/.exec(challenge)?.[1] ?? '';
  const response = md5(`${md5(`${user}:${realm}:${password}`)}:${nonce}:${md5(`${draft.method}:${draft.uri}`)}`);
  return `Digest username="${user}", realm="${realm}", nonce="${nonce}", uri="${draft.uri}", response="${response}"`;
}

const forged = (draft: Draft): void => {
  const credentials = `Digest username="2005", realm="lab", nonce="x${random()}", uri="${draft.uri}", response="${md5(random())}"`;
  draft.headers.push(['Authorization', credentials]);
};

const guessing = { over: ['udp'], count: 60, everyMs: 20, enough: 25, user: () => '2001', guesses: true } as const;

/** Methods that belong into a dialog, or that no phone sends to a number that is none. */
const OTHERS = ['NOTIFY', 'INFO', 'UPDATE', 'PRACK', 'BYE', 'REFER', 'SUBSCRIBE', 'PUBLISH', 'MESSAGE', 'FOOBAR'];

export const SHAPES: readonly Shape[] = [
  { ...wide, name: 'plain' },
  { ...wide, name: 'one Call-ID', draw: (d) => set(d, 'Call-ID', () => 'one@x') },
  { ...wide, name: 'empty Call-ID', draw: (d) => set(d, 'Call-ID', () => '') },
  {
    ...fast,
    name: 'no Call-ID',
    draw: (d) => {
      d.headers = d.headers.filter(([key]) => key !== 'Call-ID');
    },
  },
  {
    ...wide,
    name: 'To tag and credentials',
    strict: true,
    draw: (d) => {
      set(d, 'To', (value) => `${value};tag=${random()}`);
      forged(d);
    },
  },
  { ...fast, name: 'To tag', draw: (d) => set(d, 'To', (value) => `${value};tag=${random()}`) },
  { ...wide, name: 'INVITE with a To tag', method: 'INVITE', draw: (d) => set(d, 'To', (value) => `${value};tag=1`) },
  {
    ...fast,
    name: 'INVITE with a To tag, challenged',
    strict: true,
    method: 'INVITE',
    draw: (d) => set(d, 'To', (value) => `${value};tag=1`),
  },
  {
    ...wide,
    name: 'one branch',
    draw: (d) => set(d, 'Via', (value) => value.replace(/branch=[^;]*/, 'branch=z9hG4bKone')),
  },
  {
    ...wide,
    name: 'one Call-ID, branch and From tag',
    draw: (d) => {
      set(d, 'Call-ID', () => 'all@x');
      set(d, 'Via', (value) => value.replace(/branch=[^;]*/, 'branch=z9hG4bKall'));
      set(d, 'From', (value) => value.replace(/tag=.*/, 'tag=all'));
    },
  },
  {
    ...fast,
    name: 'one From, Call-ID, branch and From tag',
    draw: (d) => {
      set(d, 'Call-ID', () => 'from@x');
      set(d, 'Via', (value) => value.replace(/branch=[^;]*/, 'branch=z9hG4bKfrom'));
      set(d, 'From', () => '<sip:2003@x>;tag=from');
    },
  },
  { ...fast, name: 'no branch', draw: (d) => set(d, 'Via', (value) => value.replace(/;branch=[^;]*/, '')) },
  { ...fast, name: 'another Via', draw: (d, n) => set(d, 'Via', (v) => v.replace(/ [^;]*/, ` 198.51.100.${n}`)) },
  { ...fast, name: 'other User-Agents', draw: (d, n) => set(d, 'User-Agent', () => PHONES[n % PHONES.length] ?? '') },
  {
    ...fast,
    name: 'compact names',
    write: (text) => {
      const short = { Via: 'v', From: 'f', To: 't', 'Call-ID': 'i', Contact: 'm', 'Content-Length': 'l' };
      return Object.entries(short).reduce((out, [long, name]) => out.replace(`\r\n${long}:`, `\r\n${name}:`), text);
    },
  },
  { ...fast, name: 'folded', write: (text) => text.replace(/\r\n(Call-ID|To|From|CSeq): /g, '\r\n$1:\r\n ') },
  {
    ...fast,
    name: 'spaces before the colon',
    write: (text) => text.replace(/\r\n(Call-ID|To|From|CSeq):/g, '\r\n$1 \t:'),
  },
  { ...fast, name: 'empty lines first', write: (text) => `\r\n\r\n${text}` },
  { ...fast, name: 'two Call-IDs', write: (text) => text.replace('\r\nCall-ID:', '\r\nCall-ID: same@x\r\nCall-ID:') },
  { ...fast, name: 'OPTIONS', method: 'OPTIONS' },
  { ...fast, name: 'INVITE', method: 'INVITE' },
  ...OTHERS.map((method) => ({ ...fast, name: method, method })),
  {
    ...guessing,
    over: ['udp', 'tcp', 'ws', 'six'],
    name: 'guessing, as svcrack does',
    draw: (d) => set(d, 'Call-ID', () => 'guess@x'),
  },
  { ...guessing, name: 'guessing with one nonce', oneNonce: true },
  { ...guessing, name: 'guessing, strict', strict: true },
  { ...guessing, name: 'guessing with a To tag', draw: (d) => set(d, 'To', (value) => `${value};tag=${random()}`) },
  { ...fast, over: ['six'], name: 'spread over its /64', spreads: true },
  // Slow ones: ten users in 10 minutes, here within 15 s.
  { ...fast, name: 'slow', count: 14, everyMs: 1200 },
  { ...fast, name: 'slow, one Call-ID', count: 14, everyMs: 1200, draw: (d) => set(d, 'Call-ID', () => 'slow@x') },
  { ...fast, over: ['six'], name: 'slow, over IPv6', count: 14, everyMs: 1200, spreads: true },
];

/** Credentials in a registration that is a guess: never the password. */
export function passwordOf(n: number): string {
  return `not-${PASSWORD}-${n}`;
}
