/**
 * Decides whether a HEP packet carries the key of --hep-auth, in a time that tells nothing about the key.
 *
 * The key travels in plain text (chunk 0x0e), so this keeps out strays, not eavesdroppers. It is never logged.
 */
import { timingSafeEqual } from 'node:crypto';
import { failure } from '../../core/errors.ts';

/** Bytes compared, whatever the lengths: a key and its length. */
const WIDTH = 256;
const KEY_BYTES = WIDTH - 2;

export class HepAuth {
  readonly #expected: Buffer;
  readonly #given = Buffer.alloc(WIDTH);

  /** Throws ServiceError for a key that cannot be compared; the message does not repeat it. */
  constructor(key: string) {
    const bytes = Buffer.from(key, 'utf8');
    if (bytes.length === 0 || bytes.length > KEY_BYTES) {
      throw failure('HEP_AUTH_INVALID', { max: KEY_BYTES });
    }
    this.#expected = fill(Buffer.alloc(WIDTH), bytes);
  }

  /** `key` as HepPacket.authKey has it; null, as in HEP 1 and 2, is refused. */
  accepts(key: Uint8Array | null): boolean {
    const isFitting = key !== null && key.length <= KEY_BYTES;
    fill(this.#given, isFitting ? key : new Uint8Array(0));
    return timingSafeEqual(this.#given, this.#expected);
  }
}

function fill(into: Buffer, key: Uint8Array): Buffer {
  into.fill(0);
  into.writeUInt16BE(key.length, 0);
  into.set(key, 2);
  return into;
}
