/** GRE (RFC 2784, RFC 2890) and ERSPAN in it. */
import { adjustChecksum, sumOf } from './checksum.ts';
import type { Walk } from './walk.ts';

const ETHERNET = 0x6558;
const ERSPAN_2 = 0x88be;
const ERSPAN_3 = 0x22eb;
const CHECKSUM = 0x8000;
const KEY = 0x2000;
const SEQUENCE = 0x1000;
/** Routing, and another version: nobody sends them. */
const UNREAD = 0x4007;

export function rewriteGre(w: Walk, at: number, stop: number): number {
  const { b } = w;
  if (stop - at < 4) return w.leave('cut_short');
  const flags = w.be16(at);
  if ((flags & UNREAD) !== 0) return w.leave('tunnel');
  const hasSum = (flags & CHECKSUM) !== 0;
  const inner = at + 4 + (hasSum ? 4 : 0) + ((flags & KEY) === 0 ? 0 : 4) + ((flags & SEQUENCE) === 0 ? 0 : 4);
  if (inner > stop) return w.leave('cut_short');
  if (!w.enter()) return w.leave('too_deep');
  const before = hasSum ? sumOf(b, at, stop) : 0;
  const grown = rewriteInner(w, w.be16(at + 2), inner, stop, (flags & SEQUENCE) !== 0);
  if (hasSum && Number.isFinite(grown)) adjustChecksum(b, at + 4, sumOf(b, at, stop + grown) - before);
  return grown;
}

function rewriteInner(w: Walk, type: number, at: number, stop: number, isNumbered: boolean): number {
  const { steps } = w.services;
  if (type === ETHERNET) return steps.ether(w, at, stop);
  if (type === ERSPAN_2) return steps.ether(w, at + (isNumbered ? 8 : 0), stop);
  if (type === ERSPAN_3) return steps.ether(w, at + ((w.b[at + 11] ?? 0) & 1 ? 20 : 12), stop);
  return type < 1536 ? w.leave('tunnel') : steps.ethertype(w, type, at, stop);
}
