/** HEP packets as tests look at them. */
import assert from 'node:assert/strict';
import { readHep } from '../../src/decode/hep/hep.ts';
import { HepPacket } from '../../src/decode/hep/packet.ts';

/** What the datagram at `start`..`end` says, come at `arrivedUs`; it must be HEP. */
export function hepOf(b: Uint8Array, start = 0, end: number = b.length, arrivedUs?: number): HepPacket {
  const p = new HepPacket();
  assert.equal(readHep(b, start, end, p, arrivedUs), null);
  return p;
}

const address = (p: HepPacket, at: number): number[] => [
  ...p.addresses.subarray(at, at + (p.ipVersion === 6 ? 16 : 4)),
];

/** Source and destination as bytes. */
export const endsOf = (p: HepPacket): [src: number[], dst: number[]] => [address(p, p.srcAt), address(p, p.dstAt)];

export const payloadOf = (p: HepPacket): string => Buffer.from(p.bytes.subarray(p.start, p.end)).toString('latin1');

/** Number in the HEP3 datagram's first chunk of that type, of 1 or 2 bytes. */
export function chunkNumber(datagram: Uint8Array, type: number): number | null {
  const b = Buffer.from(datagram);
  for (let at = 6; at + 6 <= b.length; at += b.readUInt16BE(at + 4))
    if (b.readUInt16BE(at + 2) === type) return b.readUIntBE(at + 6, b.readUInt16BE(at + 4) - 6);
  return null;
}

/** Text of the HEP3 datagram's first chunk of that type. */
export function chunkText(datagram: Uint8Array, type: number): string | null {
  const b = Buffer.from(datagram);
  for (let at = 6; at + 6 <= b.length; at += b.readUInt16BE(at + 4))
    if (b.readUInt16BE(at + 2) === type) return b.toString('utf8', at + 6, at + b.readUInt16BE(at + 4));
  return null;
}
