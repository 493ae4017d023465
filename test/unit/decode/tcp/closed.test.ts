/** Who closed a connection of SIP first, how and when: told once, and kept within bounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClosedConnections } from '../../../../src/store/closed-connections.ts';
import { ACK, FIN, RST, SYN, sip, Tap } from './tcp-fixture.ts';

const text = sip(1);
const END = 1001 + text.length;

/** Opened at 1 s, with one request of the client. */
const spoken = (): Tap => new Tap().open().add({ seq: 1001, data: text });

test('the first FIN or RST is told, of whichever side', () => {
  assert.deepEqual(spoken().add({ from: 1, seq: 2001, flags: RST, tsUs: 5e6 }).closed, ['5060 RST 1000000-5000000']);
  const tap = spoken();
  tap.add({ seq: END, flags: FIN | ACK, tsUs: 6e6 });
  tap.add({ seq: END, flags: FIN | ACK, tsUs: 6.2e6 });
  tap.add({ from: 1, seq: 2001, flags: FIN | ACK, tsUs: 7e6 });
  tap.add({ from: 1, seq: 2002, flags: RST, tsUs: 8e6 });
  assert.deepEqual(tap.closed, ['40000 FIN 1000000-6000000']);
});

test('a segment that carries the last bytes may end it too', () => {
  const tap = new Tap().open();
  tap.add({ seq: 1001, data: text, flags: FIN | ACK, tsUs: 3e6 });
  assert.deepEqual(tap.closed, ['40000 FIN 1000000-3000000']);
});

test('no connection without SIP is told, none that was never seen, and no reset from far outside', () => {
  assert.deepEqual(new Tap().open().add({ from: 1, seq: 2001, flags: RST }).closed, []);
  assert.deepEqual(new Tap().add({ seq: 7, flags: FIN | ACK }).add({ seq: 7, flags: RST }).closed, []);
  assert.deepEqual(spoken().add({ seq: END + 0x4000_0000, flags: RST }).closed, []);
});

test('a tuple that is used again is another connection', () => {
  const tap = spoken().add({ seq: END, flags: FIN | ACK, tsUs: 6e6 });
  tap.add({ seq: 900_000, flags: SYN, tsUs: 9e6 });
  tap.add({ from: 1, seq: 700_000, flags: SYN | ACK, tsUs: 9.1e6 });
  assert.equal(tap.closed.length, 1);
  tap.add({ seq: 900_001, data: sip(2), tsUs: 9.2e6 });
  tap.add({ from: 1, seq: 700_001, flags: RST, tsUs: 9.5e6 });
  assert.deepEqual(tap.closed, ['40000 FIN 1000000-6000000', '5060 RST 9000000-9500000']);
});

test('the newest of a pair of sockets is kept, in either direction, and the oldest pair goes first', () => {
  const closed = new ClosedConnections();
  closed.add(1, 2, 10, 20, false);
  closed.add(2, 1, 30, 40, true);
  closed.add('2001:db8::1|5060', '2001:db8::2|4000', 1, 2, false);
  assert.deepEqual(closed.of(1, 2), { sinceUs: 30, atUs: 40, isReset: true, by: 2 });
  assert.equal(closed.of(2, 1), closed.of(1, 2));
  assert.equal(closed.of('2001:db8::2|4000', '2001:db8::1|5060')?.atUs, 2);
  assert.equal(closed.of(1, 3), null);
  for (let port = 0; port < 20_000; port++) closed.add(5060, 100_000 + port, 1, 2, false);
  assert.equal(closed.size, 8_192);
  assert.equal(closed.evicted, 20_002 - 8_192);
  assert.equal(closed.of(1, 2), null);
  assert.notEqual(closed.of(119_999, 5060), null);
});
