/**
 * The table of keys: what a filter can ask of a call. Parser, help and completion read it; a new key is a row here.
 */

import { LEVEL } from '../analysis/call-field-readers.ts';
import type { SaidText, SocketRow } from '../analysis/call-said.ts';
import { SAID_SOCKETS, socketsSaid, textsSaid } from '../analysis/call-said.ts';
import { FINDING_NAMES, findingNames } from '../analysis/finding-names.ts';
import { TAG_NAMES } from '../analysis/tags.ts';
import { ORIGINS, TRANSPORTS } from '../core/words.ts';
import { HEADER } from '../protocols/sip/header-name.ts';
import { asCaptured } from '../store/clock-steps.ts';
import type { Key } from './field-keys.ts';
import { FIELD_KEYS } from './field-keys.ts';
import type { KeyKind } from './key-kinds.ts';
import { address, choice, moment, part, text, whole } from './key-kinds.ts';
import type { Subject } from './subject.ts';

const users = ({ d }: Subject): string[] => [d.fromUser, d.toUser];
const displays = ({ d }: Subject): string[] => [d.fromDisplay ?? '', d.toDisplay ?? ''];

/** What stands in the texts of messages (analysis/call-said.ts). */
const said =
  (name: SaidText) =>
  (s: Subject): Iterable<string> =>
    textsSaid(name, s);
const ofSockets =
  <T>(row: SocketRow<T>) =>
  (s: Subject): Iterable<T> =>
    socketsSaid(row, s);

/** As the clock of the capturing host showed it: so it is shown and asked for. */
const beganUs = ({ d, asking }: Subject): number => asCaptured(asking.e.capture.clockSteps, d.createdUs);

function* credentialUsers(s: Subject): Generator<string> {
  for (const { id, value } of s.parsed.flatMap((m) => m.headers)) {
    if (id !== HEADER.AUTHORIZATION && id !== HEADER.PROXY_AUTHORIZATION) continue;
    const found = /\busername\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/i.exec(value);
    if (found !== null) yield found[1] ?? found[2] ?? '';
  }
}

function* trunks(s: Subject): Generator<string> {
  const { trunkAt } = s.asking.e;
  for (const { src, dst } of s.messages) {
    for (const { host } of [src, dst]) {
      const trunk = trunkAt(host);
      if (trunk !== null) yield trunk;
    }
  }
}

const { RECORD, SOCKETS, STREAMS, TEXTS, FACTS, LEGS } = LEVEL;

type KeyRow = readonly [key: string, kind: KeyKind, example: string, help: string];

