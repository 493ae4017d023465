/** Scans the messages of a slab a group at a time: one step into the scanner's module serves many. */
import { SipScan } from '../protocols/sip/scanner/scan.ts';
import { JOBS } from '../protocols/sip/scanner/scan-layout.ts';
import { SipScanner } from '../protocols/sip/scanner/scanner.ts';
import type { RecordBatch } from '../sources/record-batch.ts';
import { KIND } from '../sources/records.ts';
import type { HepDoor, HepSender } from './hep-door.ts';
import { ScannedHep } from './scanned-hep.ts';

/** Scans of a group have room in the innermost cache beside the rest. */
export const GROUP = JOBS;

/** For the UDP and HEP records of a slab, each of which is taken once, in order. */
export class SipAhead {
  readonly #scanner = new SipScanner();
  /** Of a message by UDP only the inner part is used. */
  readonly #packets: readonly ScannedHep[];
  readonly #none: ScannedHep;
  readonly #sender: { -readonly [K in keyof HepSender]: HepSender[K] } = {
    addresses: new Uint8Array(0),
    srcOff: 0,
    ipVersion: 4,
    tsUs: 0,
  };
  #next = 0;
  #end = 0;

  constructor(door: HepDoor) {
    this.#none = new ScannedHep(door);
    this.#packets = Array.from({ length: GROUP }, (_, i) => new ScannedHep(door, new SipScan(this.#scanner.result(i))));
  }

  /** The message of record `i` of `count`, a UDP record. */
  takeSip(b: RecordBatch, i: number, count: number): SipScan {
    return this.takeHep(b, i, count).sip;
  }

  /** The packet of record `i` of `count`, a HEP record. */
  takeHep(b: RecordBatch, i: number, count: number): ScannedHep {
    if (this.#next === this.#end) this.#readGroup(b, i, count);
    return this.#packets[this.#next++] ?? this.#none;
  }

  #readGroup(b: RecordBatch, first: number, count: number): void {
    let n = 0;
    for (let i = first; i < count && n < GROUP; i++) {
      const kind = b.kind(i);
      if (kind !== KIND.UDP && kind !== KIND.HEP) continue;
      const start = b.off(i);
      const end = start + b.len(i);
      if (kind === KIND.UDP) {
        if (!this.#scanner.add(b.data, start, end, n)) break;
        n++;
        continue;
      }
      const packet = this.#packets[n] ?? this.#none;
      packet.readPacket(b.data, start, end, this.#senderOf(b, i));
      const { scan } = packet;
      if (packet.isSip() && !this.#scanner.add(scan.bytes, scan.start, scan.end, n)) break;
      n++;
    }
    this.#scanner.scan();
    this.#next = 0;
    this.#end = n;
  }

  #senderOf(b: RecordBatch, i: number): HepSender {
    const sender = this.#sender;
    sender.addresses = b.bytes;
    sender.srcOff = b.srcOff(i);
    sender.ipVersion = b.ipVersion(i);
    sender.tsUs = b.tsUs(i);
    return sender;
  }
}
