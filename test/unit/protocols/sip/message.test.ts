/** The full parse with its getters and notes, and the name tables of methods and headers. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as METHOD from '../../../../src/core/methods.ts';
import { METHOD_NAMES } from '../../../../src/core/words.ts';
import { HEADER, HEADER_NAMES, headerIdOf } from '../../../../src/protocols/sip/header-name.ts';
import { parseSip, type SipMessage } from '../../../../src/protocols/sip/message.ts';
import { NOTE, noteNames } from '../../../../src/protocols/sip/notes.ts';
import { decodeText, percentDecode, unfold } from '../../../../src/protocols/sip/text.ts';
import { assertBounded } from '../../../helpers/bounded.ts';
import { INVITE, INVITE_LINES, message, scanned, withHeader } from './messages.ts';

function parsed(bytes: Buffer): SipMessage {
  const result = parseSip(bytes, 0, bytes.length);
  assert.ok(result.ok);
  return result.value;
}

/** What the start line and the CSeq of a request that names this method are taken for. */
function methodIds(name: string): [startLine: number, cseq: number] {
  const { method, cseqMethod } = scanned(message([`${name} sip:a@b SIP/2.0`, `CSeq: 1 ${name}`]));
  return [method, cseqMethod];
}

describe('parseSip', () => {
  it('keeps every header in order, as written, and knows its name', () => {
    const m = parsed(
      message([
        'BYE sip:a@b SIP/2.0',
        'i: 1@x',
        'MAX-forwards :  70 ',
        'X-Odd: one',
        'Subject:',
        'x-odd: tw\r\n o',
        'k: a',
      ]),
    );
    assert.deepEqual(
      m.headers.map((header) => [header.name, HEADER_NAMES[header.id], header.raw, header.value]),
      [
        ['i', 'Call-ID', '1@x', '1@x'],
        ['MAX-forwards', 'Max-Forwards', '70', '70'],
        ['X-Odd', '', 'one', 'one'],
        ['Subject', 'Subject', '', ''],
        ['x-odd', '', 'tw\r\n o', 'tw o'],
        ['k', 'Supported', 'a', 'a'],
      ],
    );
    assert.deepEqual(
      m.headersNamed('X-ODD').map((header) => header.value),
      ['one', 'tw o'],
    );
    assert.equal(m.headersNamed('s')[0]?.name, 'Subject');
  });

  it('reads a request through its getters', () => {
    const m = parsed(INVITE);
    assert.equal(m.startLine, INVITE_LINES[0]);
    assert.equal(m.method, 'INVITE');
    assert.equal(m.version, 'SIP/2.0');
    assert.equal(m.requestUri?.user, 'bob');
    assert.equal(m.reasonPhrase, '');
    assert.equal(m.callId, 'a84b4c76e66710@pc33.atlanta.example.com');
    assert.deepEqual(m.cseq, { number: 314159, method: 'INVITE' });
    assert.equal(m.from?.displayName, 'Alice');
    assert.equal(m.to?.displayName, 'Bob');
    assert.equal(m.contacts[0]?.uri?.host, 'pc33.atlanta.example.com');
    assert.equal(m.vias[0]?.branch, 'z9hG4bK776asdhds');
    assert.equal(m.number(HEADER.MAX_FORWARDS), 70);
    assert.equal(m.number(HEADER.MAX_FORWARDS, 60), null);
    assert.equal(m.number(HEADER.EXPIRES), null);
    assert.equal(Buffer.from(m.body).toString(), 'v=0\n');
    assert.equal(m.bodyOffset, INVITE.length - 4);
    assert.equal(m.isMalformed, false);
  });

  it('owns its texts: the buffer may be reused', () => {
    const copy = Buffer.from(INVITE);
    const m = parsed(copy);
    copy.fill(0);
    assert.equal(m.callId, 'a84b4c76e66710@pc33.atlanta.example.com');
    assert.equal(Buffer.from(m.body).toString(), 'v=0\n');
    assert.equal(m.from?.displayName, 'Alice');
  });

  it('gives null for headers that are absent or cannot be read', () => {
    const m = parsed(message(['BYE <sip:a@b> SIP/2.0', 'Via: nonsense', 'From: ', 'Contact: ;x']));
    assert.equal(m.from, null);
    assert.equal(m.to, null);
    assert.equal(m.cseq, null);
    assert.deepEqual(m.vias, []);
    assert.deepEqual(m.contacts, []);
    assert.equal(m.callId, '');
    assert.equal(m.requestUri?.user, 'a');
  });

  it('refuses with the reason of the scanner', () => {
    assert.deepEqual(parseSip(Buffer.from('hello world\r\n'), 0, 13), { ok: false, reason: 'not_sip' });
    assert.deepEqual(parseSip(INVITE, 0, 20), { ok: false, reason: 'incomplete' });
  });

  const VALUE_NOTES: readonly [string, readonly string[], string[]][] = [
    ['zone of a date', [...INVITE_LINES, 'Date: Fri, 01 Jan 2010 16:00:00 EST'], ['badDate']],
    ['a legal date', [...INVITE_LINES, 'Date: Fri, 01 Jan 2010 16:00:00 GMT'], []],
    ['a warn code of four digits', [...INVITE_LINES, 'Warning: 1812 overture "In Progress"'], ['badNumber']],
    ['a legal warning', [...INVITE_LINES, 'Warning: 399 h "x"'], []],
    ['Retry-After beyond 32 bits', [...INVITE_LINES, 'Retry-After: 949302838503028349304023988'], ['badNumber']],
    ['Retry-After with a comment', [...INVITE_LINES, 'Retry-After: 18000;duration=3600 (hi)'], []],
    ['contact expiry', withHeader(INVITE_LINES, 'Contact', '<sip:a@b>;expires=280297596632815'), ['badNumber']],
    ['contact with ? and no < >', withHeader(INVITE_LINES, 'Contact', 'sip:a@b?x=y'), ['badNameAddr']],
    ['comma in a name', withHeader(INVITE_LINES, 'To', 'Bell, A <sip:a@b>'), ['badNameAddr']],
    ['second Via', [...INVITE_LINES, 'Via: SIP/2.0'], ['badVia']],
    ['received that is no address', withHeader(INVITE_LINES, 'Via', 'SIP/2.0/UDP h;branch=x;received=y'), ['badVia']],
    ['empty list value', withHeader(INVITE_LINES, 'Contact', '<sip:a@b>,,<sip:c@d>'), ['emptyParameter']],
    ['IPv6 without brackets', ['INVITE sip:a@2001:db8::1 SIP/2.0', ...INVITE_LINES.slice(1)], ['badRequestUri']],
  ];
  for (const [name, lines, expected] of VALUE_NOTES) {
    it(`notes in values: ${name}`, () => assert.deepEqual(parsed(message(lines, 'v=0\n')).noteNames, expected));
  }

  it('keeps linear time on values made to be slow', () => {
    const values = [
      `1${' '.repeat(60_000)}\rx`,
      '"'.repeat(60_001),
      '<'.repeat(60_000),
      ',"'.repeat(30_000),
      ';a="\\"'.repeat(10_000),
      '\r\n '.repeat(20_000),
      '%'.repeat(60_000),
      '['.repeat(60_000),
    ];
    for (const value of values) {
      for (const name of ['CSeq', 'From', 'Contact', 'Via', 'Date', 'Warning', 'Content-Type']) {
        const bytes = message(['BYE sip:a@b SIP/2.0', `${name}: x${value}`, 'To: sip:a@b']);
        assertBounded(250, `${name} ${JSON.stringify(value.slice(0, 6))}`, () => {
          const m = parsed(bytes);
          void [m.from, m.contacts, m.vias, m.cseq, m.bodyParts()];
        });
      }
    }
  });
});

