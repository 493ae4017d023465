/** The scanner: what it finds, what it notes, how it frames datagrams, and its bounds. */

import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import * as METHOD from '../../../../src/core/methods.ts';
import { headerIdOf } from '../../../../src/protocols/sip/header-name.ts';
import { parseSip } from '../../../../src/protocols/sip/message.ts';
import { NOTE, noteNames } from '../../../../src/protocols/sip/notes.ts';
import { SCAN, SCAN_REASONS, type SipScan, scanSip } from '../../../../src/protocols/sip/scanner/scan.ts';
import { MAX_HEADERS, MAX_MESSAGE_BYTES, MAX_METHOD_BYTES } from '../../../../src/protocols/sip/scanner/scan-bounds.ts';
import { CSEQ, MAX_FORWARDS, OTHER_LEG } from '../../../../src/protocols/sip/seen-bits.ts';
import { assertBounded } from '../../../helpers/bounded.ts';
import { INVITE, INVITE_LINES, message, scanned, slice, withHeader } from './messages.ts';

function codeOf(text: string | Buffer): string {
  const bytes = Buffer.from(text);
  return scanSip(bytes, 0, bytes.length).reason;
}

function notesOf(lines: readonly string[], body = ''): string[] {
  return noteNames(scanned(message(lines, body)).notes);
}

test('every outcome has its name at its number, and nothing else is an outcome', () => {
  const codes: Readonly<Record<string, number>> = SCAN;
  assert.deepEqual(
    SCAN_REASONS.map((name) => codes[name.toUpperCase()]),
    [...SCAN_REASONS.keys()],
  );
});

