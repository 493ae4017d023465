/**
 * The keyed functions that every replacement is made of: sub-keys of the one key, AES for short inputs and HMAC-SHA-256 for
 * long ones. What comes out depends on the key and the input alone.
 */
import type { Cipher } from 'node:crypto';
import { createCipheriv, createHmac } from 'node:crypto';

/** Bytes of a key. */
export const KEY_BYTES = 32;
/** Bytes of an AES block. */
export const BLOCK = 16;

/** The key of one purpose. */
export function subKey(key: Uint8Array, purpose: string): Buffer {
  return createHmac('sha256', key).update(`calltap anonymize ${purpose}`).digest();
}

/** AES-256 of whole blocks, each for itself. */
export class Blocks {
  readonly #cipher: Cipher;

  constructor(key: Uint8Array, purpose: string) {
    this.#cipher = createCipheriv('aes-256-ecb', subKey(key, purpose), null);
    this.#cipher.setAutoPadding(false);
  }

  of(blocks: Uint8Array): Buffer {
    return this.#cipher.update(blocks);
  }
}

/** As many bytes as asked for, drawn from a text of any length. */
export class Stream {
  readonly #key: Buffer;

  constructor(key: Uint8Array, purpose: string) {
    this.#key = subKey(key, purpose);
  }

  of(text: string, length: number): Buffer {
    const seed = createHmac('sha256', this.#key).update(text, 'latin1').digest();
    if (length <= seed.length) return seed;
    const cipher = createCipheriv('aes-256-ctr', seed, Buffer.alloc(BLOCK));
    return cipher.update(Buffer.alloc(length));
  }
}
