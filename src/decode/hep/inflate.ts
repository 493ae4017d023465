/**
 * Inflates the payloads of HEP packets (chunk 0x10: gzip, zlib or raw deflate) within a budget that their senders share.
 *
 * A few hundred bytes of a sender may be a hundred times that: no sender uses up what another has (inflate-budget.ts).
 */
import { INFLATE_FORM, type InflateForm, Inflation } from '../../sources/inflate.ts';
import { INFLATED_MESSAGE_BYTES, InflateBudget, InflateShare } from '../inflate-budget.ts';
import type { HepPacket } from './packet.ts';

/** Senders of compressed HEP that have a share of their own in a second; further ones share one. @cap */
export const INFLATE_HEP_SENDERS = 1_024;

export type HepInflateFailure = 'inflate_failed' | 'inflated_too_long' | 'inflate_over_budget';

const REASONS = {
  corrupt: 'inflate_failed',
  too_long: 'inflated_too_long',
  over_budget: 'inflate_over_budget',
} as const;

export class HepInflater {
  readonly #budget = new InflateBudget();
  readonly #inflation = new Inflation(INFLATED_MESSAGE_BYTES);
  /** Of the senders of the second that runs, by IPv4 address or IPv6 network of 64 bits. */
  readonly #shares = new Map<string, InflateShare>();
  readonly #untracked = new InflateShare();
  #second = Number.NaN;
  /** All inflations and what came out of them, those that failed included. */
  inflations = 0;
  inflatedBytes = 0;

  /** Makes the payload of `packet`, which came at `tsUs` from the address at `off` of `b`, what was compressed. */
  inflate(packet: HepPacket, b: Uint8Array, off: number, ipVersion: number, tsUs: number): HepInflateFailure | null {
    const share = this.#shareOf(b, off, ipVersion, tsUs);
    const { bytes, start } = packet;
    let failure: keyof typeof REASONS | null = null;
    for (const form of formsOf(bytes, start)) {
      failure = this.#try(form, packet, share, tsUs);
      if (failure !== 'corrupt') break;
    }
    if (failure !== null) return REASONS[failure];
    // A copy: packets are read a group ahead of their turn.
    packet.bytes = this.#inflation.output.slice(0, this.#inflation.bytes);
    packet.start = 0;
    packet.end = packet.bytes.length;
    if (packet.protocolType === 1) packet.dropTerminator();
    packet.isCompressed = false;
    return null;
  }

  #try(form: InflateForm, p: HepPacket, share: InflateShare, tsUs: number): keyof typeof REASONS | null {
    const inflation = this.#inflation;
    const room = this.#budget.room(share, tsUs);
    if (room <= 0) return 'over_budget';
    const most = Math.min(room, inflation.output.length);
    const failure = inflation.run(form, p.bytes, p.start, p.end, most);
    this.#budget.charge(share, inflation.bytes);
    this.inflations++;
    this.inflatedBytes += inflation.bytes;
    return failure === 'too_long' && most === room ? 'over_budget' : failure;
  }

  #shareOf(b: Uint8Array, off: number, ipVersion: number, tsUs: number): InflateShare {
    const second = Math.floor(tsUs / 1_000_000);
    if (second !== this.#second) {
      // The shares of the second before stay with those who are still there.
      if (this.#shares.size >= INFLATE_HEP_SENDERS) this.#shares.clear();
      this.#second = second;
    }
    const key = senderKey(b, off, ipVersion);
    let share = this.#shares.get(key);
    if (share === undefined) {
      if (this.#shares.size >= INFLATE_HEP_SENDERS) return this.#untracked;
      share = new InflateShare();
      this.#shares.set(key, share);
    }
    return share;
  }
}

function senderKey(b: Uint8Array, off: number, ipVersion: number): string {
  const bytes = ipVersion === 6 ? 8 : 4;
  let key = '';
  for (let i = 0; i < bytes; i++) key += String.fromCharCode(b[off + i] ?? 0);
  return key;
}

const WRAPPED = [INFLATE_FORM.WRAPPED] as const;
const RAW = [INFLATE_FORM.RAW] as const;
/** Raw deflate may begin like a zlib header. */
const EITHER = [INFLATE_FORM.WRAPPED, INFLATE_FORM.RAW] as const;

/** What data may be by how it begins (RFC 1952 section 2.3.1, RFC 1950 section 2.2). */
function formsOf(b: Uint8Array, at: number): readonly InflateForm[] {
  const b0 = b[at] ?? 0;
  const b1 = b[at + 1] ?? 0;
  if (b0 === 0x1f && b1 === 0x8b) return WRAPPED;
  return (b0 & 0x0f) === 8 && ((b0 << 8) | b1) % 31 === 0 ? EITHER : RAW;
}