describe('scanSip', () => {
  it('finds the parts of a request', () => {
    const scan = scanned(INVITE);
    assert.equal(scan.isRequest, true);
    assert.equal(scan.method, METHOD.INVITE);
    assert.equal(scan.status, 0);
    assert.equal(slice(INVITE, scan.messageStart, scan.startLineEnd), INVITE_LINES[0]);
    assert.equal(slice(INVITE, scan.methodStart, scan.methodEnd), 'INVITE');
    assert.equal(slice(INVITE, scan.uriStart, scan.uriEnd), 'sip:bob@biloxi.example.com');
    assert.equal(slice(INVITE, scan.versionStart, scan.versionEnd), 'SIP/2.0');
    assert.equal(slice(INVITE, scan.callIdStart, scan.callIdEnd), 'a84b4c76e66710@pc33.atlanta.example.com');
    assert.equal(slice(INVITE, scan.fromStart, scan.fromEnd), '"Alice" <sip:alice@atlanta.example.com>;tag=1928301774');
    assert.equal(slice(INVITE, scan.fromTagStart, scan.fromTagEnd), '1928301774');
    assert.equal(slice(INVITE, scan.toStart, scan.toEnd), 'Bob <sip:bob@biloxi.example.com>');
    assert.equal(scan.toTagStart, -1);
    assert.equal(slice(INVITE, scan.branchStart, scan.branchEnd), 'z9hG4bK776asdhds');
    assert.equal(scan.cseq, 314159);
    assert.equal(scan.cseqMethod, METHOD.INVITE);
    assert.equal(slice(INVITE, scan.cseqMethodStart, scan.cseqMethodEnd), 'INVITE');
    assert.equal(slice(INVITE, scan.contactStart, scan.contactEnd), '<sip:alice@pc33.atlanta.example.com>');
    assert.equal(scan.contactCount, 1);
    assert.equal(slice(INVITE, scan.userAgentStart, scan.userAgentEnd), 'softphone/1.0');
    assert.equal(slice(INVITE, scan.contentTypeStart, scan.contentTypeEnd), 'application/sdp');
    assert.equal(scan.contentLength, 4);
    assert.equal(scan.headerCount, 10);
    assert.equal(slice(INVITE, scan.bodyStart, scan.bodyEnd), 'v=0\n');
    assert.equal(scan.messageEnd, INVITE.length);
    assert.equal(scan.hasAuthorization, false);
    assert.equal(scan.expires, -1);
    assert.deepEqual(noteNames(scan.notes), []);
  });

  it('finds the parts of a response and takes its method from CSeq', () => {
    const bytes = message([
      'SIP/2.0 486 Busy Here Ω',
      'v: SIP/2.0/TCP [2001:db8::1]:5060;rport=5;branch=z9hG4bKabc, SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKdef',
      'f: sip:a@example.com;tag=f1',
      't: <sip:b@example.com>;x="a;tag=wrong";tag = t1 ;y',
      'i: 1@x',
      'CSeq: 7 NOTIFY',
      'Server: pbx',
      'Event: presence',
      'Subscription-State: terminated;reason=timeout',
      'Refer-To: <sip:c@example.com>',
      'Expires: 3600',
      'Proxy-Authorization: Digest x="y"',
      'm: <sip:a@b>, "c, d" <sip:e,f@g>',
      'Contact: *',
      'l: 0',
    ]);
    const scan = scanned(bytes);
    assert.equal(scan.isRequest, false);
    assert.equal(scan.status, 486);
    assert.equal(scan.method, METHOD.NOTIFY);
    assert.equal(slice(bytes, scan.reasonStart, scan.reasonEnd), 'Busy Here Ω');
    assert.equal(slice(bytes, scan.viaStart, scan.viaEnd), 'SIP/2.0/TCP [2001:db8::1]:5060;rport=5;branch=z9hG4bKabc');
    assert.equal(slice(bytes, scan.branchStart, scan.branchEnd), 'z9hG4bKabc');
    assert.equal(slice(bytes, scan.fromTagStart, scan.fromTagEnd), 'f1');
    assert.equal(slice(bytes, scan.toTagStart, scan.toTagEnd), 't1');
    assert.equal(slice(bytes, scan.userAgentStart, scan.userAgentEnd), 'pbx');
    assert.equal(slice(bytes, scan.eventStart, scan.eventEnd), 'presence');
    assert.equal(slice(bytes, scan.subscriptionStateStart, scan.subscriptionStateEnd), 'terminated;reason=timeout');
    assert.equal(slice(bytes, scan.referToStart, scan.referToEnd), '<sip:c@example.com>');
    assert.equal(scan.expires, 3600);
    assert.equal(scan.hasAuthorization, true);
    assert.equal(scan.contactCount, 3);
    assert.deepEqual(noteNames(scan.notes), ['compactForm']);
  });

  it('leaves nothing of the last message behind', () => {
    const small = message(['SIP/2.0 200 OK', 'Call-ID: x']);
    const fresh = scanned(small);
    scanned(INVITE);
    assert.deepEqual(scanned(small), fresh);
  });

  it('reads a message at any offset of a larger buffer without looking outside', () => {
    const slab = Buffer.alloc(INVITE.length + 200, ';tag=evil\r\nCall-ID: evil\r\n');
    for (let offset = 0; offset < 9; offset++) {
      INVITE.copy(slab, 100 + offset);
      const scan = scanSip(slab, 100 + offset, 100 + offset + INVITE.length);
      assert.equal(scan.code, SCAN.OK);
      assert.equal(slice(slab, scan.callIdStart, scan.callIdEnd), 'a84b4c76e66710@pc33.atlanta.example.com');
      assert.equal(scan.callIdStart - scanned(INVITE).callIdStart, 100 + offset);
    }
  });

  it('knows header names in any case, with blanks before the colon, and not by prefix', () => {
    const scan = scanned(message(['BYE sip:a@b SIP/2.0', 'CALL-id \t: one', 'Call-ID-X: two', 'cSEQ:1 BYE', 'To2: x']));
    assert.equal(scan.cseq, 1);
    assert.equal(scan.toStart, -1);
    assert.equal(noteNames(scan.notes).join(), 'noFrom,noTo,noVia');
    // Bytes that differ from a letter, hyphen or colon only in bit 5 are no part of a name.
    const bytes = message(['BYE sip:a@b SIP/2.0', 'Call\rID: x', 'Via\x1a x: y', 'From\x1a: z', 'Call-ID: real']);
    const odd = scanned(bytes);
    assert.equal(slice(bytes, odd.callIdStart, odd.callIdEnd), 'real');
    assert.equal(odd.viaStart, -1);
    assert.equal(odd.fromStart, -1);
    assert.ok(noteNames(odd.notes).includes('badHeaderLine'));
  });

  it('takes folded values and values that start on the next line', () => {
    const bytes = message([
      'BYE sip:a@b SIP/2.0',
      'Call-ID:',
      ' \t folded-id ',
      'CSeq: 4',
      '\tBYE',
      'From: <sip:a@b>',
      '  ;tag=x1',
      'To: sip:a@b',
      'Via: SIP/2.0/UDP h;branch=',
      ' z9hG4bK1',
    ]);
    const scan = scanned(bytes);
    assert.equal(slice(bytes, scan.callIdStart, scan.callIdEnd), 'folded-id');
    assert.equal(scan.cseq, 4);
    assert.equal(slice(bytes, scan.cseqMethodStart, scan.cseqMethodEnd), 'BYE');
    assert.equal(slice(bytes, scan.fromTagStart, scan.fromTagEnd), 'x1');
    assert.equal(slice(bytes, scan.branchStart, scan.branchEnd), 'z9hG4bK1');
    assert.deepEqual(noteNames(scan.notes), ['folded']);
  });

  it('takes LF alone and mixed line ends, with a note', () => {
    const bytes = Buffer.from('BYE sip:a@b SIP/2.0\nCall-ID: x\r\nCSeq: 1 BYE\n\nbody');
    const scan = scanned(bytes);
    assert.equal(slice(bytes, scan.callIdStart, scan.callIdEnd), 'x');
    assert.equal(slice(bytes, scan.bodyStart, scan.bodyEnd), 'body');
    assert.ok((scan.notes & NOTE.bareLf) !== 0);
  });

  it('takes the first of several singletons and says so', () => {
    const bytes = message([...INVITE_LINES, 'Call-ID: second', 'CSeq: 9 BYE'], 'v=0\n');
    const scan = scanned(bytes);
    assert.equal(scan.cseq, 314159);
    assert.equal(slice(bytes, scan.callIdStart, scan.callIdEnd), 'a84b4c76e66710@pc33.atlanta.example.com');
    assert.deepEqual(noteNames(scan.notes), ['duplicateSingletons']);
  });

  const NOTES: readonly [string, readonly string[], string[]][] = [
    ['no Call-ID', withHeader(INVITE_LINES, 'Call-ID', null), ['noCallId']],
    ['empty Call-ID', withHeader(INVITE_LINES, 'Call-ID', ''), ['noCallId']],
    ['no CSeq', withHeader(INVITE_LINES, 'CSeq', null), ['noCseq']],
    ['no From', withHeader(INVITE_LINES, 'From', null), ['noFrom']],
    ['no To', withHeader(INVITE_LINES, 'To', null), ['noTo']],
    ['no Via', withHeader(INVITE_LINES, 'Via', null), ['noVia']],
    ['CSeq of another method', withHeader(INVITE_LINES, 'CSeq', '1 BYE'), ['cseqMismatch']],
    ['CSeq in other case', withHeader(INVITE_LINES, 'CSeq', '1 invite'), ['cseqMismatch']],
    ['CSeq without method', withHeader(INVITE_LINES, 'CSeq', '1'), ['badCseq']],
    ['CSeq without blank', withHeader(INVITE_LINES, 'CSeq', '1INVITE'), ['badCseq']],
    ['CSeq of 2^31', withHeader(INVITE_LINES, 'CSeq', '2147483648 INVITE'), ['badCseq']],
    ['CSeq of 2^31-1', withHeader(INVITE_LINES, 'CSeq', '2147483647 INVITE'), []],
    ['negative length', withHeader(INVITE_LINES, 'Content-Length', '-4'), ['badContentLength']],
    ['length with junk', withHeader(INVITE_LINES, 'Content-Length', '4x'), ['badContentLength']],
    ['empty length', withHeader(INVITE_LINES, 'Content-Length', ''), ['badContentLength']],
    ['huge length', withHeader(INVITE_LINES, 'Content-Length', '99999999999999999999'), ['badContentLength']],
    ['length too long', withHeader(INVITE_LINES, 'Content-Length', '5'), ['bodyShort']],
    ['length too short', withHeader(INVITE_LINES, 'Content-Length', '3'), ['bodyExtra']],
    ['hops out of range', withHeader(INVITE_LINES, 'Max-Forwards', '256'), ['badNumber']],
    ['open quote', withHeader(INVITE_LINES, 'To', '"Bob <sip:bob@b>;tag=x'), ['unbalancedQuote']],
    ['open angle', withHeader(INVITE_LINES, 'To', '<sip:bob@b;tag=x'), ['badNameAddr']],
    ['stray semicolons', withHeader(INVITE_LINES, 'Via', 'SIP/2.0/UDP h;;branch=z9hG4bK1'), ['emptyParameter']],
    ['line without colon', [...INVITE_LINES, 'Foobar roobar'], ['badHeaderLine']],
    ['line without name', [...INVITE_LINES, ': x'], ['badHeaderLine']],
    ['expires beyond 32 bits', [...INVITE_LINES, 'Expires: 4294967296'], ['badNumber']],
    ['NUL in a value', [...INVITE_LINES, 'Subject: a\0b'], ['nulInHeaders']],
    ['CR in a value', [...INVITE_LINES, 'Subject: a\rb'], ['bareCr']],
    ['SIP/7.0', ['INVITE sip:bob@b SIP/7.0', ...INVITE_LINES.slice(1)], ['badVersion']],
    ['two blanks', ['INVITE  sip:bob@b SIP/2.0', ...INVITE_LINES.slice(1)], ['badStartLine']],
    ['blank at the end', ['INVITE sip:bob@b SIP/2.0 ', ...INVITE_LINES.slice(1)], ['badStartLine']],
    ['no version', ['INVITE sip:bob@b', ...INVITE_LINES.slice(1)], ['badStartLine', 'badVersion']],
    ['blank in the URI', ['INVITE sip:bob@b; lr SIP/2.0', ...INVITE_LINES.slice(1)], ['badRequestUri']],
    ['URI in angles', ['INVITE <sip:bob@b> SIP/2.0', ...INVITE_LINES.slice(1)], ['badRequestUri']],
    ['header part in the URI', ['INVITE sip:bob@b?a=b SIP/2.0', ...INVITE_LINES.slice(1)], ['badRequestUri']],
    ['question mark in the user', ['INVITE sip:bob?x@b SIP/2.0', ...INVITE_LINES.slice(1)], []],
    ['query of another scheme', ['INVITE http://x/?a=b SIP/2.0', ...INVITE_LINES.slice(1)], []],
    ['line ends in front', ['', '', ...INVITE_LINES], []],
    ['NULs in front', [`\0\0${INVITE_LINES[0]}`, ...INVITE_LINES.slice(1)], ['junkBeforeStart']],
  ];
  for (const [name, lines, expected] of NOTES) {
    it(`notes: ${name}`, () => assert.deepEqual(notesOf(lines, 'v=0\n'), expected));
  }

  it('gives no status that is not three digits', () => {
    for (const [line, status, isBad] of [
      ['SIP/2.0 200 OK', 200, false],
      ['SIP/2.0 200', 200, false],
      ['sip/2.0 200 OK', 200, false],
      ['SIP/2.0 4294967301 x', 0, true],
      ['SIP/2.0 20 x', 0, true],
      ['SIP/2.0 200x', 0, true],
      ['SIP/2.0 099 x', 99, true],
      ['SIP/2.0 700 x', 700, true],
    ] as const) {
      const scan = scanned(message([line, 'Call-ID: x']));
      assert.equal(scan.status, status, line);
      assert.equal((scan.notes & NOTE.badStatus) !== 0, isBad, line);
    }
    assert.deepEqual(noteNames(scanned(message(['SIP/2.0 200', 'Call-ID: x'])).notes)[0], 'badStartLine');
  });

  it('refuses what is no SIP', () => {
    for (const text of [
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\r\n',
      'RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n',
      'OPTIONS rtsp://a RTSP/1.0\r\nCSeq: 1\r\n\r\n',
      'INVITE\r\nCall-ID: x\r\n\r\n',
      'INVITE SIP/2.0\r\nCall-ID: x\r\n\r\n',
      'SIP/2.0 abc def\r\nCall-ID: x\r\n\r\n',
      'SIP/2.0\r\nCall-ID: x\r\n\r\n',
      'SIPX/2.0 200 OK\r\nCall-ID: x\r\n\r\n',
      '\x80\x60\x12\x34',
      `${'A'.repeat(MAX_METHOD_BYTES + 1)} sip:x SIP/2.0\r\nCall-ID: x\r\n\r\n`,
      `${' '.repeat(100)}INVITE sip:x SIP/2.0\r\nCall-ID: x\r\n\r\n`,
    ]) {
      assert.equal(codeOf(text), 'not_sip', JSON.stringify(text.slice(0, 40)));
    }
    for (const text of ['', '\r\n', '\r\n\r\n', '\0\0\0\0']) assert.equal(codeOf(text), 'empty');
  });

  it('reads a method of any length that a datagram can be sent with on purpose', () => {
    const text = `${'A'.repeat(4099)} sip:x SIP/2.0\r\nCall-ID: x\r\n\r\n`;
    assert.equal(codeOf(text), 'ok');
  });

  it('keeps the whole lines of a cut datagram and drops the half one', () => {
    const cut = INVITE.subarray(0, INVITE.indexOf('Call-ID') + 12);
    const scan = scanned(cut);
    assert.equal(scan.callIdStart, -1);
    assert.equal(slice(cut, scan.fromTagStart, scan.fromTagEnd), '1928301774');
    assert.equal(scan.bodyStart, cut.length);
    assert.equal(scan.messageEnd, cut.length);
    assert.deepEqual(noteNames(scan.notes), ['truncatedHeaders', 'noCallId', 'noCseq']);
    // Without a whole header there is nothing to keep.
    assert.equal(codeOf(INVITE.subarray(0, 20)), 'incomplete');
    assert.equal(codeOf(INVITE.subarray(0, INVITE.indexOf('Via:') + 10)), 'incomplete');
  });

  it('bounds message and header count', () => {
    const many = message([...INVITE_LINES, ...Array.from({ length: MAX_HEADERS }, () => 'X: y')]);
    assert.equal(codeOf(many), 'too_many_headers');
    assert.equal(codeOf(message(INVITE_LINES, 'x'.repeat(MAX_MESSAGE_BYTES))), 'too_long');
  });

  it('counts a URI, tag or name of any length', () => {
    const long = 'x'.repeat(20_000);
    const bytes = message([`INVITE sip:${long}@b SIP/2.0`, `From: <sip:a@b>;tag=${long}`, `${long}: y`, 'Call-ID: z']);
    const scan = scanned(bytes);
    assert.equal(scan.uriEnd - scan.uriStart, 20_006);
    assert.equal(scan.fromTagEnd - scan.fromTagStart, 20_000);
    assert.equal(scan.headerCount, 3);
  });

  it('keeps linear time on hostile values', () => {
    const quotes = '"'.repeat(60_000);
    for (const value of [
      quotes,
      `${'"\\'.repeat(30_000)}`,
      '<'.repeat(60_000),
      ';'.repeat(60_000),
      ',;"'.repeat(20_000),
    ]) {
      for (const name of ['From', 'To', 'Via', 'Contact']) {
        const bytes = message(['BYE sip:a@b SIP/2.0', `${name}: ${value}`]);
        assertBounded(50, `${name} ${value.slice(0, 6)}`, () => scanned(bytes));
      }
    }
  });
});

