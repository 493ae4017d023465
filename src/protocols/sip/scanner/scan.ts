/**
 * What the scanner found in one message, and how a single message gets to it (wasm/scan.ts finds in one pass over the bytes
 * what the dialog store needs, and where each header stands; RFC 3261 7, 18.3, 20; RFC 4475 for what has to be survived).
 *
 * A message is what a datagram holds, or what a stream's framer cut out: Content-Length may cut it short (`bodyExtra`) or
 * promise too much (`bodyShort`), and a capture may have cut it anywhere.
 */

import { type Camel, camelOf } from '../notes.ts';
import * as CODES from './scan-codes.ts';
import * as AT from './scan-layout.ts';
import { sipScanner } from './scanner.ts';

/** Outcomes of a scan. Only `OK` fills the whole of a `SipScan`. */
export const SCAN = { ...CODES };

export type ScanCode = (typeof SCAN)[keyof typeof SCAN];
export type ScanReason = Lowercase<keyof typeof SCAN>;

/** The outcomes' names, by number. */
export const SCAN_REASONS: readonly ScanReason[] = Object.entries(SCAN)
  .sort(([, code], [, other]) => code - other)
  .map(([name]) => name.toLowerCase() as ScanReason);

/** Each number of the layout by its name: `CALL_ID_START` is `callIdStart`. */
type Numbers = { readonly [Name in keyof typeof AT as Camel<Name>]: number };

/** A result is a view of the numbers a scan left: offsets into the scanned bytes, -1 when absent. Values are trimmed and raw. */
class Ints {
  readonly ints: Int32Array;

  constructor(ints: Int32Array) {
    this.ints = ints;
  }
}

const Result = Ints as new (ints: Int32Array) => Ints & Numbers;

for (const [name, at] of Object.entries(AT)) {
  Object.defineProperty(Result.prototype, camelOf(name), {
    get(this: Ints) {
      return this.ints[at];
    },
  });
}

/** Takes the offsets of a header's name and of its trimmed value, folds inside. */
export type OnHeader = (nameStart: number, nameEnd: number, valueStart: number, valueEnd: number) => void;

export class SipScan extends Result {
  get code(): ScanCode {
    // The scanner writes no other number there.
    return this.outcome as ScanCode;
  }

  get isRequest(): boolean {
    return this.request === 1;
  }

  /** It has an Authorization or a Proxy-Authorization. */
  get hasAuthorization(): boolean {
    return this.credentials === 1;
  }

  get reason(): ScanReason {
    return SCAN_REASONS[this.code] ?? 'not_sip';
  }

  /** Hands over every header, in order. */
  forEachHeader(take: OnHeader): void {
    const { ints } = this;
    const end = AT.HEADERS + AT.HEADER_INTS * this.headerCount;
    for (let at = AT.HEADERS; at < end; at += AT.HEADER_INTS)
      take(ints[at] ?? 0, ints[at + 1] ?? 0, ints[at + 2] ?? 0, ints[at + 3] ?? 0);
  }
}

/** The scan of a message that nothing is known of. */
export const NO_SCAN: SipScan = new SipScan(new Int32Array(AT.FIELD_INTS).fill(-1, AT.ABSENT_FROM));

/** Scans the message at `start`..`end` of `buf`. Time is linear in the bytes; bytes outside the range are never read. */
export function scanSip(buf: Uint8Array, start: number, end: number): SipScan {
  const found = sipScanner().scanOne(buf, start, end);
  return new SipScan(found.slice(0, AT.HEADERS + AT.HEADER_INTS * (found[AT.HEADER_COUNT] ?? 0)));
}

/** Content-Length in the message whose start line and headers are these bytes: -1 when absent, -2 when it is no number. */
export function contentLength(buf: Uint8Array, start: number, headersEnd: number): number {
  return sipScanner().scanOne(buf, start, headersEnd)[AT.CONTENT_LENGTH] ?? -1;
}
