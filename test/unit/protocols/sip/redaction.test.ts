/** What proves an identity or opens a call never leaves with a message, however it is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maskSecrets, withoutSecrets } from '../../../../src/protocols/sip/redaction.ts';

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

test('masked, a message has the same length and all else at its place', () => {
  const lines: readonly (readonly [string, string])[] = [
    ['INVITE sip:bob@example.com SIP/2.0', 'INVITE sip:bob@example.com SIP/2.0'],
    ['Authorization: Digest a="S3CR3T",\r\n b="S3CR3T"', 'Authorization: xxxxxx xxxxxxxxxxx\r\n xxxxxxxxxx'],
    ['WWW-Authenticate:', 'WWW-Authenticate:'],
    ['Contact: <sip:\u00e0:S3CR3T@192.0.2.1>', 'Contact: <sip:\u00e0:xxxxxx@192.0.2.1>'],
    [
      'Refer-To: <sip:x@y?Authorization=S3C\u00e0R3T&Subject=y>',
      'Refer-To: <sip:x@y?Authorization=xxxxxxxx&Subject=y>',
    ],
    ['', ''],
    ['a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:S3CR3T', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 ${'x'.repeat(13)}`],
    ['k=base64:S3CR3T', `k=${'x'.repeat(13)}`],
    ['a=ice-pwd:S3CR3T', 'a=ice-pwd:xxxxxx'],
  ];
  const given = Buffer.from(lines.map(([line]) => line).join('\r\n'));
  const hidden = maskSecrets(given);
  assert.equal(hidden.toString(), lines.map(([, line]) => line).join('\r\n'));
  assert.equal(hidden.length, given.length);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (noise, at) => {
      const bytes = Buffer.concat([noise.subarray(0, at), given, noise.subarray(at)]);
      const out = maskSecrets(bytes);
      assert.equal(out.length, bytes.length);
      for (const [i, byte] of out.entries()) assert.ok(byte === bytes[i] || byte === 0x78, `byte ${i}`);
    }),
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

test('a password is found behind a user part of any length, and no further than its word', () => {
  const user = 'u'.repeat(600);
  assert.equal(withoutSecrets(`<sip:${user}:${SECRET}@h>`), `<sip:${user}:[removed]@h>`);
  assert.equal(withoutSecrets(`sips:a:${SECRET.repeat(100)}@h`), 'sips:a:[removed]@h');
  for (const text of ['sip:a@h:5060', '<sip:h:5060> "x@y"', 'sip::x@h', 'sip:a:@h', 'tel:a:b@h', 'sip:a b:c@h'])
    assert.equal(withoutSecrets(text), text);
  assert.equal(withoutSecrets(`x-sip:sip:a:${SECRET}@h`), 'x-sip:sip:[removed]@h');
});

test('a name that means credentials is known wherever a line may begin', () => {
  for (const name of ['P-Auth-Token', 'p-asserted-auth', 'P-XAuthY', 'Response-Key', 'Proxy-Authentication-Info'])
    assert.equal(
      withoutSecrets(`A: b\r\n ${name} : ${SECRET}\r\n x\r\nC: d\r\n`),
      `A: b\r\n ${name} : [removed]\r\nC: d\r\n`,
    );
  assert.equal(withoutSecrets('P-Access: x\r\nXAuthorization: y\r\n'), 'P-Access: x\r\nXAuthorization: y\r\n');
});

// Each took a multiple of its length before, some of them minutes at this one.
for (const [what, piece] of [
  ['a name that nearly means credentials', `p-${'auth'.repeat(8)}`],
  ['names without a colon', 'auth'],
  ['schemes without a password', 'sip:'],
  ['users without a password', 'sip:a:'],
  ['ends of passwords', '@'],
  ['blanks', ' '],
  ['keys that are none', 'a=crypto:'],
] as const)
  test(`two million characters of ${what} are read once`, { timeout: 20_000 }, () => {
    const text = `X: ${piece.repeat(2_000_000 / piece.length)}`;
    assert.equal(withoutSecrets(`\n${text}\n${text.slice(3)}`).length, 2 * text.length - 1);
  });
