/** Whatever the bytes, the SDP parser answers, keeps its bounds and lets no key out. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_CANDIDATES, MAX_FORMATS } from '../../src/protocols/sdp/attribute.ts';
import { codecNames } from '../../src/protocols/sdp/codecs.ts';
import { MAX_MEDIA, parseSdp } from '../../src/protocols/sdp/sdp.ts';

const LINES = [
  'v=0',
  'o=- 1 2 IN IP4 192.0.2.1',
  's=-',
  'c=IN IP4 192.0.2.1/127',
  'c=IN IP6 2001:db8::1',
  't=0 0',
  'a=sendonly',
  'a=group:BUNDLE a b',
  'm=audio 49170/2 RTP/AVP 0 8 101',
  'm=image 4000 udptl t38',
  'a=rtpmap:101 telephone-event/8000/1',
  'a=fmtp:101 0-15',
  'a=ptime:20',
  'a=rtcp:9 IN IP4 192.0.2.1',
  'a=candidate:1 1 UDP 1 192.0.2.1 9 typ host',
  'a=crypto:1 X inline:secretsecretsecretsecretsecret',
  'a=ssrc:1 cname:x',
];

const line = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...LINES) },
  fc.constantFrom(...LINES).chain((text) => fc.nat(text.length).map((at) => text.slice(0, at))),
  fc
    .tuple(fc.constantFrom(...LINES), fc.nat(60), fc.string({ maxLength: 3 }))
    .map(([text, at, insert]) => text.slice(0, at) + insert + text.slice(at + 1)),
  fc.string({ maxLength: 20 }),
);
const description = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('\r\n', '\n', '\r'))
  .map(([lines, end]) => Buffer.from(lines.join(end), 'latin1'));
const bytes = fc.oneof(
  description,
  fc.uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw)),
);

describe('parseSdp under hostile input', () => {
  it('never throws, keeps its bounds and lets no key out', () => {
    fc.assert(
      fc.property(bytes, (body) => {
        const result = parseSdp(body, 0, body.length);
        if (!result.ok) return;
        assert.ok(result.value.media.length <= MAX_MEDIA);
        for (const media of result.value.media) {
          assert.ok(media.formats.length <= MAX_FORMATS && media.candidates.length <= MAX_CANDIDATES);
          assert.ok(media.port >= 0 && media.port <= 65_535 && media.portCount >= 1);
          assert.equal(codecNames(media).length, media.formats.length);
          assert.ok(!media.cryptoSuites.some((suite) => suite.includes('secret')));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('gives the same answer whatever surrounds it', () => {
    fc.assert(
      fc.property(bytes, fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ maxLength: 20 }), (body, before, after) => {
        const slab = new Uint8Array(Buffer.concat([before, body, after]));
        assert.deepEqual(parseSdp(slab, before.length, before.length + body.length), parseSdp(body, 0, body.length));
      }),
      { numRuns: 1000 },
    );
  });
});
