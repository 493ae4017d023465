/** Whatever the bytes, the SIP parsers answer, stay inside them, and scanner and full parse agree. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { stringOf } from '../../src/core/byte-text.ts';
import { Party } from '../../src/protocols/sip/address.ts';
import { ByteSpan, findSdp } from '../../src/protocols/sip/body.ts';
import { HEADER } from '../../src/protocols/sip/header-name.ts';
import { parseSip } from '../../src/protocols/sip/message.ts';
import { expiresOf, parseNameAddr } from '../../src/protocols/sip/name-addr.ts';
import { SCAN, type SipScan, scanSip } from '../../src/protocols/sip/scanner/scan.ts';
import * as AT from '../../src/protocols/sip/scanner/scan-layout.ts';
import { unfold } from '../../src/protocols/sip/text.ts';
import { parseUri } from '../../src/protocols/sip/uri.ts';
import { splitValues } from '../../src/protocols/sip/values.ts';
import { parseVia } from '../../src/protocols/sip/via.ts';
import { SIP_STEERING } from '../helpers/sip-steering.ts';

const SEEDS: readonly Buffer[] = [
  [
    'INVITE sip:bob@biloxi.example.com SIP/2.0',
    'Via: SIP/2.0/UDP pc33.example.com:5060;branch=z9hG4bK776asdhds;rport, SIP/2.0/TCP [2001:db8::1];branch=z9hG4bK2',
    'Max-Forwards: 70',
    'From: "Al \\"ice, x" <sip:alice@atlanta.example.com>;tag=1928301774',
    'To: Bob <sip:bob@biloxi.example.com>;x="y;z"',
    'Call-ID: a84b4c76e66710@pc33.example.com',
    'CSeq: 314159 INVITE',
    'm: <sip:alice@pc33.example.com>;expires=60, "b" <sip:b@c>',
    'Subject: folded',
    '  value',
    'Authorization: Digest username="x"',
    'Content-Type: multipart/mixed;boundary="b"',
    'Content-Length: 61',
    '',
    '--b\r\nContent-Type: application/sdp\r\n\r\nv=0\r\no=- 1 1 IN IP4 h\r\n--b--',
  ],
  [
    'SIP/2.0 200 OK',
    'v: SIP/2.0/UDP 192.0.2.1;received=192.0.2.7;branch=z9hG4bK1',
    'f:sip:a@b;tag=1',
    't : sip:b@c;tag = 2',
    'i:x',
    'CSeq: 2',
    '\tSUBSCRIBE',
    'Expires: 600',
    'Event: presence',
    'l: 3',
    '',
    'abc',
  ],
].map((lines) => Buffer.from(lines.join('\r\n')));

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(2000),
  remove: fc.oneof(fc.constant(0), fc.nat(8)),
  insert: fc.oneof(fc.constantFrom(...SIP_STEERING), fc.constant(''), fc.string({ maxLength: 4 })),
});

function apply(seed: Buffer, edits: readonly Edit[], cut: number): Buffer {
  let bytes = seed;
  for (const { at, remove, insert } of edits) {
    const p = at % (bytes.length + 1);
    bytes = Buffer.concat([bytes.subarray(0, p), Buffer.from(insert, 'latin1'), bytes.subarray(p + remove)]);
  }
  return bytes.subarray(0, bytes.length - (cut % (bytes.length + 1)));
}

const mutated: fc.Arbitrary<Buffer> = fc
  .tuple(fc.constantFrom(...SEEDS), fc.array(edit, { maxLength: 6 }), fc.oneof(fc.constant(0), fc.nat(1500)))
  .map(([seed, edits, cut]) => apply(seed, edits, cut));

const anyBytes: fc.Arbitrary<Buffer> = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const steered: fc.Arbitrary<Buffer> = fc
  .array(fc.oneof(fc.constantFrom(...SIP_STEERING), fc.constantFrom('Via:', 'To:', 'From:', 'CSeq:', 'a', '1')), {
    maxLength: 60,
  })
  .map((pieces) => Buffer.from(`BYE sip:a@b SIP/2.0\r\n${pieces.join('')}`, 'latin1'));
const hostile = fc.oneof(anyBytes, steered, mutated);

/** Pairs of offsets of a scan: its named ranges, and those of its headers. */
function ranges(scan: SipScan): [string, number, number][] {
  const list: [string, number, number][] = [];
  for (const [name, at] of Object.entries(AT)) {
    const end = name.endsWith('_START') ? AT[name.replace(/START$/, 'END') as keyof typeof AT] : undefined;
    if (end !== undefined && name !== 'JOB_START') list.push([name, scan.ints[at] ?? 0, scan.ints[end] ?? 0]);
  }
  scan.forEachHeader((a, b, c, d) => list.push(['name', a, b], ['value', c, d]));
  return list;
}

