/** The compiled scanner and its memory: nothing outside a message counts, nothing stays of the last, nothing grows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashBytes } from '../../../../src/core/hash.ts';
import { noteNames } from '../../../../src/protocols/sip/notes.ts';
import { SCAN, SipScan, scanSip } from '../../../../src/protocols/sip/scanner/scan.ts';
import { MAX_HEADERS, MAX_MESSAGE_BYTES } from '../../../../src/protocols/sip/scanner/scan-bounds.ts';
import { INPUT_BYTES, JOBS } from '../../../../src/protocols/sip/scanner/scan-layout.ts';
import { SipScanner, sipScanner } from '../../../../src/protocols/sip/scanner/scanner.ts';
import { INVITE, message, scanned } from './messages.ts';

const SHORT = message(['SIP/2.0 200 OK', 'Call-ID: x', 'CSeq: 1 BYE', 'To: <sip:a@b>;tag=t']);
/** What would go on with any value, name or line that the scanner read too far. */
const AROUND = [
  '0',
  ';tag=x',
  ' SIP/2.0',
  '\r\n ',
  '\r\nCall-ID: other\r\n\r\n',
  '\r',
  '\n',
  '\0',
  ':',
  '>',
  '"',
  'a@b',
];
const around = fc.constantFrom(...AROUND.map((text) => Buffer.alloc(200, text, 'latin1')));

/** A piece of a message, so that the end comes anywhere in its lines. */
const piece = fc
  .tuple(fc.constantFrom(INVITE, SHORT), fc.nat({ max: 500 }))
  .map(([bytes, length]) => bytes.subarray(0, Math.min(length, bytes.length)));

/** Bytes of a message of which a few are others, as those that mean something are. */
const damaged = fc
  .tuple(
    piece,
    fc.array(
      fc.tuple(fc.nat({ max: 500 }), fc.constantFrom(...Buffer.from('\r\n\t\0 ;:,<>"?@=\\aZ~\x7f\x80\xff', 'latin1'))),
    ),
  )
  .map(([bytes, changes]) => {
    const copy = Buffer.from(bytes);
    for (const [at, byte] of changes) if (at < copy.length) copy[at] = byte;
    return copy;
  });

/** The numbers of a scan with offsets as from `start`. */
function numbers(bytes: Uint8Array, start: number, end: number): number[] {
  const scan = scanSip(bytes, start, end);
  // Offsets and -1 stand behind the first sixteen numbers, but for the CSeq number, Content-Length and Expires.
  return [...scan.ints].map((n, i) => (i >= 16 && n >= 0 && ![40, 43, 48].includes(i) ? n - start : n));
}

test('bytes before and behind a message change nothing of its scan', () => {
  fc.assert(
    fc.property(damaged, around, around, fc.nat({ max: 200 }), (bytes, before, behind, lead) => {
      const plain = numbers(Buffer.from(bytes), 0, bytes.length);
      const buf = Buffer.concat([before.subarray(0, lead), bytes, behind]);
      assert.deepEqual(numbers(buf, lead, lead + bytes.length), plain);
    }),
    { numRuns: 10_000 },
  );
});

test('the messages of a group know nothing of each other, nor of those of the group before', () => {
  const scanner = new SipScanner();
  const results = Array.from({ length: JOBS }, (_, i) => new SipScan(scanner.result(i)));
  const member = fc.record({ bytes: piece, gap: fc.constantFrom(0, 1, 15, 3000), isElsewhere: fc.boolean() });
  fc.assert(
    fc.property(fc.array(member, { maxLength: JOBS }), around, (members, filler) => {
      const slab = Buffer.concat(members.flatMap(({ bytes, gap }) => [bytes, Buffer.alloc(gap, filler)]));
      const places: [buf: Buffer, start: number, end: number][] = [];
      let at = 0;
      for (const { bytes, gap, isElsewhere } of members) {
        places.push(isElsewhere ? [bytes, 0, bytes.length] : [slab, at, at + bytes.length]);
        at += bytes.length + gap;
      }
      for (const [i, place] of places.entries()) assert.ok(scanner.add(...place, i));
      scanner.scan();
      for (const [i, place] of places.entries()) {
        const { ints } = scanSip(...place);
        assert.deepEqual(results[i]?.ints.subarray(0, ints.length), ints);
      }
    }),
    { numRuns: 500 },
  );
});