describe('method names', () => {
  it('round-trips every method and is case-sensitive', () => {
    for (const [name, id] of Object.entries(METHOD)) {
      if (id === METHOD.OTHER) continue;
      assert.equal(METHOD_NAMES[id], name);
      assert.deepEqual(methodIds(name), [id, id]);
      for (const other of [name.toLowerCase(), `${name}Y`, `x${name}`, name.slice(0, -1), `${name.slice(0, -1)}X`])
        assert.deepEqual(methodIds(other), [METHOD.OTHER, METHOD.OTHER], other);
    }
    assert.deepEqual(methodIds('RE%47IST%45R'), [METHOD.OTHER, METHOD.OTHER]);
  });
});

describe('header names', () => {
  it('finds every name in any case, and no other', () => {
    for (const [id, name] of HEADER_NAMES.entries()) {
      if (id === 0) continue;
      for (const text of [name, name.toLowerCase(), name.toUpperCase()]) assert.equal(headerIdOf(text), id, text);
      assert.equal(headerIdOf(`${name}x`), HEADER.OTHER);
      assert.equal(headerIdOf(name.replace('-', '\r')), name.includes('-') ? HEADER.OTHER : id);
    }
    assert.equal(headerIdOf(''), HEADER.OTHER);
  });

  it('keeps the ids in step with the names', () => {
    for (const [key, id] of Object.entries(HEADER)) {
      if (id !== 0) assert.equal(HEADER_NAMES[id]?.toUpperCase().replaceAll('-', '_'), key);
    }
  });

  it('knows the registered compact forms', () => {
    const forms: Readonly<Record<string, string>> = {
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
    };
    for (let c = 0x61; c <= 0x7a; c++) {
      const letter = String.fromCharCode(c);
      assert.equal(HEADER_NAMES[headerIdOf(letter)], forms[letter] ?? '', letter);
      assert.equal(headerIdOf(letter.toUpperCase()), headerIdOf(letter));
    }
  });
});

describe('notes', () => {
  it('have one bit and one name each', () => {
    const bits = Object.values(NOTE);
    assert.equal(new Set(bits).size, bits.length);
    for (const bit of bits) assert.equal(bit & (bit - 1), 0);
    assert.deepEqual(noteNames(bits.reduce((all: number, bit) => all | bit, 0)), Object.keys(NOTE));
  });
});

describe('texts', () => {
  it('unfolds', () => {
    assert.equal(unfold('a\r\n b'), 'a b');
    assert.equal(unfold('a \t\r\n \t b\n\tc'), 'a b c');
    assert.equal(unfold('\r\n x'), ' x');
    assert.equal(unfold('x\r\n '), 'x');
    assert.equal(unfold('a\r\n \r\n b'), 'a b');
    assert.equal(unfold('plain'), 'plain');
  });

  it('decodes', () => {
    const bytes = Buffer.from('xxé\r\n yxx');
    assert.equal(decodeText(bytes, 2, bytes.length - 2), 'é y');
    assert.equal(decodeText(new Uint8Array([0x61, 0xe9]), 0, 2), 'aé');
    assert.equal(decodeText(bytes, -1, -1), '');
    assert.equal(percentDecode('%41%4a%zz%0a%7F%'), 'AJ%zz%0a%7F%');
  });
});
