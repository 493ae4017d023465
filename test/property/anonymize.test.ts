/**
 * Whatever a message holds, and however it is damaged: nothing of what it named is in what comes out, nothing throws, the same
 * comes out each time, and our own parser finds the same structure.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { parseSdp } from '../../src/protocols/sdp/sdp.ts';
import { HEADER } from '../../src/protocols/sip/header-name.ts';
import type { SipMessage } from '../../src/protocols/sip/message.ts';
import { parseSip } from '../../src/protocols/sip/message.ts';
import { testAnonymizer } from '../helpers/anonymizer.ts';

/** A fixed seed: a word of few letters becomes another original by chance, once in a great many runs. */
const RUNS = { seed: 61, numRuns: 300, endOnFailure: true };
const DAMAGED = { seed: 61, numRuns: 3_000, endOnFailure: true };

/** What a message names; each once, so that one that is found is one that leaked. */
const WHO = [
  ...[
    'user',
    'host',
    'callId',
    'tag',
    'branch',
    'realm',
    'nonce',
    'name',
    'secret',
    'agent',
    'cell',
    'icid',
    'cname',
    'ufrag',
  ],
  ...['number', 'digits', 'private', 'public', 'six', 'note', 'key', 'customer', 'instance', 'attribute'],
] as const;
type Who = Readonly<Record<(typeof WHO)[number], string>>;

function ofShape(pattern: string): fc.Arbitrary<string> {
  const at: Readonly<Record<string, string>> = {
    a: 'abcdefghijklmnopqrstuvwxyz',
    h: '0123456789abcdef',
    d: '0123456789',
    B: 'ABCDEFGHJKLMNPQRSTUVWXYZ',
  };
  return fc.tuple(...[...pattern].map((c) => fc.constantFrom(...(at[c] ?? c)))).map((found) => found.join(''));
}

const who: fc.Arbitrary<Who> = fc.record({
  user: ofShape('aaaaaa'),
  host: ofShape('aaaaaad'),
  callId: ofShape('hhhhhhhhhhhha'),
  tag: ofShape('dddddddddd'),
  branch: ofShape('aahhhhhhh'),
  realm: ofShape('aaaaaaaa'),
  nonce: ofShape('hhhhhhhhhhhhhhhh'),
  name: ofShape('Baaaaaa'),
  secret: ofShape('aaBdaaaaBd'),
  agent: ofShape('Baaaaaaa'),
  cell: ofShape('ddddddBhhhhh'),
  icid: ofShape('ddddaahaha'),
  cname: ofShape('aaBaadaaa'),
  ufrag: ofShape('aaBdaa'),
  number: ofShape('49dddddddddd'),
  digits: ofShape('ddddddd'),
  private: fc
    .tuple(fc.integer({ min: 1, max: 254 }), fc.integer({ min: 1, max: 254 }))
    .map(([a, b]) => `10.77.${a}.${b}`),
  public: fc
    .tuple(fc.integer({ min: 1, max: 254 }), fc.integer({ min: 1, max: 254 }))
    .map(([a, b]) => `203.77.${a}.${b}`),
  six: ofShape('2001:2:3hhh::4hhh'),
  note: ofShape('Baaaaaaa'),
  key: ofShape('aBdaaBdaaBdaaBdaaBda'),
  customer: ofShape('Baaaaaaad'),
  instance: ofShape('hhhhhhhhhhha'),
  attribute: ofShape('aaaaaaaa'),
});

