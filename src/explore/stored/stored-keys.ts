/**
 * Where a row of a call, as an agent ships it and as an index keeps it, has what a key of the filter language asks for (query/keys.ts):
 * columns, which hold what the messages of a call say (analysis/call-said.ts). The texts of messages are asked for by `text` and
 * `header.NAME` alone, and stand in no row.
 */
import { FINDING_NAMES } from '../../analysis/finding-names.ts';
import { TAG_NAMES } from '../../analysis/tags.ts';
import type { NamedField } from '../../core/call-fields.ts';
import { FIELDS } from '../../core/call-fields.ts';
import { ORIGINS, TRANSPORTS } from '../../core/words.ts';
import { OTHER_TEXTS } from '../../query/bare.ts';
import { unitsOf } from '../../query/field-keys.ts';
import type { Units } from '../../query/value.ts';

/** A column; or one, and another where that is empty. */
export type Column = string | { readonly of: string; readonly orElse: string };

/** Columns of a text each, and of an array of texts. */
export type Texts = { readonly columns?: readonly Column[]; readonly arrays?: readonly string[] };

/** Kinds of `ids` of a store that hold such a text whole, whenever it was. */
type Lookup = readonly string[];

export type StoredKey =
  | ({ readonly kind: 'text'; readonly lookup?: Lookup } & Texts)
  | ({ readonly kind: 'choice'; readonly words: readonly string[] } & Texts)
  | ({ readonly kind: 'address' } & Texts)
  | { readonly kind: 'number'; readonly units: Units; readonly field: NamedField }
  | { readonly kind: 'code'; readonly column: string }
  | { readonly kind: 'bare' | 'message' | 'ssrc' | 'port' | 'since' | 'until' }
  /** `why`: as the end of a sentence about a hub. */
  | { readonly kind: 'none'; readonly why: string };

function keyOf(field: NamedField): StoredKey {
  const { kind, stored = '', words = [] } = field;
  if (stored === '') return { kind: 'none', why: 'its store has no such column' };
  if (kind === 'texts') return { kind: 'text', arrays: [stored] };
  if (kind === 'text') return { kind: 'text', columns: [stored] };
  if (kind === 'word') return { kind: 'choice', words, columns: [stored] };
  if (kind === 'code') return { kind: 'code', column: stored };
  return { kind: 'number', units: unitsOf(field)[1], field };
}

/** What the keys of single fields ask for (query/field-keys.ts). */
const FIELD_ROWS: Readonly<Record<string, StoredKey>> = Object.fromEntries(
  FIELDS.flatMap((field) => (field.key === undefined || field.filter === undefined ? [] : [[field.key, keyOf(field)]])),
);

/** The user, or the host or URN of a URI without one. */
const FROM: Column = { of: 'from_user', orElse: 'from_host' };
const TO: Column = { of: 'to_user', orElse: 'to_host' };

const ROWS: Readonly<Record<string, StoredKey>> = {
  ...FIELD_ROWS,
  host: { kind: 'text', columns: ['host'] },
  callid: { kind: 'text', columns: ['call_id'], lookup: ['call_id'] },
  from: { kind: 'text', columns: [FROM], lookup: ['from', 'from_host'] },
  to: { kind: 'text', columns: [TO], lookup: ['to', 'to_host'] },
  number: {
    kind: 'text',
    columns: ['from_user', 'to_user'],
    arrays: ['numbers'],
    lookup: ['from', 'to', 'request', 'asserted', 'diversion'],
  },
  user: { kind: 'text', columns: ['from_user', 'to_user'], lookup: ['from', 'to'] },
  display: { kind: 'text', columns: ['from_display', 'to_display'] },
  domain: { kind: 'text', arrays: ['domains'] },
  ruri: { kind: 'text', arrays: ['request_uris'] },
  pai: { kind: 'text', arrays: ['asserted'] },
  contact: { kind: 'text', arrays: ['contacts'] },
  auth: { kind: 'none', why: 'agents ship no credentials' },
  // A call that gave no reason has an empty text, as on an agent; arrays have none.
  reason: { kind: 'text', columns: ['reason'], arrays: ['reasons'] },
  ip: { kind: 'address', arrays: ['addresses'] },
  src: { kind: 'address', columns: ['src_host'] },
  dst: { kind: 'address', columns: ['dst_host'] },
  trunk: { kind: 'text', arrays: ['trunks'] },
  port: { kind: 'port' },
  transport: { kind: 'choice', words: TRANSPORTS, arrays: ['transports'] },
  ua: { kind: 'text', arrays: ['user_agents'] },
  ssrc: { kind: 'ssrc' },
  finding: { kind: 'choice', words: FINDING_NAMES, arrays: ['findings'] },
  tag: { kind: 'choice', words: TAG_NAMES, arrays: ['tags'] },
  origin: { kind: 'choice', words: ORIGINS, arrays: ['origins'] },
  leg: { kind: 'none', why: 'ask for the legs of one call' },
  since: { kind: 'since' },
  until: { kind: 'until' },
  text: { kind: 'message' },
};

/** Where a word without a key may stand (query/bare.ts), but for ports. */
export const BARE_TEXTS: Texts = {
  columns: ['call_id', FROM, TO, 'from_user', 'to_user', 'from_display', 'to_display', 'method', 'state', 'src', 'dst'],
  arrays: ['addresses', 'trunks', 'transports', 'numbers', ...OTHER_TEXTS],
};
export const BARE_LOOKUP: Lookup = [
  'call_id',
  'from',
  'to',
  'from_host',
  'to_host',
  'request',
  'asserted',
  'diversion',
];

/** Null for `header.NAME`. */
export function storedKey(key: string | null): StoredKey | null {
  return key === null ? { kind: 'bare' } : (ROWS[key] ?? null);
}
