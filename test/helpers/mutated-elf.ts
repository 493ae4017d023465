/** Damage to real ELF files where it hurts: headers, notes, symbols, frames, Go's tables; the same for the same seed. */

/** mulberry32. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

type Part = { readonly at: number; readonly bytes: number };

/** What the headers say where something lies, and the headers themselves. */
export function partsOf(file: Buffer): Part[] {
  const number = (at: number): number => Number(file.readBigUInt64LE(at));
  const segments = { at: number(32), count: file.readUInt16LE(56) };
  const sections = { at: number(40), count: file.readUInt16LE(60) };
  const parts = [
    { at: 0, bytes: 64 },
    { at: segments.at, bytes: segments.count * 56 },
    { at: sections.at, bytes: sections.count * 64 },
  ];
  for (let i = 0; i < segments.count; i++)
    parts.push({ at: number(segments.at + i * 56 + 8), bytes: number(segments.at + i * 56 + 32) });
  for (let i = 0; i < sections.count; i++)
    parts.push({ at: number(sections.at + i * 64 + 24), bytes: number(sections.at + i * 64 + 32) });
  return parts.filter(({ at, bytes }) => bytes > 0 && at + bytes <= file.length);
}

/** Lengths and places that lie: nothing, all, one too many, and what passes 32 and 53 bits. */
const WORDS: readonly bigint[] = [
  0n,
  1n,
  7n,
  0x7fn,
  0xffffn,
  0x7fffffffn,
  0xffffffffn,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
];

/** A damaged copy: some words or bytes, mostly near the begin of a part, and one file in eight cut. */
export function mutated(file: Buffer, parts: readonly Part[], random: (below: number) => number): Buffer {
  const copy = Buffer.from(file);
  for (let n = 1 + random(8); n > 0; n--) {
    const part = parts[random(4) === 0 ? random(3) : random(parts.length)] ?? { at: 0, bytes: 64 };
    const at = part.at + random(random(2) === 0 ? Math.min(part.bytes, 64) : part.bytes);
    const word = WORDS[random(WORDS.length)] ?? 0n;
    const width = [1, 4, 8][random(3)] ?? 1;
    if (at + width > copy.length) continue;
    if (width === 8) copy.writeBigUInt64LE(word, at);
    else if (width === 4) copy.writeUInt32LE(Number(word & 0xffffffffn), at);
    else copy[at] = random(256);
  }
  return random(8) === 0 ? copy.subarray(0, random(copy.length)) : copy;
}
