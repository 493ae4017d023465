/**
 * Where the store has what a key of the filter language asks for (query/keys.ts): columns of `calls`, else what stands in the
 * messages of the call. The texts of messages are there without their secrets, and without bodies unless agents ship these.
 */
import { FINDING_NAMES } from '../../analysis/finding-names.ts';
import { TAG_NAMES } from '../../analysis/tags.ts';
import type { NamedField } from '../../core/call-fields.ts';
import { FIELDS } from '../../core/call-fields.ts';
import { ORIGINS, TRANSPORTS } from '../../core/words.ts';
import { unitsOf } from '../../query/field-keys.ts';
import type { Units } from '../../query/value.ts';
import { figureSql } from './field-sql.ts';

/** Expressions over a row of `calls` or `messages`: of a text each, or of an array of texts. */
export type Texts = {
  readonly columns?: readonly string[];
  readonly arrays?: readonly string[];
  readonly ofMessages?: readonly string[];
};

/**
 * What stands around a text in the headers of a message, as RE2: much faster than taking them apart. `chars` is what else the
 * value may have where the text is a part of it.
 */
export type Around = { readonly before: string; readonly chars: string; readonly behind: string };

/** Kinds of `ids` that hold such a text whole, whenever it was. */
type Lookup = readonly string[];

export type KeySql =
  | ({ readonly kind: 'text'; readonly lookup?: Lookup; readonly around?: Around } & Texts)
  | ({ readonly kind: 'part' } & Texts)
  | ({ readonly kind: 'choice'; readonly words: readonly string[] } & Texts)
  | ({ readonly kind: 'address' } & Texts)
  | { readonly kind: 'number'; readonly units: Units; readonly sql: string }
  | { readonly kind: 'code'; readonly column: string }
  | { readonly kind: 'ssrc' }
  | { readonly kind: 'port'; readonly ofMessages: readonly string[] }
  | { readonly kind: 'since' | 'until' }
  | { readonly kind: 'none'; readonly why: string };

const EMPTY_LINE = `position(text, '\\r\\n\\r\\n')`;
export const HEADERS = `substring(text, 1, if(${EMPTY_LINE} = 0, length(text), ${EMPTY_LINE}))`;
// An expression reads each line from its begin: one for the whole text takes several times as long.
const LINES = `splitByChar('\\n', replaceAll(${HEADERS}, '\\r', ''))`;

/** Values of headers whose name the expression matches (RFC 3261 section 7.3.1), as an array; `name` is RE2. */
function headers(name: string): string {
  return headerValues(`'(?i)^(?:${name})[ \\\\t]*:'`);
}

/** The same where the expression stands at a parameter: one made by headerExpression(). */
export function headerValues(expression: string): string {
  return `arrayMap(x -> extract(x, ':[ \\\\t]*(.*)'), ${lines(expression)})`;
}

function lines(expression: string): string {
  return `arrayFilter(x -> match(x, ${expression}), ${LINES})`;
}

export function headerExpression(name: string): string {
  return `(?i)^${name.replaceAll(/[.*+]/g, '\\$&')}[ \\t]*:`;
}

const uris = (values: string): string =>
  `arrayFlatten(arrayMap(v -> extractAll(v, '(?i)((?:sips?|tel):[^>,\\\\s"]+)'), ${values}))`;
const users = (of: string): string =>
  `arrayMap(u -> decodeURLComponent(extract(u, '(?i)^(?:sips?:|tel:)([^@:;?]*)')), arrayFilter(u -> match(u, '(?i)^tel:|@'), ${of}))`;
const hosts = (texts: string): string =>
  `arrayFlatten(arrayMap(v -> extractAll(v, '(?i)sips?:(?:[^@>,\\\\s"]*@)?\\\\[?([^\\\\]:;?>,\\\\s"]*)'), ${texts}))`;

const REQUEST_URI = `extract(text, '^[A-Z]+ (\\\\S+) SIP/')`;
const PAI = uris(headers('p-asserted-identity'));
const CONTACTS = uris(headers('contact|m'));
/** Of the first line and of who calls whom. */
const DOMAINS = hosts(`arrayConcat([${LINES}[1]], ${lines(`'(?i)^(?:from|f|to|t)[ \\\\t]*:'`)})`);

/** The same: what stands before an @ is no host (RFC 3261 section 19.1.1). */
const AROUND_DOMAIN: Around = {
  before: '(?i)(?:^[A-Z]+ |\\n(?:from|f|to|t)[ \\t]*:[^\\r\\n]*)sips?:(?:[^@>,\\s"]*@)?\\[?',
  chars: '[^\\]@:;?>,\\s"]',
  behind: '\\]?(?:[:;?][^@>,\\s"]*)?(?:[>,\\s"]|$)',
};

