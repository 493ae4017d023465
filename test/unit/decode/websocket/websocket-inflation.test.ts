/** Compressed WebSocket messages cost what their share allows, whoever sends them, and SIP among them is still read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import {
  INFLATE_SHARE_LEAST_BYTES,
  INFLATE_SHARE_MOST_BYTES,
  INFLATED_MESSAGE_BYTES,
  INFLATION_COST_BYTES,
} from '../../../../src/decode/inflate-budget.ts';
import { INFLATE_WINDOW_BYTES } from '../../../../src/decode/websocket/permessage-deflate.ts';
import { INFLATE_OTHER_MESSAGES } from '../../../../src/decode/websocket/websocket.ts';
import { ACK, bytes, frame, join, SYN, sip, switching, Tap, UPGRADE } from '../tcp/tcp-fixture.ts';

const DEFLATE = 'Sec-WebSocket-Extensions: permessage-deflate\r\n';
const ALONE =
  'Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover; server_no_context_takeover\r\n';
const SIP = 'Sec-WebSocket-Protocol: sip\r\n';
const RSV1 = 0x40;

/** A sender's compressor; it knows what it sent before unless it is told to forget. */
class Deflater {
  #history: Uint8Array = new Uint8Array(0);
  readonly #forgets: boolean;

  constructor(forgets = false) {
    this.#forgets = forgets;
  }

  message(text: string | Uint8Array): Uint8Array {
    const plain = typeof text === 'string' ? bytes(text) : text;
    const dictionary = this.#history.length > 0 ? { dictionary: this.#history } : {};
    const packed = deflateRawSync(plain, { finishFlush: constants.Z_SYNC_FLUSH, ...dictionary });
    if (!this.#forgets) this.#history = join(this.#history, plain).subarray(-32_768);
    return packed.subarray(0, -4);
  }
}

/** One upgraded connection on a tap that others may share. */
class Connection {
  readonly #tap: Tap;
  readonly #ports: readonly [number, number];
  readonly #next: [number, number] = [1001, 2001];
  readonly deflaters: readonly [Deflater, Deflater];