test('a group that is full says so and scans what it has', () => {
  const scanner = new SipScanner();
  const large = message(['BYE sip:a@b SIP/2.0', 'Call-ID: large', `X: ${'x'.repeat(65_000)}`]);
  const fits = Math.floor(INPUT_BYTES / large.length);
  for (let i = 0; i < fits; i++) assert.ok(scanner.add(Buffer.from(large), 0, large.length, i));
  assert.ok(!scanner.add(Buffer.from(large), 0, large.length, fits));
  scanner.scan();
  for (let i = 0; i < fits; i++) {
    const scan = new SipScan(scanner.result(i));
    assert.equal(scan.code, SCAN.OK);
    assert.equal(large.toString('latin1', scan.callIdStart, scan.callIdEnd), 'large');
  }
  assert.ok(scanner.add(large, 0, large.length, 0));
  scanner.scan();
});

test('a datagram that is too long for any message is refused unread, beside others', () => {
  const scanner = new SipScanner();
  const long = Buffer.alloc(INPUT_BYTES * 2, 'a');
  assert.ok(scanner.add(SHORT, 0, SHORT.length, 0));
  assert.ok(scanner.add(long, 0, long.length, 1));
  assert.ok(scanner.add(SHORT, 0, SHORT.length, 2));
  scanner.scan();
  const codes = [0, 1, 2].map((i) => new SipScan(scanner.result(i)).code);
  assert.deepEqual(codes, [SCAN.OK, SCAN.TOO_LONG, SCAN.OK]);
  assert.equal(scanSip(long, 0, long.length).code, SCAN.TOO_LONG);
});

test('the largest message is read to its last byte', () => {
  const head = 'BYE sip:a@b SIP/2.0\r\nX: ';
  const tail = '\r\nCall-ID: last\r\n\r\n';
  const bytes = Buffer.from(head + 'x'.repeat(MAX_MESSAGE_BYTES - head.length - tail.length) + tail);
  assert.equal(bytes.length, MAX_MESSAGE_BYTES);
  const scan = scanned(bytes);
  assert.equal(bytes.toString('latin1', scan.callIdStart, scan.callIdEnd), 'last');
  assert.equal(scan.messageEnd, bytes.length);
});

test('each header stands in the table, up to the last one a message may have', () => {
  const lines = Array.from({ length: MAX_HEADERS }, (_, i) => `X-${i}:${' '.repeat(i % 3)}v${i}`);
  // A cut message may have one header more: no empty line counts.
  const cut = Buffer.from(['BYE sip:a@b SIP/2.0', ...lines, 'Last: y', ''].join('\r\n'));
  for (const bytes of [message(['BYE sip:a@b SIP/2.0', ...lines]), cut]) {
    const seen: string[] = [];
    scanned(bytes).forEachHeader((a, b, c, d) => {
      seen.push(`${bytes.toString('latin1', a, b)}=${bytes.toString('latin1', c, d)}`);
    });
    const wanted = lines.map((_, i) => `X-${i}=v${i}`);
    assert.deepEqual(seen, bytes === cut ? [...wanted, 'Last=y'] : wanted);
  }
});

test('the memory does not grow, and the hash of a Call-ID is that of the tables', () => {
  const before = sipScanner().result(0).buffer.byteLength;
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zA-Z0-9@.~-]{1,80}$/), (callId) => {
      const bytes = message(['BYE sip:a@b SIP/2.0', `Call-ID: ${callId}`]);
      const scan = scanned(bytes);
      assert.equal(scan.callIdHash, hashBytes(bytes, scan.callIdStart, scan.callIdEnd));
    }),
  );
  assert.equal(scanned(message(['BYE sip:a@b SIP/2.0'])).callIdHash, 0);
  assert.equal(sipScanner().result(0).buffer.byteLength, before);
  assert.ok(before < 1024 * 1024);
});

test('a name is one only in front of its colon, with blanks between them or without', () => {
  for (const colon of [':', ' :', '\t:', '  \t :']) {
    const scan = scanned(message(['BYE sip:a@b SIP/2.0', `Call-ID${colon} x`, `Y${colon}`, `To${colon} <sip:a@b>`]));
    assert.ok(scan.toStart > 0 && scan.callIdStart > 0);
    assert.equal(scan.headerCount, 3);
    assert.deepEqual(noteNames(scan.notes).includes('badHeaderLine'), false);
  }
  for (const line of ['To', 'To ', 'To\t', ': <sip:a@b>', ' ', 'To <sip:a@b>', 'T\u00e9: x', 'To x: y']) {
    const scan = scanned(message(['BYE sip:a@b SIP/2.0', 'Call-ID: x', 'X: y', line, 'CSeq: 1 BYE']));
    assert.equal(scan.toStart, -1, line);
    assert.equal(scan.cseq, 1);
    // A line that begins with a blank goes on with the one before.
    assert.equal(noteNames(scan.notes).includes('badHeaderLine'), line !== ' ', line);
  }
});
