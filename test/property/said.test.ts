/**
 * What calls say is read by offsets, for filters and for the columns of a store: both find what the full parse of each message has.
 * Below the caps, and whatever the bytes.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { saidSteps } from '../../src/actions/ship/said-reader.ts';
import type { SaidSource, SaidText } from '../../src/analysis/call-said.ts';
import { SAID_SOCKETS, SAID_TEXTS, socketsSaid, textsSaid } from '../../src/analysis/call-said.ts';
import { CallSource } from '../../src/analysis/call-source.ts';
import { packageRoot } from '../../src/core/package.ts';
import { finish } from '../../src/core/turns.ts';
import { HEADER } from '../../src/protocols/sip/header-name.ts';
import type { SipMessage } from '../../src/protocols/sip/message.ts';
import { parseNameAddr } from '../../src/protocols/sip/name-addr.ts';
import { withoutSecrets } from '../../src/protocols/sip/redaction.ts';
import type { SipUri } from '../../src/protocols/sip/uri.ts';
import { parseUri } from '../../src/protocols/sip/uri.ts';
import { splitValues } from '../../src/protocols/sip/values.ts';
import { readCaptureFile } from '../helpers/read-capture.ts';
import { saidSource } from '../helpers/said-source.ts';
import { SIP_STEERING } from '../helpers/sip-steering.ts';

const NAMES = Object.keys(SAID_TEXTS) as SaidText[];
const CHARS = 256;
const TEXTS = 32;

type Hide = (text: string) => string;
type Uris = { readonly text: string; readonly uri: SipUri | null }[];

/** The same by the full parse; `hide` takes secrets out of values before they are taken apart. */
function parsedTexts(m: SipMessage, hide: Hide): Record<SaidText, string[]> {
  const valuesOf = (...ids: number[]): string[] =>
    m.headers.filter(({ id }) => ids.includes(id)).map(({ value }) => hide(value));
  const urisOf = (...ids: number[]): Uris =>
    valuesOf(...ids)
      .flatMap((value) => splitValues(value).values)
      .flatMap((value) => {
        const address = parseNameAddr(value);
        return address.ok ? [{ text: address.value.uriText, uri: address.value.uri }] : [];
      });
  const users = (uris: Uris): string[] => uris.map(({ uri }) => uri?.userDecoded ?? '');
  const textsAndUsers = (uris: Uris): string[] => [...uris.map(({ text }) => text), ...users(uris)];
  const text = hide(m.requestUriText);
  const read = parseUri(text.replace(/^<|>$/g, ''));
  const request = m.isRequest ? [{ text, uri: read.ok ? read.value : null }] : [];
  return {
    request_uris: request.map((one) => one.text),
    domains: [...request, ...urisOf(HEADER.FROM, HEADER.TO)].map(({ uri }) => uri?.host ?? ''),
    numbers: users([...request, ...urisOf(HEADER.P_ASSERTED_IDENTITY, HEADER.DIVERSION)]),
    asserted: textsAndUsers(urisOf(HEADER.P_ASSERTED_IDENTITY)),
    contacts: textsAndUsers(urisOf(HEADER.CONTACT)),
    user_agents: valuesOf(HEADER.USER_AGENT, HEADER.SERVER),
    reasons: valuesOf(HEADER.REASON, HEADER.WARNING),
  };
}

/** As sets: each once, none that is empty. */
const unlike = <T>(texts: Iterable<T>): Set<T> => new Set([...texts].filter((text) => text !== ''));
const asWritten: Hide = (text) => text;

function assertAlike(s: SaidSource, label: string): void {
  const parsed = s.messages.flatMap((m) => m.parse() ?? []);
  const said = finish(saidSteps(s));
  for (const name of NAMES) {
    const ofRecord = SAID_TEXTS[name].ofRecord?.(s) ?? [];
    const all = (hide: Hide): string[] => [...ofRecord.map(hide), ...parsed.flatMap((m) => parsedTexts(m, hide)[name])];
    assert.deepEqual(unlike(textsSaid(name, s)), unlike(all(asWritten)), `${label}: ${name} of a filter`);
    const wanted = unlike(all(withoutSecrets).map((text) => text.slice(0, CHARS)));
    if (wanted.size <= TEXTS) assert.deepEqual(unlike(said[name]), wanted, `${label}: ${name}`);
    else assert.equal(said[name].length, TEXTS, `${label}: ${name}`);
  }
  for (const name of ['addresses', 'ports', 'transports', 'origins'] as const)
    assert.deepEqual(
      unlike<string | number>(said[name]),
      new Set([...unlike<string | number>(socketsSaid<string | number>(SAID_SOCKETS[name], s))].slice(0, TEXTS)),
      `${label}: ${name}`,
    );
}

test('calls of captures', async (t) => {
  const folder = join(packageRoot(), 'fixtures/pcap');
  const paths = readdirSync(folder).map((name) => join(folder, name));
  let calls = 0;
  for (const path of [...paths, join(packageRoot(), 'fixtures/demo/demo.pcap')]) {
    const { session } = await readCaptureFile(t, path);
    for (const d of session.dialogs.oldestFirst()) {
      assertAlike(new CallSource(session.evidence, d), `${path} ${d.callId}`);
      calls++;
    }
  }
  assert.ok(calls > 50, `${calls}`);
});

