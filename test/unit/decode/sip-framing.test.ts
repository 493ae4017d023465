/** SIP messages on a stream begin and end where RFC 3261 section 18.3 says. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headersEnd, START, sipStart } from '../../../src/decode/sip-framing.ts';
import { contentLength } from '../../../src/protocols/sip/scanner/scan.ts';
import { bytes } from './tcp/tcp-fixture.ts';

const start = (text: string) => sipStart(bytes(text), 0, text.length);
const close = (text: string, from = 0) => headersEnd(bytes(text), from, text.length);
const length = (text: string) => contentLength(bytes(text), 0, text.length);
const ABSENT = -1;
const BAD = -2;

describe('sipStart', () => {
  for (const text of [
    'INVITE sip:a@b SIP/2.0\r\n',
    'SIP/2.0 200 OK\r\n',
    'SIP/2.0 200\r\n',
    'OPTIONS sip:a SIP/2.0\n',
    'sip/2.0 404 x',
    "!interesting-Method0123456789_*+`.%indeed'~ sip:a@b SIP/2.0\r\n",
    'INVITE  sip:a@b   SIP/7.0  \r\n',
  ]) {
    it(`yes: ${JSON.stringify(text)}`, () => assert.equal(start(text), START.YES));
  }
  for (const text of ['', 'S', 'SIP/2', 'SIP/2.0 20', 'INV', 'INVITE sip:a@b SIP/2.0\r', 'INVITE sip:']) {
    it(`maybe: ${JSON.stringify(text)}`, () => assert.equal(start(text), START.MAYBE));
  }
  for (const text of [
    'GET / HTTP/1.1\r\n',
    'SIP/2.0 2xx\r\n',
    'SIP/2.0 2000\r\n',
    ' INVITE sip:a SIP/2.0\r\n',
    'INVITE SIP/2.0\r\n',
    '\x16\x03\x01',
    'INVITE sip:a@b\r\n',
    `${'A'.repeat(65)} sip:a SIP/2.0\r\n`,
    `INVITE ${'a'.repeat(5_000)}`,
    'Via: SIP/2.0/UDP h\r\n',
  ]) {
    it(`no: ${JSON.stringify(text.slice(0, 40))}`, () => assert.equal(start(text), START.NO));
  }
});

describe('headersEnd', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['a\r\n\r\nb', 5],
    ['a\n\nb', 3],
    ['a\n\r\nb', 4],
    ['ab\r\n\r\n', 6],
    ['ab\n\n', 4],
    ['a\r\nb\r\n', -1],
    ['a\r\n\r', -1],
    ['', -1],
    ['a\r\r\nb\n\nc\r\n\r\n', 7],
  ];
  for (const [text, at] of rows) it(JSON.stringify(text), () => assert.equal(close(text), at));

  it('finds the same place from every earlier start', () => {
    const text = `${'line\r\n'.repeat(7)}\r\nbody\n\n`;
    for (let from = 0; from <= 40; from++) assert.equal(close(text, from), 44, `from ${from}`);
  });
});

describe('contentLength', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['BYE sip:y SIP/2.0\r\nContent-Length: 12\r\n\r\n', 12],
    ['BYE sip:y SIP/2.0\r\nl:7\r\nVia: a\r\n\r\n', 7],
    ['BYE sip:y SIP/2.0\r\nCONTENT-LENGTH \t:\t5 \r\n\r\n', 5],
    ['BYE sip:y SIP/2.0\r\nL : 8\n\n', 8],
    ['BYE sip:y SIP/2.0\r\nContent-Length:\r\n 9\r\n\r\n', 9],
    ['BYE sip:y SIP/2.0\r\nContent-Length: \r\n\r\n', BAD],
    ['BYE sip:y SIP/2.0\r\nContent-Length: -1\r\n\r\n', BAD],
    ['BYE sip:y SIP/2.0\r\nContent-Length: 1 2\r\n\r\n', BAD],
    ['BYE sip:y SIP/2.0\r\nContent-Language: en\r\nContact: 9\r\n\r\n', ABSENT],
    ['l: 5\r\n\r\n', ABSENT],
    ['BYE sip:y SIP/2.0\r\nl: 3\r\nl: 4\r\n\r\n', 3],
    ['BYE sip:y SIP/2.0\r\nContent-Length: 00012\r\n\r\n', 12],
  ];
  for (const [text, value] of rows) it(JSON.stringify(text), () => assert.equal(length(text), value));

  it('takes no number that no body has', () => {
    assert.equal(length(`BYE sip:y SIP/2.0\r\nl: ${'9'.repeat(500)}\r\n\r\n`), BAD);
  });
});
