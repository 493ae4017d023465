/** TCP segments (RFC 9293 §3.1), rewritten: the payload by its stream, sequence numbers after what grew before them. */
import { adjustChecksum, sumOf } from './checksum.ts';
import type { Carrier, Walk } from './walk.ts';
import { HELD } from './walk.ts';

const HEADER = 20;
const OPTION = { END: 0, NOTHING: 1, SIZE: 2, SCALE: 3, SACK_ALLOWED: 4, SACK: 5, TIMES: 8 } as const;
const KEPT_OPTIONS = new Set<number>([OPTION.SIZE, OPTION.SCALE, OPTION.SACK_ALLOWED, OPTION.TIMES]);
const ACK = 0x10;

export function rewriteTcp(w: Walk, at: number, stop: number, missing: number, c: Carrier): number {
  const { b, services } = w;
  if (stop - at < HEADER) return w.leave('cut_short');
  const header = ((b[at + 12] ?? 0) >> 4) * 4;
  if (header < HEADER) return w.leave('malformed');
  if (header > stop - at) return w.leave('cut_short');
  const way = services.tcp.wayOf(b, at, c, (b[at + 13] ?? 0) & 0x3f, w.be32(at + 4));
  if (w.answer === null) {
    const payload = b.subarray(at + header, stop);
    const token = services.tcp.take(way, w.be32(at + 4), payload, missing);
    if (w.mustWait || token.answer === null) return w.hold(token);
    w.answer = token.answer();
  }
  if ('reason' in w.answer) return w.leave(w.answer.reason);
  const before = sumOf(b, at, stop);
  b.writeUInt32BE(w.answer.sequence, at + 4);
  if (((b[at + 13] ?? 0) & ACK) !== 0) b.writeUInt32BE(services.tcp.acknowledged(way, w.be32(at + 8)), at + 8);
  cleanOptions(w, at + HEADER, at + header, (edge) => services.tcp.acknowledged(way, edge));
  const grown = w.replace(at + header, stop, w.answer.bytes);
  if (Number.isFinite(grown)) adjustChecksum(b, at + 16, sumOf(b, at, stop + grown) - before + grown + c.grown);
  return grown;
}

/** True for what the walk has to be made again for. */
export function isHeld(grown: number): boolean {
  return grown === HELD;
}

/** What is not known becomes nothing; the edges of what was received move as the sequence numbers do. */
function cleanOptions(w: Walk, start: number, end: number, moved: (edge: number) => number): void {
  const { b } = w;
  let at = start;
  while (at < end) {
    const kind = b[at] ?? 0;
    if (kind === OPTION.END) break;
    if (kind === OPTION.NOTHING) {
      at++;
      continue;
    }
    const size = b[at + 1] ?? 0;
    if (size < 2 || at + size > end) break;
    if (kind === OPTION.SACK) {
      for (let edge = at + 2; edge + 4 <= at + size; edge += 4) b.writeUInt32BE(moved(w.be32(edge)), edge);
    } else if (!KEPT_OPTIONS.has(kind)) b.fill(OPTION.NOTHING, at, at + size);
    at += size;
  }
  if (at < end) b.fill(OPTION.END, at, end);
}
