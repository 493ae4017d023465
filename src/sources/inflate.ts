/** Inflates one message into memory of the caller, who says how much may come out (native/core/inflate.h). */
import { loadNative } from './native.ts';

/** enum ct_inflate_form. */
export const INFLATE_FORM = {
  /** Of a WebSocket: raw deflate without the 00 00 ff ff of its end (RFC 7692 section 7.2.2). */
  MESSAGE: 0,
  RAW: 1,
  /** gzip or zlib. */
  WRAPPED: 2,
} as const;
export type InflateForm = (typeof INFLATE_FORM)[keyof typeof INFLATE_FORM];

/** Why nothing is handed on: more would come out than there is room for, or the bytes are not of their form. */
export type InflateFailure = 'too_long' | 'corrupt';

const BAD = -2;
const NO_WINDOW = new Uint8Array(0);

/** Holds what one inflation gave; one instance is reused. */
export class Inflation {
  readonly output: Uint8Array;
  /** Bytes that came out: of a failure too, for they had their cost. */
  bytes = 0;

  constructor(maxBytes: number) {
    this.output = new Uint8Array(maxBytes);
  }

  /** Inflates [start, end) of `input` to at most `room` bytes. The failure, or null. */
  run(
    form: InflateForm,
    input: Uint8Array,
    start: number,
    end: number,
    room: number,
    window: Uint8Array = NO_WINDOW,
    windowBytes = 0,
  ): InflateFailure | null {
    const made = loadNative().inflate(form, input, start, end, window, windowBytes, this.output, room);
    if (made >= 0) this.bytes = made;
    else this.bytes = made > BAD ? room : BAD - made;
    return made >= 0 ? null : made > BAD ? 'too_long' : 'corrupt';
  }
}