const SEEDS: readonly Buffer[] = [
  [
    'INVITE sip:bob@biloxi.example.com;user=phone SIP/2.0',
    'From: "Al \\"ice, x" <sip:alice@atlanta.example.com>;tag=1',
    'To: Bob <sip:b%6fb:pass@BILOXI.example.com:59999>',
    'Call-ID: 1@a',
    'm: <sip:alice@pc33.example.com;transport=udp>;expires=60, "b" <sip:b@[2001:db8::1]:5070;a=b>',
    'P-Asserted-Identity: "A B" <sip:+4930@x.example>, tel:+4930;phone-context=x',
    'User-Agent: phone/1',
    'Diversion: <sip:+44@y.example;authorization=abc>;reason=busy',
    'CSeq: 1 INVITE',
    'Content-Length: 0',
    '',
    '',
  ],
  [
    'SIP/2.0 486 Busy',
    'f:sip:a@b;tag=1',
    't : sip:b@c:60000;tag = 2',
    'i:1@a',
    'SERVER: box',
    '  2',
    'Contact: *',
    'Contact: sip:u:pa,s;s@h',
    'reason : Q.850;cause=17;text="busy"',
    'Warning: 399 sip:u:secret@h "x"',
    'CSeq: 1 INVITE',
    'Content-Length: 0',
    '',
    '',
  ],
].map((lines) => Buffer.from(lines.join('\r\n')));

/** What steers the parsers. */
const STEERING = [...SIP_STEERING, 'sip:', '\r\nt:'];

const edit = fc.record({
  at: fc.nat(2000),
  remove: fc.oneof(fc.constant(0), fc.nat(8)),
  insert: fc.oneof(fc.constantFrom(...STEERING), fc.string({ maxLength: 4 })),
});
const mutated = fc.tuple(fc.constantFrom(...SEEDS), fc.array(edit, { maxLength: 6 })).map(([seed, edits]) =>
  edits.reduce((bytes, { at, remove, insert }) => {
    const p = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, p), Buffer.from(insert, 'latin1'), bytes.subarray(p + remove)]);
  }, seed),
);

test('calls of mutated messages', () => {
  fc.assert(
    fc.property(fc.array(mutated, { maxLength: 5 }), (all) => assertAlike(saidSource(all), 'mutated')),
    { numRuns: 3_000 },
  );
});

/** The seed whose line of this name is another one. */
const withLine = (name: string, line: string): Buffer =>
  Buffer.from((SEEDS[0] ?? assert.fail()).toString().replace(new RegExp(`^${name}: .*$`, 'm'), line));

test('no password leaves in a URI, wherever it stands', () => {
  const uri = 'sip:user:secret@host';
  const all = [
    Buffer.from((SEEDS[0] ?? assert.fail()).toString().replace(/^INVITE \S+/, `INVITE ${uri}`)),
    ...['From', 'To', 'P-Asserted-Identity', 'Diversion', 'User-Agent'].flatMap((name) =>
      [`<${uri}>`, uri, `"x" <${uri};a=b>`, `<${uri}>, <sip:b:secret@c>`, 'sip:u:secret,secret;secret@h'].map((value) =>
        withLine(name, `${name}: ${value}`),
      ),
    ),
    ...[`m: <${uri}>`, `Contact: ${uri}`, `Reason: x ${uri}`, `Warning: <${uri}>`].map((line) => withLine('m', line)),
  ];
  for (const bytes of all) {
    const said = JSON.stringify(finish(saidSteps(saidSource([bytes]))));
    assert.ok(!said.includes('secret'), `${bytes}: ${said}`);
  }
  const { contacts } = finish(saidSteps(saidSource([withLine('m', `m: <${uri}>`)])));
  assert.deepEqual(contacts, ['sip:user:[removed]@host', 'user']);
});

test('a stranger fills no more of a row than the caps, a step a message', () => {
  const all = Array.from({ length: 500 }, (_, i) =>
    withLine('m', `m: <sip:${i}@h>\r\nServer: ${i}\r\nReason: ${'x'.repeat(5_000)}${i}\r\nTo: <sip:a@h${i}>`),
  );
  const steps = saidSteps(saidSource(all));
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  assert.equal(count, all.length);
  const said = step.value;
  for (const name of ['contacts', 'user_agents', 'domains', 'addresses', 'ports'] as const)
    assert.equal(said[name].length, TEXTS, name);
  assert.deepEqual(said.reasons, ['x'.repeat(CHARS)]);
});

test('of a message of many addresses so many are taken apart as everywhere', () => {
  const lines = Array.from(
    { length: 500 },
    (_, i) => `From: ${Array.from({ length: 20 }, (_, k) => `tel:${i}${k}`).join()}`,
  );
  const s = saidSource([withLine('From', `${lines.join('\r\n')}\r\nTo: <sip:a@last>`)]);
  assert.ok(s.messages[0]?.read() !== null);
  assert.ok(!finish(saidSteps(s)).domains.includes('last'));
  assert.ok(![...textsSaid('domains', s)].includes('last'));
});
