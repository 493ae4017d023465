/** Packets protected by the formulas of RFC 3711 sections 4.1.1 and 4.2, in integers. */
import { createCipheriv, createHmac } from 'node:crypto';
import { deriveKey, type SrtpKey } from '../../src/protocols/codec/srtp.ts';

/** The SRTP packet of an RTP packet with a header of 12 bytes. */
export function protect(packet: Buffer, roc: number, { master, tagBytes }: SrtpKey): Buffer {
  const salt = BigInt(`0x${deriveKey(master, 2, 14).toString('hex')}`);
  const index = (BigInt(roc) << 16n) | BigInt(packet.readUInt16BE(2));
  const iv = (salt << 16n) ^ (BigInt(packet.readUInt32BE(8)) << 64n) ^ (index << 16n);
  const ivBytes = Buffer.from(iv.toString(16).padStart(32, '0'), 'hex');
  const keyBytes = master.length - 14;
  const body = createCipheriv(`aes-${keyBytes * 8}-ctr`, deriveKey(master, 0, keyBytes), ivBytes).update(
    packet.subarray(12),
  );
  const sent = Buffer.concat([packet.subarray(0, 12), body]);
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(roc);
  const tag = createHmac('sha1', deriveKey(master, 1, 20))
    .update(sent)
    .update(counter)
    .digest();
  return Buffer.concat([sent, tag.subarray(0, tagBytes)]);
}