describe('the fast paths', () => {
  /** Headers a scan takes something from: what it shows when one of that name was there. */
  const SHOWS: readonly (readonly [names: string, shows: (scan: SipScan) => boolean])[] = [
    ['Via v', (scan) => scan.viaStart >= 0],
    ['From f', (scan) => scan.fromStart >= 0],
    ['To t', (scan) => scan.toStart >= 0],
    ['Call-ID i', (scan) => scan.callIdStart >= 0],
    ['CSeq', (scan) => (scan.seen & CSEQ) !== 0],
    ['Contact m', (scan) => scan.contactStart >= 0],
    ['Content-Type c', (scan) => scan.contentTypeStart >= 0],
    ['Content-Length l', (scan) => scan.contentLength !== -1],
    ['Max-Forwards', (scan) => (scan.seen & MAX_FORWARDS) !== 0],
    ['Expires', (scan) => scan.expires >= 0],
    ['User-Agent Server', (scan) => scan.userAgentStart >= 0],
    ['Event o', (scan) => scan.eventStart >= 0],
    ['Subscription-State', (scan) => scan.subscriptionStateStart >= 0],
    ['Refer-To r', (scan) => scan.referToStart >= 0],
    ['Session-ID', (scan) => scan.sessionIdStart >= 0],
    ['P-Charging-Vector', (scan) => scan.chargingStart >= 0],
    ['Reason', (scan) => scan.causeStart >= 0],
    ['X-Asterisk-HangupCause', (scan) => scan.hangupTextStart >= 0],
    ['X-Asterisk-HangupCauseCode', (scan) => scan.hangupCodeStart >= 0],
    ['Authorization Proxy-Authorization', (scan) => scan.hasAuthorization],
    ['Replaces X-Call-ID X-CID', (scan) => (scan.seen & OTHER_LEG) !== 0],
  ];
  const ROW_OF = new Map(SHOWS.flatMap(([names], row) => names.split(' ').map((name) => [headerIdOf(name), row])));

  it('know a header by its name alone, in any case, and nothing that is spelled otherwise', () => {
    for (const [names, shows] of SHOWS) {
      for (const name of names.split(' ')) {
        for (const spelled of [name, name.toLowerCase(), name.toUpperCase()]) {
          const head = 'BYE sip:a@b SIP/2.0\r\n';
          const bytes = Buffer.from(`${head}${spelled}: 17\r\nX: y\r\n\r\n`, 'latin1');
          assert.ok(shows(scanned(bytes)), spelled);
          for (let at = 0; at <= spelled.length; at++) {
            for (let byte = 0; byte < 256; byte++) {
              const wrong = Buffer.from(bytes);
              wrong[head.length + at] = byte;
              const scan = scanned(wrong);
              const ids = parseSip(wrong, 0, wrong.length);
              assert.ok(ids.ok);
              const rows = new Set(ids.value.headers.map(({ id }) => ROW_OF.get(id)));
              for (const [row, [, shown]] of SHOWS.entries())
                assert.equal(shown(scan), rows.has(row), `${spelled} with ${byte} at ${at}: ${SHOWS[row]?.[0]}`);
            }
          }
        }
      }
    }
  });

  it('say of a From or To what the long way says', () => {
    const tails = [
      '',
      ';tag=a',
      ';tag=',
      ';TAG=ab;x=1',
      ';tag="q"',
      ' ;tag=b',
      ';x=1;tag=c',
      '; tag=d',
      ';tag=e f',
      'x;tag=g',
      ';tag= h',
    ];
    for (const uri of ['sip:a@b', '', ' sip:a@b', 'sip:a@b ', 'sip:a;p=1@b'])
      for (const tail of tails) {
        const value = `<${uri}>${tail}`;
        // With a display name in front the value takes the long way.
        const [short, long] = ['', 'A '].map((name) => {
          const bytes = message(['BYE sip:a@b SIP/2.0', `To: ${name}${value}`]);
          const scan = scanned(bytes);
          return {
            tag: bytes.toString('latin1', scan.toTagStart, Math.max(scan.toTagStart, scan.toTagEnd)),
            notes: scan.notes,
          };
        });
        assert.deepEqual(short, long, value);
      }
  });
});