function checkOffsets(scan: SipScan, start: number, end: number): void {
  for (const [name, from, to] of ranges(scan)) {
    if (from === -1) assert.equal(to, -1, name);
    else assert.ok(from >= start && from <= to && to <= end, `${name} ${from}..${to} of ${start}..${end}`);
  }
  const inside: [number, number, number, number][] = [
    [scan.fromTagStart, scan.fromTagEnd, scan.fromStart, scan.fromEnd],
    [scan.toTagStart, scan.toTagEnd, scan.toStart, scan.toEnd],
    [scan.branchStart, scan.branchEnd, scan.viaStart, scan.viaEnd],
  ];
  for (const [from, to, low, high] of inside) if (from >= 0) assert.ok(from >= low && to <= high);
  assert.ok(scan.messageStart >= start && scan.messageStart <= scan.startLineEnd);
  assert.ok(scan.startLineEnd <= scan.headersStart && scan.headersStart <= scan.bodyStart);
  assert.ok(scan.bodyStart <= scan.bodyEnd && scan.bodyEnd === scan.messageEnd && scan.messageEnd <= end);
}

describe('scanSip under hostile input', () => {
  it('never throws, and its offsets lie inside the message and in order', () => {
    fc.assert(
      fc.property(hostile, (bytes) => {
        const scan = scanSip(bytes, 0, bytes.length);
        if (scan.code === SCAN.OK) checkOffsets(scan, 0, bytes.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('gives the same answer whatever surrounds the message, at any alignment and in a plain Uint8Array', () => {
    fc.assert(
      fc.property(hostile, anyBytes, anyBytes, (bytes, before, after) => {
        const alone = scanSip(bytes, 0, bytes.length);
        const slab = new Uint8Array(Buffer.concat([before, bytes, after]));
        const scan = scanSip(slab, before.length, before.length + bytes.length);
        assert.equal(scan.code, alone.code);
        assert.equal(scan.notes, alone.notes);
        assert.deepEqual(
          ranges(scan),
          ranges(alone).map(([name, from, to]) => [
            name,
            from < 0 ? from : from + before.length,
            to < 0 ? to : to + before.length,
          ]),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('reads a start line the same whether its version is spelt as usual or in small letters, which takes another way', () => {
    const piece = fc.string({
      unit: fc.constantFrom('s', 'i', 'p', ':', '@', '?', '<', '>', ' ', '=', ';', '\t', '\xff', '7'),
      maxLength: 12,
    });
    const requestLine = fc
      .tuple(fc.constantFrom('INVITE', 'ACK', 'x'), piece)
      .map(([m, uri]) => `${m} sip:${uri} SIP/2.0`);
    const status = fc.oneof(fc.integer({ min: 0, max: 1200 }).map(String), fc.constantFrom('06a', '2x0', '٢٠٠'));
    const statusLine = fc.tuple(status, piece).map(([s, reason]) => `SIP/2.0 ${s} ${reason}`);
    fc.assert(
      fc.property(fc.oneof(requestLine, statusLine), fc.constantFrom('\r\n', '\n', ' \r\n', ''), (line, lineEnd) => {
        const rest = 'Call-ID: a\r\nCSeq: 1 INVITE\r\n\r\n';
        const usual = Buffer.from(`${line}${lineEnd}${rest}`, 'latin1');
        const small = Buffer.from(`${line.replace('SIP/2.0', 'sip/2.0')}${lineEnd}${rest}`, 'latin1');
        assert.deepEqual(scanSip(usual, 0, usual.length), scanSip(small, 0, small.length));
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with the full parse on the fields both have', () => {
    fc.assert(
      fc.property(hostile, (bytes) => {
        const scan = scanSip(bytes, 0, bytes.length);
        const result = parseSip(bytes, 0, bytes.length);
        assert.equal(result.ok, scan.code === SCAN.OK);
        if (!result.ok) return;
        const m = result.value;
        const text = (start: number, end: number): string =>
          start < 0 ? '' : unfold(bytes.toString('latin1', start, end));
        const first = (id: number): string => {
          const raw = m.header(id)?.raw ?? '';
          return unfold(Buffer.from(raw, 'utf8').toString('latin1'));
        };
        // Bytes above 127 may be read as UTF-8 by one side only; the shared fields are compared when they are ASCII.
        if (bytes.some((byte) => byte > 0x7f)) return;
        assert.equal(m.headers.length, scan.headerCount);
        assert.equal(m.callId, text(scan.callIdStart, scan.callIdEnd));
        assert.equal(first(HEADER.FROM), text(scan.fromStart, scan.fromEnd));
        assert.equal(first(HEADER.TO), text(scan.toStart, scan.toEnd));
        assert.equal(first(HEADER.CONTENT_TYPE), text(scan.contentTypeStart, scan.contentTypeEnd));
        assert.equal(first(HEADER.EVENT), text(scan.eventStart, scan.eventEnd));
        assert.equal(first(HEADER.REFER_TO), text(scan.referToStart, scan.referToEnd));
        assert.equal(first(HEADER.CONTACT), text(scan.contactStart, scan.contactEnd));
        assert.equal(m.body.length, scan.bodyEnd - scan.bodyStart);
        assert.equal(m.cseq?.method ?? '', text(scan.cseqMethodStart, scan.cseqMethodEnd));
        assert.equal(scan.notes & ~m.notes, 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with the full parse on tags and branches of well-formed values', () => {
    const token = fc.stringMatching(/^[A-Za-z0-9.-]{1,20}$/);
    const value = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const others = fc.array(
      fc.tuple(value, value).map(([name, text]) => `;p${name}=${text}`),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(token, token, others, others, fc.boolean(), (tag, branch, before, after, isFolded) => {
        const gap = isFolded ? '\r\n ' : '';
        const bytes = Buffer.from(
          [
            'BYE sip:a@b SIP/2.0',
            `From: "x;tag=no" <sip:a@b;tag=no>${before.join('')}${gap};tag=${tag}${after.join('')}`,
            `Via: SIP/2.0/UDP h${before.join('')};${gap}branch=${branch}${after.join('')}, SIP/2.0/UDP i;branch=no`,
            '\r\n',
          ].join('\r\n'),
        );
        const scan = scanSip(bytes, 0, bytes.length);
        assert.equal(scan.code, SCAN.OK);
        assert.equal(bytes.toString('latin1', scan.fromTagStart, scan.fromTagEnd), tag);
        assert.equal(bytes.toString('latin1', scan.branchStart, scan.branchEnd), branch);
        const result = parseSip(bytes, 0, bytes.length);
        assert.ok(result.ok);
        assert.equal(result.value.vias[0]?.branch, branch);
      }),
    );
  });
});

describe('SIP value readers under hostile input', () => {
  it('never throw on text', () => {
    const text = fc.oneof(
      fc.string(),
      hostile.map((bytes) => bytes.toString('latin1')),
    );
    fc.assert(
      fc.property(text, (value) => {
        for (const piece of splitValues(value).values) assert.notEqual(piece.trim(), '');
        parseNameAddr(value);
        expiresOf(value);
        parseVia(value);
        parseUri(value);
        parseUri(`sip:${value}`);
      }),
      { numRuns: 1000 },
    );
  });

  it('never throw on bytes, and stay inside them', () => {
    fc.assert(
      fc.property(hostile, anyBytes, (bytes, after) => {
        const slab = Buffer.concat([bytes, after]);
        const inside = new Party();
        const alone = new Party();
        inside.read(slab, 0, bytes.length);
        alone.read(bytes, 0, bytes.length);
        assert.equal(stringOf(inside.user), stringOf(alone.user));
        assert.equal(inside.display, alone.display);
        const scan = scanSip(bytes, 0, bytes.length);
        const span = new ByteSpan();
        if (scan.code === SCAN.OK && findSdp(bytes, scan, span)) {
          assert.ok(span.start >= scan.bodyStart && span.start <= span.end && span.end <= scan.bodyEnd);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
