/** Which calls a packet of media belongs to: the claims of both ends, then the stream, then one end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointKey } from '../../../../src/core/ip.ts';
import type { Packet } from '../../../../src/sources/packet.ts';
import { emptyPacket } from '../../../../src/sources/packet.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { DialogStore } from '../../../../src/store/dialogs/dialog-store.ts';
import { CLAIM_LINGER_US, EndpointIndex } from '../../../../src/store/media/endpoint-index.ts';
import { FrameOwners } from '../../../../src/store/media/frame-owners.ts';
import { dialogInit } from '../dialogs/dialog-init.ts';

const SECOND = 1_000_000;
const NO_CODECS = { names: [], formats: [] };

/** From 10.0.0.`a`:`aPort` to 10.0.0.`b`:`bPort`. */
function packet(a: number, aPort: number, b: number, bPort: number, tsUs: number): Packet {
  const addresses = new Uint8Array(32);
  addresses.set([10, 0, 0, a], 0);
  addresses.set([10, 0, 0, b], 16);
  return { ...emptyPacket(addresses), srcPort: aPort, dstPort: bPort, tsUs };
}

function kit() {
  const dialogs = new DialogStore(100, () => undefined);
  const endpoints = new EndpointIndex(dialogs);
  const owners = new FrameOwners(endpoints);
  const name = (dialog: Dialog, host: number, port: number, fromUs: number): void => {
    const key = endpointKey(Uint8Array.of(10, 0, 0, host), 0, 4, port);
    endpoints.add(key, { dialog, fromUs, codecs: NO_CODECS, mediaType: 'audio', isSrtp: false, line: 0 });
    dialog.updatedUs = fromUs;
  };
  const of = (p: Packet, isControl = false): string[] => owners.of(p, undefined, isControl).map((d) => d.callId);
  const open = (callId: string, createdUs = 0): Dialog => dialogs.open(dialogInit(callId, { createdUs }));
  return { open, name, of };
}

test('media between two named sockets is of the call, either way, and its RTCP one port higher too', () => {
  const { open, name, of } = kit();
  const call = open('call');
  name(call, 1, 4000, 0);
  assert.deepEqual(of(packet(2, 5000, 1, 4000, 1)), ['call'], 'one end is enough');
  name(call, 2, 5000, SECOND);
  assert.deepEqual(of(packet(1, 4000, 2, 5000, 2 * SECOND)), ['call']);
  assert.deepEqual(of(packet(2, 5001, 1, 4001, 2 * SECOND), true), ['call']);
  assert.deepEqual(of(packet(2, 5001, 1, 4000, 2 * SECOND), true), ['call']);
  assert.deepEqual(of(packet(2, 5001, 1, 4001, 2 * SECOND)), [], 'media on that port is not');
  assert.deepEqual(of(packet(3, 4000, 4, 5000, 2 * SECOND)), []);
});

test('two legs that describe the same media both have it', () => {
  const { open, name, of } = kit();
  const [in_, out] = [open('in'), open('out', SECOND)];
  name(in_, 1, 4000, 0);
  name(out, 1, 4000, SECOND);
  name(out, 2, 5000, 2 * SECOND);
  name(in_, 2, 5000, 3 * SECOND);
  assert.deepEqual(of(packet(1, 4000, 2, 5000, 4 * SECOND)).sort(), ['in', 'out']);
});

test('of two calls on one socket the one that named both ends has the media', () => {
  const { open, name, of } = kit();
  const [first, second] = [open('first'), open('second')];
  name(first, 9, 4000, 0);
  name(first, 1, 5000, 1);
  name(second, 9, 4000, 2);
  name(second, 2, 5000, 3);
  assert.deepEqual(of(packet(1, 5000, 9, 4000, SECOND)), ['first']);
  assert.deepEqual(of(packet(9, 4000, 2, 5000, SECOND)), ['second']);
  assert.deepEqual(of(packet(3, 7000, 9, 4000, SECOND)), ['second'], 'else the newest');
});

test('sockets are kept 32 seconds after the end, or until the next call names them', () => {
  const { open, name, of } = kit();
  const old = open('old');
  name(old, 1, 4000, 0);
  name(old, 2, 5000, 0);
  old.endedUs = SECOND;
  const tail = packet(1, 4000, 2, 5000, SECOND + CLAIM_LINGER_US);
  assert.deepEqual(of(tail), ['old']);
  assert.deepEqual(of({ ...tail, tsUs: tail.tsUs + 1 }), []);
  const next = open('next', 2 * SECOND);
  name(next, 1, 4000, 2 * SECOND);
  assert.deepEqual(of(packet(1, 4000, 2, 5000, 3 * SECOND)), ['old'], 'it named both');
  name(next, 2, 5000, 4 * SECOND);
  assert.deepEqual(of(packet(1, 4000, 2, 5000, 5 * SECOND)), ['next']);
});
