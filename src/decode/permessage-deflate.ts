/**
 * WebSocket permessage-deflate for one direction (RFC 7692): what was negotiated, and inflation with a bounded output.
 */
import { constants, inflateRawSync } from 'node:zlib';
import { fail, ok, type Result } from '../core/result.ts';
import type { ByteBudget } from './byte-buffer.ts';

export type DeflateParameters = {
  /** Each message of the direction stands alone; without it the last 32 KiB of output are the dictionary. */
  readonly clientNoContextTakeover: boolean;
  readonly serverNoContextTakeover: boolean;
};

const WINDOW_BYTES = 32 * 1024;

/** RFC 7692 §7.2.2: what the sender cut off the end of the message. */
const TAIL = Uint8Array.of(0, 0, 0xff, 0xff);

/** Parameters of the first permessage-deflate in a response's Sec-WebSocket-Extensions, or null. */
export function deflateParameters(extensions: string): DeflateParameters | null {
  for (const extension of extensions.split(',')) {
    const [name = '', ...parameters] = extension.split(';').map((part) => part.trim().toLowerCase());
    if (name !== 'permessage-deflate') continue;
    // Window bits need no attention: a 32 KiB window reads whatever a smaller one wrote.
    return {
      clientNoContextTakeover: parameters.includes('client_no_context_takeover'),
      serverNoContextTakeover: parameters.includes('server_no_context_takeover'),
    };
  }
  return null;
}

export type InflateFailure = 'context_lost' | 'corrupt_or_too_long';

/** Inflates the messages of one direction, in order. */
export class MessageInflater {
  readonly #keepsContext: boolean;
  readonly #budget: ByteBudget;
  readonly #maxBytes: number;
  #dictionary: Uint8Array | null = null;
  #isLost = false;

  constructor(keepsContext: boolean, maxBytes: number, budget: ByteBudget) {
    this.#keepsContext = keepsContext;
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  inflate(compressed: Uint8Array): Result<Uint8Array, InflateFailure> {
    if (this.#isLost) return fail('context_lost');
    const input = new Uint8Array(compressed.length + TAIL.length);
    input.set(compressed);
    input.set(TAIL, compressed.length);
    let output: Uint8Array;
    try {
      output = inflateRawSync(input, {
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: this.#maxBytes,
        ...(this.#dictionary === null ? {} : { dictionary: this.#dictionary }),
      });
    } catch {
      this.messageLost();
      return fail('corrupt_or_too_long');
    }
    if (this.#keepsContext) this.#remember(output);
    return ok(output);
  }

  /** A message was not seen: with a shared context nothing after it can be read. */
  messageLost(): void {
    if (!this.#keepsContext) return;
    this.#isLost = true;
    this.close();
  }

  close(): void {
    if (this.#dictionary !== null) this.#budget.release(this.#dictionary.length);
    this.#dictionary = null;
  }

  #remember(output: Uint8Array): void {
    const old = this.#dictionary ?? new Uint8Array(0);
    const kept = Math.min(old.length, Math.max(0, WINDOW_BYTES - output.length));
    const fresh = output.subarray(Math.max(0, output.length - WINDOW_BYTES));
    const next = new Uint8Array(kept + fresh.length);
    next.set(old.subarray(old.length - kept));
    next.set(fresh, kept);
    this.close();
    this.#budget.charge(next.length);
    this.#dictionary = next;
  }
}
