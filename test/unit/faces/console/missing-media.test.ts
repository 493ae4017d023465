/** Which directions of media a call lacks: by its diagnosis, never by guess. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallDocument } from '../../../../src/contract/index.ts';
import { hostOf, missingMedia } from '../../../../src/faces/console/missing-media.ts';

const [START, ANSWER, END] = ['2026-01-01T10:00:00Z', '2026-01-01T10:00:02Z', '2026-01-01T10:00:09Z'];

function callWith(diagnosis: { one_way_audio?: boolean; no_media?: boolean }, port = 4000): CallDocument {
  const description = (direction: string, timestamp: string, media_addr: string, media_port: number) => ({
    ...{ direction, timestamp, media_addr, media_port, codecs: [], mode: 'sendrecv' },
  });
  const sdp_timeline = [
    description('offer', START, '2001:db8::1', 2000),
    description('answer', ANSWER, '192.0.2.9', port),
  ];
  return { diagnosis, sdp_timeline, updated_at: END } as unknown as CallDocument;
}

const stream = (src: string, dst: string) => ({ src, dst, first_seen: ANSWER, last_seen: END });

test('of a one-way call the way back of the stream that has none', () => {
  const [a, b] = [stream('192.0.2.1:10', '192.0.2.2:20'), stream('192.0.2.2:22', '192.0.2.1:11')];
  const only = stream('192.0.2.1:10', '[2001:db8::2]:30');
  assert.deepEqual(missingMedia(callWith({ one_way_audio: true }), [a, b, only]), [
    { src: '[2001:db8::2]:30', dst: '192.0.2.1:10', from: ANSWER, to: END },
  ]);
  assert.deepEqual(missingMedia(callWith({}), [only]), []);
});

test('of a call without media both ways between the sockets of its descriptions', () => {
  const [a, b] = ['[2001:db8::1]:2000', '192.0.2.9:4000'];
  const span = { from: ANSWER, to: END };
  assert.deepEqual(missingMedia(callWith({ no_media: true }), []), [
    { src: a, dst: b, ...span },
    { src: b, dst: a, ...span },
  ]);
  assert.deepEqual(missingMedia(callWith({ no_media: true }, 0), []), [], 'its media is off');
});

test('a host is an address without port and brackets', () => {
  assert.deepEqual(['[2001:db8::1]:2000', '192.0.2.9:4000'].map(hostOf), ['2001:db8::1', '192.0.2.9']);
});
