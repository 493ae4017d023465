/** G.711 to linear PCM (ITU-T G.711): one table a law, made from the definition of its segments. */

/** mu-law: inverted bits; sign, segment of three bits, step of four. */
const MULAW = Int16Array.from({ length: 256 }, (_, code) => {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4)) - 0x84;
  return (bits & 0x80) !== 0 ? -magnitude : magnitude;
});

/** A-law: even bits inverted; sign, segment, step; the first two segments are equally steep. */
const ALAW = Int16Array.from({ length: 256 }, (_, code) => {
  const bits = code ^ 0x55;
  const segment = (bits & 0x70) >> 4;
  const step = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return (bits & 0x80) !== 0 ? magnitude : -magnitude;
});

function decode(table: Int16Array, bytes: Uint8Array): Int16Array {
  const out = new Int16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) out[i] = table[bytes[i] ?? 0] ?? 0;
  return out;
}

export function decodeMulaw(bytes: Uint8Array): Int16Array {
  return decode(MULAW, bytes);
}

export function decodeAlaw(bytes: Uint8Array): Int16Array {
  return decode(ALAW, bytes);
}

/** 16-bit linear PCM, high byte first (RFC 3551 section 4.5.11); the first channel of it. */
export function decodeL16(bytes: Uint8Array, channels: number): Int16Array {
  const out = new Int16Array(Math.floor(bytes.length / 2 / channels));
  for (let i = 0; i < out.length; i++) {
    const at = i * 2 * channels;
    out[i] = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  }
  return out;
}