/** In the order of the help; a word alone is a field of a call, of which the table of fields says the rest. */
const ROWS: readonly (KeyRow | string)[] = [
  'callid',
  ['from', text(RECORD, ({ d }) => [d.from]), 'from:2001', 'user of From, or its host or URN where it has none'],
  ['to', text(RECORD, ({ d }) => [d.to]), 'to:+44', 'user of To, or its host or URN where it has none'],
  [
    'number',
    text(TEXTS, said('numbers'), users),
    'number:+331990',
    'user of From, To, Request-URI, P-Asserted-Identity, Diversion',
  ],
  ['user', text(RECORD, users), 'user:alice', 'user of From or To'],
  ['display', text(RECORD, displays), 'display:"Front desk"', 'display name of From or To'],
  ['domain', text(TEXTS, said('domains')), 'domain:example.com', 'host of From, To or Request-URI'],
  ['ruri', text(TEXTS, said('request_uris')), 'ruri:*@192.0.2.9', 'Request-URI'],
  ['pai', text(TEXTS, said('asserted')), 'pai:+4930', 'P-Asserted-Identity: its URI or user'],
  ['contact', text(TEXTS, said('contacts')), 'contact:*192.0.2.5', 'Contact: its URI or user'],
  ['auth', text(TEXTS, credentialUsers), 'auth:2001', 'user name of the credentials'],
  'method',
  'state',
  'code',
  [
    'reason',
    text(TEXTS, said('reasons'), ({ d }) => [d.finalReason]),
    'reason:*busy',
    'reason phrase, Reason or Warning',
  ],
  [
    'ip',
    address(SOCKETS, ofSockets(SAID_SOCKETS.addresses)),
    'ip:192.0.2.0/24',
    'address of signaling or media, or its name',
  ],
  [
    'src',
    address(SOCKETS, ({ way }) => [way?.src.host ?? '']),
    'src:192.0.2.7',
    'address that called: it sent the opening request',
  ],
  [
    'dst',
    address(SOCKETS, ({ way }) => [way?.dst.host ?? '']),
    'dst:192.0.2.9',
    'address that was called: it got the opening request',
  ],
  ['trunk', text(SOCKETS, trunks), 'trunk:acme', 'trunk that the call came from or went to, by name or address'],
  ['port', whole('port', 65_535, SOCKETS, ofSockets(SAID_SOCKETS.ports)), 'port:5080', 'port of signaling'],
  [
    'transport',
    choice(SOCKETS, TRANSPORTS, ofSockets(SAID_SOCKETS.transports)),
    'transport:TLS',
    'what carried a message',
  ],
  ['ua', text(TEXTS, said('user_agents')), 'ua:~yealink', 'User-Agent or Server'],
  'codec',
  [
    'ssrc',
    whole('SSRC', 0xffff_ffff, STREAMS, ({ streams }) => streams.map(({ stream }) => stream.ssrc)),
    'ssrc:0x1a2b3c4d',
    'SSRC of a stream',
  ],
  'mos',
  'loss',
  'jitter',
  'pdd',
  'setup',
  'duration',
  [
    'finding',
    choice(FACTS, FINDING_NAMES, ({ facts }) => findingNames(facts)),
    'finding:one-way-audio',
    'what is wrong with the call',
  ],
  ['tag', choice(FACTS, TAG_NAMES, ({ facts }) => facts.tags), '-tag:transferred', 'what kind of call it was'],
  [
    'host',
    text(RECORD, ({ asking }) => [asking.e.rules.host]),
    'host:sbc1',
    'host that saw the call: this one, at a hub any',
  ],
  ['origin', choice(RECORD, ORIGINS, ofSockets(SAID_SOCKETS.origins)), 'origin:uprobe', 'source that saw the call'],
  ['leg', text(LEGS, (s) => s.legs.map((d) => d.callId)), 'leg:a84b4c76e6', 'Call-ID of another leg of the call'],
  ['since', moment(beganUs, (us, from) => us >= from), 'since:10m', 'began then or later'],
  ['until', moment(beganUs, (us, to) => us <= to), 'until:2026-11-22T02:00', 'began then or earlier'],
  ['text', part(TEXTS, (s) => s.texts), 'text:"a=sendonly"', 'part of a raw message'],
];

const NAMED = new Set(ROWS.map((row) => (typeof row === 'string' ? row : row[0])));

/** Fields that no row names come last. */
export const KEYS: readonly Key[] = [
  ...ROWS.flatMap((row) =>
    typeof row === 'string'
      ? (FIELD_KEYS.get(row) ?? [])
      : [{ key: row[0], kind: row[1], example: row[2], help: row[3] }],
  ),
  ...[...FIELD_KEYS.values()].filter(({ key }) => !NAMED.has(key)),
];

const BY_KEY: ReadonlyMap<string, Key> = new Map(KEYS.map((row) => [row.key, row]));

/** `header.NAME` is a key for every header. */
export const HEADER_KEY: Key = {
  key: 'header.NAME',
  kind: headerKind(''),
  example: 'header.X-Trunk:berlin',
  help: 'value of any header',
};
const HEADER_PREFIX = 'header.';
const HEADER_NAME = /^[\w!%*+`'~.-]{1,64}$/;

function headerKind(name: string): KeyKind {
  return text(TEXTS, (s) => s.parsed.flatMap((m) => m.headersNamed(name).map((h) => h.value)));
}

/** The row of a key in any case; null where there is no such key. */
export function keyNamed(name: string): Key | null {
  const lower = name.toLowerCase();
  const row = BY_KEY.get(lower);
  if (row !== undefined) return row;
  const header = lower.startsWith(HEADER_PREFIX) ? lower.slice(HEADER_PREFIX.length) : '';
  return HEADER_NAME.test(header) ? { ...HEADER_KEY, key: HEADER_PREFIX + header, kind: headerKind(header) } : null;
}
