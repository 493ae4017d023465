/** What proves an identity or opens a call never leaves with a message, however it is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutSecrets } from '../../../src/sip/redaction.ts';

const SECRET = 'S3CR3T';

test('credentials, challenges, keys and passwords are taken out, the rest stays as it was', () => {
  const text = [
    'REGISTER sip:example.com SIP/2.0',
    `Authorization: Digest username="a", response="${SECRET}"`,
    `PROXY-AUTHORIZATION : Digest response="${SECRET}",\r\n nonce="${SECRET}"`,
    `www-authenticate: Digest nonce="${SECRET}"`,
    `Proxy-Authenticate: Digest nonce="${SECRET}"`,
    `Authentication-Info: rspauth="${SECRET}"`,
    `Contact: <sip:alice:${SECRET}@192.0.2.1>`,
    `Refer-To: <sip:x@example.com?Proxy-Authorization=${SECRET}&Subject=y>`,
    'Content-Type: application/sdp',
    '',
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${SECRET}`,
    `k=base64:${SECRET}`,
    `a=ice-pwd:${SECRET}`,
    'a=rtpmap:0 PCMU/8000',
    '',
  ].join('\r\n');
  const out = withoutSecrets(text);
  assert.ok(!out.includes(SECRET), out);
  for (const kept of [
    'REGISTER sip:example.com SIP/2.0\r\n',
    'Subject=y>\r\n',
    'a=rtpmap:0 PCMU/8000\r\n',
    'AES_CM_128_HMAC_SHA1_80',
  ])
    assert.ok(out.includes(kept), kept);
  // Two continued lines became one.
  assert.equal(out.split('\r\n').length, text.split('\r\n').length - 1);
  assert.equal(
    withoutSecrets('INVITE sip:bob@example.com SIP/2.0\r\n\r\n'),
    'INVITE sip:bob@example.com SIP/2.0\r\n\r\n',
  );
});

test('whatever stands around it, the value of an Authorization header is gone', () => {
  const eol = fc.constantFrom('\r\n', '\n');
  const name = fc.constantFrom(
    'Authorization',
    'authorization',
    'PROXY-AUTHORIZATION',
    'Proxy-Authorization',
    'WWW-Authenticate',
  );
  const blank = fc.constantFrom('', ' ', '\t', '   ');
  const value = fc
    .array(fc.constantFrom(SECRET, ' ', '"', ',', '=', '\r', 'x', '\t'), { minLength: 1, maxLength: 12 })
    .map((p) => p.join(''));
  fc.assert(
    fc.property(eol, name, blank, value, fc.string(), (end, header, gap, secret, tail) => {
      fc.pre(!tail.includes(SECRET));
      const out = withoutSecrets(
        `INFO sip:x SIP/2.0${end}${header}${gap}:${gap}${secret}${end}Other: 1${end}${end}${tail}`,
      );
      assert.ok(!out.includes(SECRET), JSON.stringify(out));
      assert.ok(out.includes(`Other: 1${end}`));
    }),
  );
});