function sdpOf(w: Who): string {
  return [
    'v=0',
    `o=${w.user} 2890844526 2890844527 IN IP4 ${w.private}`,
    `s=${w.note}`,
    `i=${w.name}`,
    `e=${w.user}@${w.host}.example (${w.name})`,
    `p=+${w.number}`,
    `c=IN IP4 ${w.public}`,
    't=0 0',
    'm=audio 49172 RTP/SAVP 0 8 101',
    `c=IN IP6 ${w.six}`,
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${w.key}|2^20`,
    `a=ice-ufrag:${w.ufrag}`,
    `a=ice-pwd:${w.key}`,
    `a=candidate:1 1 UDP 2130706431 ${w.private} 8998 typ srflx raddr ${w.public} rport 9`,
    `a=ssrc:4711 cname:${w.cname}`,
    `a=label:${w.attribute}`,
    `a=x-${w.attribute}:${w.customer}`,
    'a=sendrecv',
    '',
  ].join('\r\n');
}

function messageOf(w: Who, isMultipart: boolean): Buffer {
  const sdp = sdpOf(w);
  const multipart = [
    `--${w.icid}\r\nContent-Type: application/sdp\r\n\r\n${sdp}`,
    `--${w.icid}\r\nContent-Type: text/plain\r\nContent-ID: <${w.user}@${w.host}.example>\r\n\r\n${w.note} ${w.number}`,
    `--${w.icid}\r\nContent-Type: message/sipfrag\r\n\r\nSIP/2.0 200 OK\r\nTo: ${w.name} <sip:${w.user}@${w.host}.example>\r\n`,
    `--${w.icid}\r\nContent-Type: application/pidf+xml\r\n\r\n<presence entity="pres:${w.user}@${w.host}.example"><note>${w.note}</note></presence>`,
    `--${w.icid}--\r\n`,
  ].join('\r\n');
  const body = isMultipart ? multipart : sdp;
  return Buffer.from(
    [
      `INVITE sip:+${w.number};phone-context=${w.host}.example@${w.public}:5061;user=phone SIP/2.0`,
      `Via: SIP/2.0/UDP ${w.host}.example:5070;branch=z9hG4bK${w.branch};received=${w.public} (${w.customer})`,
      `v: SIP/2.0/TLS [${w.six}]:5061;branch=z9hG4bK-${w.icid}-1`,
      `f: "${w.name} \\"${w.note}\\"" <sip:${w.user}:${w.secret}@${w.host}.example>;tag=${w.tag}`,
      `To: ${w.name} <sip:%${w.user.charCodeAt(0).toString(16)}${w.user.slice(1)}@${w.host}.example>`,
      `Call-ID: ${w.callId}@${w.private}`,
      'CSeq: 314159 INVITE',
      `Contact: <sip:${w.user}@${w.private}:5062;x-${w.attribute}=${w.customer}>;+sip.instance="<urn:uuid:${w.instance}>";expires=3600`,
      'Expires: 3600',
      `In-Reply-To: ${w.tag}@${w.host}.example`,
      `Subject: ${w.note}`,
      ` ${w.customer}`,
      `History-Info: <sip:${w.user}@${w.host}.example?Reason=SIP%3Bcause%3D302>;index=1`,
      `Diversion: <tel:+${w.number}>;reason=no-answer`,
      `P-Asserted-Identity: <sip:${w.digits}@${w.host}.example>`,
      `P-Charging-Vector: icid-value=${w.icid};orig-ioi=${w.realm}`,
      `P-Access-Network-Info: 3GPP-E-UTRAN-FDD;utran-cell-id-3gpp=${w.cell}`,
      `Refer-To: <sip:${w.user}@${w.host}.example?Replaces=${w.callId}%40${w.private}%3Bto-tag%3D${w.tag}>`,
      `Warning: 399 ${w.host}.example "${w.note} ${w.name}"`,
      `Reason: Q.850;cause=16;text="Normal call clearing ${w.name}"`,
      `Authorization: Digest username="${w.user}", realm="${w.realm}", nonce="${w.nonce}", uri="sip:${w.host}.example", response="${w.nonce}"`,
      `X-${'Customer'}-Data: ${w.customer}=${w.secret};${w.attribute}`,
      `User-Agent: ${w.agent}/1.2 (${w.customer})`,
      `Content-Type: ${isMultipart ? `multipart/mixed;boundary="${w.icid}"` : 'application/sdp'}`,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
}

/** Of all that a message names, what it still holds in one piece. */
function leaked(w: Who, original: Buffer, out: Buffer): string[] {
  const [before, after] = [original.toString('latin1').toLowerCase(), out.toString('latin1').toLowerCase()];
  return WHO.filter((name) => {
    const text = w[name].toLowerCase();
    return before.includes(text) && after.includes(text);
  }).map((name) => `${name} ${w[name]}`);
}

function parsed(bytes: Buffer): SipMessage {
  const sip = parseSip(bytes, 0, bytes.length);
  return sip.ok ? sip.value : assert.fail(sip.reason);
}

/** What the parser says of a message, but for what is replaced. */
function structureOf(bytes: Buffer): unknown {
  const sip = parsed(bytes);
  const sdp = parseSdp(sip.body, 0, sip.body.length);
  return {
    notes: sip.noteNames,
    headers: sip.headers.map(({ id, name }) => `${id} ${name}`),
    vias: sip.vias.map(({ transport, port, params }) => [transport, port, params.map(({ name }) => name)]),
    contacts: sip.contacts.map(({ uri, faults }) => [uri?.scheme, uri?.port, faults]),
    parties: [sip.from, sip.to].map((party) => [
      party?.faults,
      party?.uri?.scheme,
      party?.params.map(({ name }) => name),
    ]),
    cseq: sip.cseq,
    asserted: sip.addresses(HEADER.P_ASSERTED_IDENTITY).length,
    parts: sip.bodyParts().map(({ mediaType }) => mediaType),
    sdp: sdp.ok && [sdp.value.notes, sdp.value.media.map(({ port, formats, rtpmaps }) => [port, formats, rtpmaps])],
  };
}

it('a message names nobody any more, and is the message that it was', () => {
  const a = testAnonymizer();
  fc.assert(
    fc.property(who, fc.boolean(), (w, isMultipart) => {
      const original = messageOf(w, isMultipart);
      const out = a.sip(original) ?? assert.fail('no SIP');
      assert.deepEqual(leaked(w, original, out), []);
      assert.deepEqual(structureOf(out), structureOf(original));
      // Another anonymizer has met nothing before.
      assert.deepEqual(testAnonymizer().sip(original), out);
    }),
    RUNS,
  );
});

type Damage = { readonly at: number; readonly remove: number; readonly insert: string };
const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(4_000),
  remove: fc.oneof({ weight: 3, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(400) }),
  insert: fc.oneof(
    fc.constantFrom(
      '',
      '\r\n',
      '\n',
      ' ',
      '"',
      '<',
      '>',
      ';',
      ':',
      '@',
      '%',
      '\\',
      ',',
      '=',
      '\0',
      '%4',
      '\r\n\r\n',
      '--',
      '\xff',
      '+',
    ),
    fc.string({ maxLength: 3 }),
  ),
});

function damaged(bytes: Buffer, edits: readonly Damage[]): Buffer {
  let text = bytes.toString('latin1');
  for (const { at, remove, insert } of edits) {
    const p = at % (text.length + 1);
    text = text.slice(0, p) + insert + text.slice(p + remove);
  }
  return Buffer.from(text, 'latin1');
}

it('a damaged message names nobody either', () => {
  const a = testAnonymizer();
  fc.assert(
    fc.property(who, fc.boolean(), fc.array(damage, { minLength: 1, maxLength: 8 }), (w, isMultipart, edits) => {
      const original = damaged(messageOf(w, isMultipart), edits);
      const out = a.sip(original);
      if (out !== null) assert.deepEqual(leaked(w, original, out), []);
      assert.ok(a.fixed(original).length === original.length);
    }),
    DAMAGED,
  );
});

it('takes a time that grows with the message, whatever it holds', () => {
  const a = testAnonymizer();
  const head = messageOf({ ...Object.fromEntries(WHO.map((name) => [name, 'x'])) } as Who, false).toString();
  const PIECES = [
    '"',
    '\\"',
    '<',
    ';',
    '; ',
    'a=',
    '%',
    '%4',
    ':',
    '1.',
    '1.1.1.1',
    'a:',
    '::',
    '+1-',
    '\r\n ',
    ',',
    'sip:',
    '@',
    '0',
    '--x\r\n',
  ];
  const elapsed = (text: string): number => {
    const bytes = Buffer.from(text, 'latin1');
    const from = process.hrtime.bigint();
    a.sip(bytes);
    a.text(bytes);
    return Number(process.hrtime.bigint() - from) / 1e6;
  };
  for (const piece of PIECES) {
    const long = head.replace('Subject: x', `Subject: ${piece.repeat(40_000 / piece.length)}`);
    // Quadratic work on 40,000 characters takes many seconds, also on a machine that does other things.
    const ms = elapsed(long);
    assert.ok(ms < 2_000, `${JSON.stringify(piece)}: ${ms} ms`);
    const body = elapsed(head + piece.repeat(40_000 / piece.length));
    assert.ok(body < 2_000, `${JSON.stringify(piece)} in the body: ${body} ms`);
  }
});