  constructor(tap: Tap, port: number, extra = DEFLATE, tsUs?: number) {
    this.#tap = tap;
    this.#ports = [port, 80];
    const forgets = extra.includes(ALONE);
    this.deflaters = [new Deflater(forgets), new Deflater(forgets)];
    const at = tsUs === undefined ? {} : { tsUs };
    tap.add({ seq: 1000, flags: SYN, ports: this.#ports, ...at });
    tap.add({ from: 1, seq: 2000, flags: SYN | ACK, ports: this.#ports, ...at });
    this.raw(0, UPGRADE, tsUs).raw(1, switching(extra), tsUs);
  }

  raw(from: 0 | 1, data: string | Uint8Array, tsUs?: number): this {
    this.#tap.add({
      from,
      seq: this.#next[from],
      data,
      ports: this.#ports,
      ...(tsUs === undefined ? {} : { tsUs }),
    });
    this.#next[from] += data.length;
    return this;
  }

  say(from: 0 | 1, text: string | Uint8Array, tsUs?: number): this {
    return this.raw(from, frame(this.deflaters[from].message(text), { masked: from === 0, rsv: RSV1 }), tsUs);
  }
}

const repeat = (one: Uint8Array, times: number): Uint8Array => join(...Array.from({ length: times }, () => one));
const SECOND = 1_000_000;

describe('compressed WebSocket messages and what they cost', () => {
  it('empty messages are not inflated, and what follows them is read', () => {
    const tap = new Tap();
    const c = new Connection(tap, 40_000);
    const empty = frame(Uint8Array.of(0), { rsv: RSV1 });
    for (let i = 0; i < 250; i++) c.raw(1, repeat(empty, 480));
    c.raw(1, frame(new Uint8Array(0), { rsv: RSV1 }));
    c.say(1, sip(1));
    assert.equal(tap.counters.wsCompressedEmpty, 250 * 480 + 1);
    assert.equal(tap.counters.wsInflations, 1);
    assert.deepEqual(tap.texts, [sip(1)]);
  });

  it('messages alone that are too short for a start line are not inflated', () => {
    const tap = new Tap();
    const c = new Connection(tap, 40_000, ALONE + SIP);
    const short = frame(new Deflater().message('\r\n\r\n'), { rsv: RSV1 });
    for (let i = 0; i < 250; i++) c.raw(1, repeat(short, 100));
    c.say(1, sip(1)).say(0, sip(2));
    assert.equal(tap.counters.wsInflations, 2);
    assert.deepEqual(tap.texts, [sip(1), sip(2)]);
  });

  it('short messages of a shared context are read: later ones refer to them', () => {
    const tap = new Tap();
    const c = new Connection(tap, 40_000);
    for (let i = 0; i < 20; i++) c.say(0, '\r\n\r\n').say(0, sip(i));
    assert.deepEqual(
      tap.texts,
      Array.from({ length: 20 }, (_, i) => sip(i)),
    );
  });

  for (const [name, length] of [
    ['one byte', 1],
    ['a line', 60],
    ['as much as a message may have', INFLATED_MESSAGE_BYTES],
    ['more than a message may have', 4 * INFLATED_MESSAGE_BYTES],
  ] as const) {
    for (const extra of [DEFLATE, ALONE]) {
      it(`frames that give ${name} end at the share of their second (${extra.length})`, () => {
        const tap = new Tap();
        const c = new Connection(tap, 40_000, extra + SIP);
        const bomb = frame(new Deflater(true).message(Buffer.alloc(length, 0x41)), { rsv: RSV1 });
        const at = 10 * SECOND;
        const segment = repeat(bomb, Math.ceil(1_400 / bomb.length));
        const segments = Math.ceil((2 * INFLATE_SHARE_MOST_BYTES) / INFLATION_COST_BYTES / 4);
        for (let i = 0; i < segments; i++) c.raw(1, segment, at);
        const cost = tap.counters.wsInflatedBytes + tap.counters.wsInflations * INFLATION_COST_BYTES;
        assert.ok(cost <= INFLATE_SHARE_MOST_BYTES + INFLATED_MESSAGE_BYTES, String(cost));
        if (extra === ALONE && length >= INFLATED_MESSAGE_BYTES) assert.ok(tap.counters.wsInflateOverBudget > 0);
      });
    }
  }

  it('over its share, a direction without context is read again in the next second', () => {
    const tap = new Tap();
    const c = new Connection(tap, 40_000, ALONE + SIP);
    const bomb = Buffer.alloc(INFLATED_MESSAGE_BYTES, 0x41);
    for (let i = 0; i < 2 * (INFLATE_SHARE_MOST_BYTES / bomb.length); i++) c.say(1, bomb, 10 * SECOND);
    const before = tap.texts.length;
    c.say(1, sip(1), 10 * SECOND).say(1, sip(2), 11 * SECOND);
    assert.deepEqual(tap.texts.slice(before), [sip(2)]);
    assert.ok(tap.counters.wsInflateOverBudget > 0);
  });

  it('bombs on ten thousand connections take no message from a phone, before, among or behind them', () => {
    const tap = new Tap();
    const at = 10 * SECOND;
    const phone = new Connection(tap, 39_999, DEFLATE + SIP, at);
    const said: string[] = [];
    const speak = (tsUs: number): void => {
      const text = sip(said.length, 'v=0\r\n'.repeat(1_000));
      said.push(text);
      phone.say(said.length % 2 === 0 ? 0 : 1, text, tsUs);
    };
    const bomb = frame(new Deflater().message(Buffer.alloc(INFLATED_MESSAGE_BYTES, 0x41)), { rsv: RSV1 });
    speak(at);
    const attackers = Array.from({ length: 10_000 }, (_, i) => new Connection(tap, 40_000 + i, DEFLATE, at));
    for (let second = 10; second < 13; second++) {
      for (const [i, c] of attackers.entries()) {
        c.raw(1, bomb, second * SECOND + i);
        if (i % 5_000 === 4_999) speak(second * SECOND + i);
      }
      // Each has the least, and nobody more than the message that goes beyond it.
      assert.ok(tap.counters.wsInflatedBytes < 14_000 * 2 * INFLATE_SHARE_LEAST_BYTES * 3);
    }
    speak(60 * SECOND);
    assert.deepEqual(tap.texts, said);
  });

  it('segments that wait do not turn the clock back', () => {
    const tap = new Tap();
    const c = new Connection(tap, 40_000, ALONE + SIP, 10 * SECOND);
    const bomb = Buffer.alloc(INFLATED_MESSAGE_BYTES, 0x41);
    for (let i = 0; i < 4 * (INFLATE_SHARE_MOST_BYTES / bomb.length); i++)
      c.say(1, bomb, (i % 2 === 0 ? 12 : 10) * SECOND);
    assert.ok(tap.counters.wsInflatedBytes <= INFLATE_SHARE_MOST_BYTES, String(tap.counters.wsInflatedBytes));
  });

  it('a web site that says something else is left alone after a few messages', () => {
    const tap = new Tap();
    const c = new Connection(tap, 40_000);
    for (let i = 0; i < 1_000; i++) c.say(i % 2 === 0 ? 0 : 1, `{"n":${i},"text":"${'lorem ipsum '.repeat(20)}"}`);
    assert.equal(tap.counters.wsInflations, INFLATE_OTHER_MESSAGES);
    assert.equal(tap.counters.wsCompressedNotSip, 1_000 - INFLATE_OTHER_MESSAGES);
    assert.equal(tap.counters.wsCompressedUndecodable, 0);
    c.raw(0, frame(sip(1), { masked: true }));
    assert.deepEqual(tap.texts, [sip(1)]);
  });

  it('SIP without its subprotocol is read, whatever stands between its messages', () => {
    const tap = new Tap();
    const c = new Connection(tap, 40_000);
    c.say(0, '{"hello":1}').say(0, sip(1));
    for (let i = 0; i < 20; i++) c.say(0, '{"ping":1}').say(1, '\r\n');
    c.say(0, sip(2)).say(1, sip(3));
    assert.deepEqual(tap.texts, [sip(1), sip(2), sip(3)]);
  });

  it('nobody agrees with himself: one direction that says request and answer is not inflated', () => {
    for (const said of [switching(DEFLATE + SIP), join(bytes(UPGRADE), bytes(switching(DEFLATE + SIP)))]) {
      const tap = new Tap().open([40_000, 80]);
      const bomb = frame(new Deflater().message(Buffer.alloc(INFLATED_MESSAGE_BYTES, 0x41)), { rsv: RSV1 });
      tap.add({ seq: 1001, data: said, ports: [40_000, 80] });
      for (let i = 0; i < 100; i++)
        tap.add({ seq: 1001 + said.length + i * bomb.length, data: bomb, ports: [40_000, 80] });
      assert.equal(tap.counters.wsInflations, 0);
      assert.equal(tap.texts.length, 0);
    }
  });

  it('a compressed message in many frames and segments is one inflation', () => {
    const tap = new Tap();
    const c = new Connection(tap, 40_000, DEFLATE + SIP);
    const text = sip(1, 'v=0\r\n'.repeat(900));
    const packed = c.deflaters[0].message(text);
    const frames = Array.from({ length: packed.length }, (_, i) =>
      frame(packed.subarray(i, i + 1), {
        masked: true,
        fin: i === packed.length - 1,
        opcode: i === 0 ? 1 : 0,
        rsv: i === 0 ? RSV1 : 0,
      }),
    );
    const stream = join(...frames);
    for (let i = 0; i < stream.length; i += 3) c.raw(0, stream.subarray(i, i + 3));
    assert.deepEqual(tap.texts, [text]);
    assert.equal(tap.counters.wsInflations, 1);
  });

  it('what messages refer to has a cap, and directions without SIP give first', () => {
    const tap = new Tap();
    const phone = new Connection(tap, 39_999, DEFLATE, 10 * SECOND);
    phone.say(0, sip(1, 'x'.repeat(40_000)), 10 * SECOND);
    const windows = INFLATE_WINDOW_BYTES / 32_768;
    const noise = Buffer.alloc(40_000, 0x7b);
    for (let i = 0; i < 2 * windows; i++) {
      // A second for each: this is about memory.
      const at = (11 + i) * SECOND;
      new Connection(tap, 40_000 + i, DEFLATE, at).say(1, noise, at);
    }
    assert.equal(tap.counters.wsContextsEvicted, 2 * windows + 1 - windows);
    phone.say(0, sip(2), 5_000 * SECOND);
    assert.equal(tap.texts.at(-1), sip(2));
  });

  it('a flood of handshakes takes the place of no phone', () => {
    const tap = new Tap({ maxConnections: 100 });
    const phones = Array.from({ length: 50 }, (_, i) => new Connection(tap, 30_000 + i, DEFLATE + SIP));
    for (const [i, phone] of phones.entries()) phone.say(0, sip(i));
    for (let i = 0; i < 10_000; i++) tap.add({ seq: 1_000, flags: SYN, ports: [40_000 + (i % 20_000), 5060 + i] });
    for (const [i, phone] of phones.entries()) phone.say(0, sip(100 + i));
    assert.equal(tap.texts.length, 100);
    assert.equal(tap.counters.tcpEvicted, 10_000 - 50);
  });

  it('a closed connection gives its window back', () => {
    const tap = new Tap();
    for (let i = 0; i < 3 * (INFLATE_WINDOW_BYTES / 32_768); i++) {
      const at = (11 + i) * SECOND;
      new Connection(tap, 40_000, DEFLATE, at).say(1, Buffer.alloc(40_000, 0x7b), at);
      tap.add({ seq: 1001 + UPGRADE.length, flags: 4, ports: [40_000, 80], tsUs: at });
    }
    assert.equal(tap.counters.wsContextsEvicted, 0);
  });
});
