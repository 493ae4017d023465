/** What strangers send, one message after the other, for the tests of who gives room. */
import assert from 'node:assert/strict';
import { hashBytes } from '../../../src/core/hash.ts';
import { NO_SCAN, SCAN, scanSip } from '../../../src/protocols/sip/scanner/scan.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';
import { ROW_COST } from '../../../src/store/messages/message-rows.ts';
import type { TrackerKit } from './dialogs/tracker-kit.ts';
import { CARRIER } from './dialogs/tracker-kit.ts';

export const SERVER_V4 = 0xc0000202;
export const STRANGER_V4 = 0xcb007109;

/** Messages of a few bytes that differ in a number, as fast as they are read: no text is made for one. */
export class Flood {
  readonly #kit: TrackerKit;
  #scan = NO_SCAN;
  readonly #addresses = new Uint8Array(32);
  /** Sent so far, as the log counts them. */
  bytes = 0;
  #tsUs = 1_800_000_000_000_000;

  constructor(kit: TrackerKit) {
    this.#kit = kit;
  }

  /** Sends it from one IPv4 address to another; `#` stands for eight digits of `n`. */
  send(text: string, n: number, from: number, to = SERVER_V4, fromPort = 5060): Dialog | null {
    const buf = Buffer.from(text.replaceAll('#', n.toString(16).padStart(8, '0')), 'latin1');
    this.bytes += buf.length + ROW_COST;
    this.#scan = scanSip(buf, 0, buf.length);
    assert.equal(this.#scan.code, SCAN.OK);
    const view = new DataView(this.#addresses.buffer);
    view.setUint32(0, from);
    view.setUint32(16, to);
    const { callIdStart, callIdEnd } = this.#scan;
    this.#tsUs += 10;
    const over = { tsUs: this.#tsUs, arrivedUs: this.#tsUs, ipId: n & 0xffff, srcPort: fromPort, dstPort: 5060 };
    const carrier = { ...CARRIER, addresses: this.#addresses, ...over };
    const hash = hashBytes(buf, callIdStart, callIdEnd);
    return this.#kit.tracker.onMessage(buf, 0, buf.length, this.#scan, carrier, hash);
  }
}

export const request = (method: string, tags = '', bodyBytes = 0): string =>
  `${method} sip:a SIP/2.0\r\nv:SIP/2.0/UDP a;branch=z9hG4bK#\r\nf:<sip:a>;tag=1\r\nt:<sip:b>${tags}\r\ni:x#\r\nCSeq:1 ${method}\r\n\r\n${'x'.repeat(bodyBytes)}`;
export const response = (status: number, method: string): string =>
  `SIP/2.0 ${status} X\r\nv:SIP/2.0/UDP a;branch=z9hG4bK#\r\nf:<sip:a>;tag=1\r\nt:<sip:b>;tag=2\r\ni:x#\r\nCSeq:1 ${method}\r\n\r\n`;
