/** What is written at once as JSON is what the careful way writes, and nothing that it would hide. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { harmlessJson } from '../../../../src/protocols/sip/harmless-json.ts';
import { withoutSecrets } from '../../../../src/protocols/sip/redaction.ts';

function careful(bytes: Buffer): string {
  return JSON.stringify(withoutSecrets(bytes.toString('utf8'))).slice(1, -1);
}

const PLAIN = [
  'INVITE sip:bob@example.com SIP/2.0',
  'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKauk;rport',
  'From: "Bob \\"B\\" \\\\ x" <sip:bob@192.0.2.1:5060>;tag=a',
  'Contact: <sip:bob@192.0.2.1;transport=udp>,\t<sips:b@[2001:db8::1]:5061>',
  'User-Agent: Aut 1.0 (back-ups)',
  'Content-Length: 0',
].join('\r\n');

test('a message with nothing to hide is written at once, with its body or without', () => {
  const bytes = Buffer.from(`${PLAIN}\r\n\r\nv=0\r\na=rtpmap:0 PCMU/8000\r\n`);
  assert.equal(harmlessJson(bytes, true), careful(bytes));
  const headers = bytes.subarray(0, bytes.indexOf('v=0'));
  assert.equal(harmlessJson(bytes, false), careful(headers));
  const bare = Buffer.from(PLAIN.replaceAll('\r\n', '\n'));
  assert.equal(harmlessJson(bare, false), careful(bare), 'no empty line');
  const feeds = Buffer.from(`${bare.toString()}\n\nk=x`);
  assert.equal(harmlessJson(feeds, false), careful(Buffer.from(`${bare.toString()}\n\n`)));
});

test('whatever may be a secret, is no ASCII or too long is left to the careful way', () => {
  for (const line of [
    'Authorization: Digest response="S3CR3T"',
    'x-aUtHx: 1',
    'Response-Key: S3CR3T',
    'To: <sip:bob:S3CR3T@example.com>',
    'To: <sip:x?proxy-authorization=S3CR3T>',
    'k=base64:S3CR3T',
    '\t K=S3CR3T',
    'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:S3CR3T',
    'A=Key-Mgmt:S3CR3T',
    'a=ice-pwd:S3CR3T',
    'a=3ge2ae:S3CR3T',
    'Subject: \u00e0',
    'Subject: \u0000',
    'x'.repeat(17_000),
  ])
    assert.equal(harmlessJson(Buffer.from(`${PLAIN}\r\n${line}\r\n\r\n`), true), null, line.slice(0, 40));
});

const pieces = fc.constantFrom(
  ...[
    '\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    '<',
    '>',
    '"',
    '\\',
    ':',
    '@',
    ';',
    '=',
    '-',
    '?',
    '&',
    ',',
    '\u2028',
    '\u017f',
    '\u0007',
  ],
  ...['sip', 'SIPS', 'auth', 'AUTH', 'orization', 'Authenticate', 'p-', 'proxy-', 'response-key', 'a', 'k', 'K', 'A'],
  ...['crypto:1 x ', 'key-mgmt:', 'ice-pwd:', '3ge2ae:', 'user', 'host', 'tag', 'x'],
);

test('texts of any pieces: written at once they are what the careful way writes', () => {
  let written = 0;
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 24 }), (list) => {
      const bytes = Buffer.from(list.join(''));
      const json = harmlessJson(bytes, true);
      if (json === null) return;
      written++;
      assert.equal(json, careful(bytes));
    }),
    { numRuns: 20_000 },
  );
  assert.ok(written > 1_000, `${written}`);
});

test('a message of nothing but @ is read in no more time than another', () => {
  const took = (text: string): number => {
    const bytes = Buffer.from(text.repeat(16_000));
    let leastMs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 20; i++) {
      const began = performance.now();
      assert.notEqual(harmlessJson(bytes, true), null);
      leastMs = Math.min(leastMs, performance.now() - began);
    }
    return leastMs;
  };
  took('x');
  // Quadratic it would be thousands of times as long.
  assert.ok(took('@') < 100 * took('x') + 5);
});