/** The host of a socket. */
export const hostOf = (socket: string): string =>
  `replaceAll(replaceAll(substring(${socket}, 1, length(${socket}) - position(reverse(${socket}), ':')), '[', ''), ']', '')`;

const DISPLAYS = [`JSONExtractString(document, 'from_display')`, `JSONExtractString(document, 'to_display')`];
const MEDIA_ADDRESSES = `arrayMap(x -> JSONExtractString(x, 'media_addr'), JSONExtractArrayRaw(document, 'sdp_timeline'))`;

function keySqlOf(field: NamedField): KeySql {
  const { kind, stored = '', words = [], key = '' } = field;
  if (stored === '') return { kind: 'none', why: `A hub cannot filter by ${key}:; its store has no such column.` };
  if (kind === 'texts') return { kind: 'text', arrays: [stored] };
  if (kind === 'text') return { kind: 'text', columns: [stored] };
  if (kind === 'word') return { kind: 'choice', words, columns: [stored] };
  if (kind === 'code') return { kind: 'code', column: stored };
  return { kind: 'number', units: unitsOf(field)[1], sql: figureSql(field) };
}

/** Where the store has what the keys of single fields ask for (query/field-keys.ts). */
const FIELD_ROWS: Readonly<Record<string, KeySql>> = Object.fromEntries(
  FIELDS.flatMap((field) =>
    field.key === undefined || field.filter === undefined ? [] : [[field.key, keySqlOf(field)]],
  ),
);

const ROWS: Readonly<Record<string, KeySql>> = {
  ...FIELD_ROWS,
  host: { kind: 'text', columns: ['host'] },
  callid: { kind: 'text', columns: ['call_id'], lookup: ['call_id'] },
  from: { kind: 'text', columns: ['from_user'], lookup: ['from', 'from_host'] },
  to: { kind: 'text', columns: ['to_user'], lookup: ['to', 'to_host'] },
  number: {
    kind: 'text',
    columns: ['from_user', 'to_user'],
    arrays: ['numbers'],
    lookup: ['from', 'to', 'request', 'asserted', 'diversion'],
  },
  user: { kind: 'text', columns: ['from_user', 'to_user'], lookup: ['from', 'to'] },
  display: { kind: 'text', columns: DISPLAYS },
  domain: { kind: 'text', ofMessages: [DOMAINS], around: AROUND_DOMAIN },
  ruri: { kind: 'text', ofMessages: [`[${REQUEST_URI}]`] },
  pai: { kind: 'text', ofMessages: [PAI, users(PAI)] },
  contact: { kind: 'text', ofMessages: [CONTACTS, users(CONTACTS)] },
  auth: { kind: 'none', why: 'A hub cannot filter by auth:; agents ship no credentials.' },
  reason: { kind: 'text', columns: ['reason'], ofMessages: [headers('reason|warning')] },
  ip: { kind: 'address', arrays: [MEDIA_ADDRESSES], ofMessages: [`[${hostOf('src')}, ${hostOf('dst')}]`] },
  src: { kind: 'address', columns: [hostOf('src')] },
  dst: { kind: 'address', columns: [hostOf('dst')] },
  trunk: { kind: 'text', arrays: ['trunks'] },
  port: { kind: 'port', ofMessages: [`extract(src, ':(\\\\d+)$')`, `extract(dst, ':(\\\\d+)$')`] },
  transport: { kind: 'choice', words: TRANSPORTS, ofMessages: ['[transport]'] },
  ua: { kind: 'text', columns: ['user_agent'], ofMessages: [headers('user-agent|server')] },
  ssrc: { kind: 'ssrc' },
  finding: { kind: 'choice', words: FINDING_NAMES, arrays: ['findings'] },
  tag: { kind: 'choice', words: TAG_NAMES, arrays: [`JSONExtract(document, 'tags', 'Array(String)')`] },
  origin: { kind: 'choice', words: ORIGINS, columns: ['origin'], ofMessages: ['[origin]'] },
  leg: { kind: 'none', why: 'A hub cannot filter by leg:; ask for the legs of one call.' },
  since: { kind: 'since' },
  until: { kind: 'until' },
  text: { kind: 'part', ofMessages: ['[text]'] },
};

/** Where a word without a key may stand. */
export const BARE_SQL: KeySql = {
  kind: 'text',
  columns: ['call_id', 'from_user', 'to_user', ...DISPLAYS],
  arrays: ['numbers'],
  lookup: ['call_id', 'from', 'to', 'from_host', 'to_host', 'request', 'asserted', 'diversion'],
};

/** Null for `header.NAME`, whose values headerValues() has. */
export function keySql(key: string | null): KeySql | null {
  return key === null ? BARE_SQL : (ROWS[key] ?? null);
}
