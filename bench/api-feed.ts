/**
 * What the API benchmark feeds the program through a pipe: dialogs of two messages each, as fast as they are taken, then
 * RTP of running calls at a set rate. A pcap stream, made in one buffer whose numbers are patched.
 */

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { CallTemplate, frame } from './call-template.ts';

const HEADER = Buffer.from('d4c3b2a1020004000000000000000000ffff000001000000', 'hex');
const EPOCH_SEC = 1_750_000_000;

/** Dialogs written at a time. */
const BATCH = 400;
const CALL_BATCH = 50;

/** RTP packets written at a time, and streams they belong to. */
const RTP_BATCH = 1_000;
const RTP_STREAMS = 1_000;

const LEFT = 0x0a000001;
const RIGHT = 0x0a000002;

/** The number as eight hexadecimal digits, in every place of the message where it stands. */
function patch(buffer: Buffer, at: readonly number[], n: number): void {
  const text = n.toString(16).padStart(8, '0');
  for (const place of at) buffer.write(text, place, 'latin1');
}

function placesOf(buffer: Buffer, word: string): number[] {
  const out: number[] = [];
  for (let at = buffer.indexOf(word); at >= 0; at = buffer.indexOf(word, at + 1)) out.push(at);
  return out;
}

export class Feed {
  readonly #out: Writable;
  #us = 0;
  sent = 0;

  constructor(out: Writable) {
    this.#out = out;
    out.write(HEADER);
  }

  async #write(bytes: Buffer): Promise<void> {
    // The stream keeps what it is given, and the batch is used again.
    if (!this.#out.write(Buffer.from(bytes))) await once(this.#out, 'drain');
  }

  #stamp(bytes: Buffer, at: number): void {
    bytes.writeUInt32LE(EPOCH_SEC + Math.floor(this.#us / 1e6), at);
    bytes.writeUInt32LE(this.#us % 1e6, at + 4);
  }

  /** Writes `count` dialogs: an INVITE from user u<number>, and its refusal. */
  async dialogs(count: number): Promise<void> {
    const common = (line: string, tag: string): string =>
      `${line}\r\nVia: SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bK@@@@@@@@\r\nMax-Forwards: 70\r\n` +
      `From: <sip:u@@@@@@@@@example.net>;tag=a@@@@@@@@\r\nTo: <sip:bob@example.net>${tag}\r\n` +
      'Call-ID: @@@@@@@@-bench\r\nCSeq: 1 INVITE\r\nContact: <sip:a@10.0.0.1>\r\nContent-Length: 0\r\n\r\n';
    const invite = common('INVITE sip:bob@example.net SIP/2.0', '');
    const busy = common('SIP/2.0 486 Busy Here', ';tag=b@@@@@@@@');
    const one = Buffer.concat([
      frame(LEFT, RIGHT, 5060, 5060, Buffer.from(invite)),
      frame(RIGHT, LEFT, 5060, 5060, Buffer.from(busy)),
    ]);
    const second = 16 + 42 + invite.length;
    const places = placesOf(one, '@@@@@@@@').filter((at, i, all) => i === 0 || at - (all[i - 1] ?? 0) >= 8);
    const batch = Buffer.concat(Array.from({ length: BATCH }, () => one));
    for (let done = 0; done < count; done += BATCH) {
      const now = Math.min(BATCH, count - done);
      for (let i = 0; i < now; i++) {
        const at = i * one.length;
        this.#us += 10;
        this.#stamp(batch, at);
        this.#stamp(batch, at + second);
        patch(
          batch,
          places.map((place) => place + at),
          this.sent++,
        );
      }
      await this.#write(batch.subarray(0, now * one.length));
    }
  }

  /** Writes `count` whole calls with media, as the numbers that come next. */
  async calls(count: number): Promise<void> {
    const template = new CallTemplate();
    const stamp = (bytes: Buffer, at: number): void => {
      this.#us += 20;
      this.#stamp(bytes, at);
    };
    for (let done = 0; done < count; done += CALL_BATCH) {
      const batch: Buffer[] = [];
      for (let i = done; i < Math.min(count, done + CALL_BATCH); i++) batch.push(template.write(this.sent++, stamp));
      await this.#write(Buffer.concat(batch));
    }
  }

  /** Writes RTP at `perSec` packets a second until `isOver`. Returns how many. */
  async rtp(perSec: number, isOver: () => boolean): Promise<number> {
    const payload = Buffer.alloc(12 + 160);
    payload[0] = 0x80;
    const one = frame(LEFT, RIGHT, 20_000, 30_000, payload);
    const batch = Buffer.concat(Array.from({ length: RTP_BATCH }, () => one));
    const started = performance.now();
    let packets = 0;
    while (!isOver()) {
      const sequence = Math.floor(packets / RTP_STREAMS) & 0xffff;
      for (let i = 0; i < RTP_BATCH; i++) {
        const at = i * one.length;
        const stream = (packets + i) % RTP_STREAMS;
        this.#us += 20;
        this.#stamp(batch, at);
        batch.writeUInt16BE(20_000 + 2 * stream, at + 50);
        batch.writeUInt16BE(sequence, at + 58 + 2);
        batch.writeUInt32BE((sequence * 160) >>> 0, at + 58 + 4);
        batch.writeUInt32BE(0x5000 + stream, at + 58 + 8);
      }
      await this.#write(batch);
      packets += RTP_BATCH;
      const ahead = (packets / perSec) * 1000 - (performance.now() - started);
      if (ahead > 2) await new Promise((resolve) => setTimeout(resolve, ahead));
    }
    return packets;
  }

  end(): void {
    this.#out.end();
  }
}
