/**
 * Status codes as label values. Anybody can send any code, so those that IANA registered have their place always, and what is made
 * up shares few more; the rest is `other`.
 */
import * as METHOD from '../../core/methods.ts';
import { CODE_VALUES, METHOD_NAMES } from '../../core/words.ts';

/** Registered status codes of SIP. */
const REGISTERED: ReadonlySet<number> = new Set([
  ...[100, 180, 181, 182, 183, 199, 200, 202, 204, 300, 301, 302, 305, 380],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 410, 412, 413, 414, 415, 416, 417, 420, 421, 422, 423, 424, 425],
  ...[428, 429, 430, 433, 436, 437, 438, 439, 440, 469, 470, 480, 481, 482, 483, 484, 485, 486, 487, 488, 489],
  ...[491, 493, 494, 500, 501, 502, 503, 504, 505, 513, 555, 580, 600, 603, 604, 606, 607, 608],
]);

/** Status codes with a label value of their own, and pairs of method and code; others are `other`. @cap */
const CODES_SHOWN = 100;
export const RESPONSE_PAIRS = 400;

export const FINAL_CODE_VALUES = CODES_SHOWN + 1;

const OTHER = 'other';
/** Methods whose registered codes always have their place: what they say is asked for most. */
const SURE: ReadonlySet<number> = new Set([METHOD.INVITE, METHOD.BYE, METHOD.REGISTER, METHOD.OPTIONS]);
/** Places for all other pairs: one a method is kept for `other`. */
const SHARED = RESPONSE_PAIRS - SURE.size * REGISTERED.size - METHOD_NAMES.length;

export function methodLabel(method: number): string {
  return method === 0 ? OTHER : (METHOD_NAMES[method] ?? OTHER);
}

/** Which codes have a label value. A code that got its place keeps it. */
export class CodeSeats {
  readonly #made = new Set<number>();

  labelOf(code: number): string {
    if (REGISTERED.has(code) || this.#made.has(code)) return String(code);
    if (REGISTERED.size + this.#made.size >= CODES_SHOWN) return OTHER;
    this.#made.add(code);
    return String(code);
  }
}

/** Responses by method and code, out of a count of each that is possible: `counts[method * CODE_VALUES + code]`. */
export class ResponsePairs {
  readonly #codes = new CodeSeats();
  readonly #seated = new Set<number>();

  /** Pairs that occurred, those without a place of their own summed up as `other`. */
  of(counts: Float64Array): (readonly [method: string, code: string, n: number])[] {
    const shown: (readonly [string, string, number])[] = [];
    const rest = new Float64Array(METHOD_NAMES.length);
    for (const [at, n] of counts.entries()) {
      if (n === 0) continue;
      const method = Math.floor(at / CODE_VALUES);
      const label = this.#labelOf(at);
      if (label === OTHER) rest[method] = (rest[method] ?? 0) + n;
      else shown.push([methodLabel(method), label, n]);
    }
    for (const [method, n] of rest.entries()) if (n > 0) shown.push([methodLabel(method), OTHER, n]);
    return shown;
  }

  #labelOf(at: number): string {
    const code = at % CODE_VALUES;
    if (SURE.has(Math.floor(at / CODE_VALUES)) && REGISTERED.has(code)) return String(code);
    if (!this.#seated.has(at) && this.#seated.size >= SHARED) return OTHER;
    const label = this.#codes.labelOf(code);
    if (label !== OTHER) this.#seated.add(at);
    return label;
  }
}
