/**
 * Takes the protection off SRTP packets whose master key is known (RFC 3711: AES in counter mode, HMAC-SHA1 tags of 80
 * or 32 bits; key and salt as RFC 4568 sends them; keys of 192 and 256 bits, RFC 6188). A packet whose tag does not fit is not decrypted.
 */
import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto';

/** 16, 24 or 32 bytes of key and 14 of salt, and the length of the tag in bytes. */
export type SrtpKey = { readonly master: Uint8Array; readonly tagBytes: number };

const SALT_BYTES = 14;
/** Bytes of the key of a suite: `AES_CM_128`, `AES_256_CM`. */
const KEY_BYTES: ReadonlyMap<string, number> = new Map([
  ['CM_128', 16],
  ['192_CM', 24],
  ['256_CM', 32],
]);

/** The first `max` `a=crypto` values of a body, as far as they name a suite that is read here. */
export function srtpKeysOf(text: string, max: number): SrtpKey[] {
  const keys: SrtpKey[] = [];
  for (const m of text.matchAll(
    /^a=crypto:\d{1,9}[ \t]+AES_(CM_128|192_CM|256_CM)_HMAC_SHA1_(80|32)[ \t]+inline:([A-Za-z0-9+/=]{40,64})/gim,
  )) {
    const master = Buffer.from(m[3] ?? '', 'base64');
    const keyBytes = KEY_BYTES.get((m[1] ?? '').toUpperCase()) ?? 0;
    if (master.length === keyBytes + SALT_BYTES) keys.push({ master, tagBytes: m[2] === '80' ? 10 : 4 });
    if (keys.length >= max) break;
  }
  return keys;
}

/** Key derivation (section 4.3.1) with a derivation rate of zero: label 0 cipher, 1 authentication, 2 salt. */
export function deriveKey(master: Uint8Array, label: number, length: number): Buffer {
  const keyBytes = master.length - SALT_BYTES;
  const iv = Buffer.alloc(16);
  iv.set(master.subarray(keyBytes));
  iv[7] = (iv[7] ?? 0) ^ label;
  return createCipheriv(cipherOf(keyBytes), master.subarray(0, keyBytes), iv).update(Buffer.alloc(length));
}

function cipherOf(keyBytes: number): string {
  return `aes-${keyBytes * 8}-ctr`;
}

export class SrtpReader {
  readonly #cipherKey: Buffer;
  readonly #authKey: Buffer;
  readonly #salt: Buffer;
  readonly #tagBytes: number;

  constructor(key: SrtpKey) {
    this.#cipherKey = deriveKey(key.master, 0, key.master.length - SALT_BYTES);
    this.#authKey = deriveKey(key.master, 1, 20);
    this.#salt = deriveKey(key.master, 2, SALT_BYTES);
    this.#tagBytes = key.tagBytes;
  }

  /** The RTP packet inside, or null when the tag is not its. `rollover` counts how often the sequence has wrapped. */
  open(packet: Uint8Array, headerBytes: number, rollover: number): Uint8Array | null {
    const end = packet.length - this.#tagBytes;
    if (end < headerBytes) return null;
    const roc = Buffer.alloc(4);
    roc.writeUInt32BE(rollover >>> 0);
    const tag = createHmac('sha1', this.#authKey).update(packet.subarray(0, end)).update(roc).digest();
    if (!timingSafeEqual(tag.subarray(0, this.#tagBytes), packet.subarray(end))) return null;
    // IV = salt * 2^16 XOR SSRC * 2^64 XOR index * 2^16 (section 4.1.1).
    const iv = Buffer.alloc(16);
    iv.set(this.#salt);
    for (let i = 0; i < 4; i++) iv[4 + i] = (iv[4 + i] ?? 0) ^ (packet[8 + i] ?? 0);
    for (let i = 0; i < 4; i++) iv[8 + i] = (iv[8 + i] ?? 0) ^ (roc[i] ?? 0);
    for (let i = 0; i < 2; i++) iv[12 + i] = (iv[12 + i] ?? 0) ^ (packet[2 + i] ?? 0);
    const plain = createCipheriv(cipherOf(this.#cipherKey.length), this.#cipherKey, iv).update(
      packet.subarray(headerBytes, end),
    );
    return Buffer.concat([packet.subarray(0, headerBytes), plain]);
  }
}

/** Where the payload of an RTP packet begins; -1 when it is not one. */
export function rtpHeaderBytes(bytes: Uint8Array): number {
  if (bytes.length < 12 || (bytes[0] ?? 0) >> 6 !== 2) return -1;
  let at = 12 + ((bytes[0] ?? 0) & 15) * 4;
  if (((bytes[0] ?? 0) & 0x10) !== 0) at += 4 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) * 4;
  return at > bytes.length ? -1 : at;
}

/** So many packets in a row are tried with all keys; behind them one in EACH is. */
const TRIED = 20;
const EACH = 16;

/** Opens the packets of a stream with the key that fits, and with another of `keys` from where that one fits. */
export class SrtpOpener {
  readonly #readers: readonly SrtpReader[];
  #current: SrtpReader | undefined;
  #failed = 0;
  opened = 0;
  /** Packets that no key opened. */
  unopened = 0;

  constructor(keys: readonly SrtpKey[]) {
    this.#readers = keys.map((key) => new SrtpReader(key));
  }

  /** The RTP packet inside; null when no key opens it. */
  open(packet: Uint8Array, headerBytes: number, rollover: number): Uint8Array | null {
    const plain = this.#current?.open(packet, headerBytes, rollover) ?? this.#byAnother(packet, headerBytes, rollover);
    if (plain === null) {
      this.#failed++;
      this.unopened++;
    } else {
      this.#failed = 0;
      this.opened++;
    }
    return plain;
  }

  #byAnother(packet: Uint8Array, headerBytes: number, rollover: number): Uint8Array | null {
    if (this.#failed >= TRIED && this.#failed % EACH !== 0) return null;
    for (const reader of this.#readers) {
      const plain = reader === this.#current ? null : reader.open(packet, headerBytes, rollover);
      if (plain === null) continue;
      this.#current = reader;
      return plain;
    }
    return null;
  }
}
