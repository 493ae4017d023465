/**
 * A message that has no frame (LINKTYPE 252, native/core/exported_pdu.h): | tag 16 | length 16 | value | ..., then the message.
 * Tags that are not read by calltap are taken out.
 */
import type { Walk } from './walk.ts';

const END = 0;
const DISSECTOR = 12;
const SOURCE_4 = 20;
const DESTINATION_4 = 21;
const SOURCE_6 = 22;
const DESTINATION_6 = 23;
const KEPT_NUMBERS = new Set([24, 25, 26]);
const COLUMN = 33;
const COLUMN_TEXT = /^SIP\/(?:UDP|TCP|WS|TLS|WSS) (?:wire|hep|uprobe)(?: weak)?(?: cut)?\0*$/;

export function rewritePdu(w: Walk): number {
  const { b, services } = w;
  const tags: Buffer[] = [];
  let isSip = false;
  for (let at = 0; at + 4 <= w.length; ) {
    const tag = w.be16(at);
    const next = at + 4 + w.be16(at + 2);
    if (next > w.length) return w.leave('cut_short');
    const whole = Buffer.from(b.subarray(at, next));
    const value = whole.subarray(4);
    at = next;
    if (tag === END) {
      if (!isSip) return w.leave('protocol');
      const message = services.contents.sip(Buffer.from(b.subarray(at, w.length)));
      return w.replace(0, w.length, Buffer.concat([...tags, Buffer.alloc(4), message]));
    }
    if (tag === DISSECTOR) isSip = value.toString('latin1').replace(/\0+$/, '') === 'sip';
    if (value.length === 4 && (tag === SOURCE_4 || tag === DESTINATION_4)) services.addresses.ip4(value, 0);
    else if (value.length === 16 && (tag === SOURCE_6 || tag === DESTINATION_6)) services.addresses.ip6(value, 0);
    else if (!isKept(tag, value)) continue;
    tags.push(whole);
  }
  return w.leave('cut_short');
}

function isKept(tag: number, value: Buffer): boolean {
  if (tag === DISSECTOR) return value.toString('latin1').replace(/\0+$/, '') === 'sip';
  if (KEPT_NUMBERS.has(tag)) return value.length === 4;
  return tag === COLUMN && COLUMN_TEXT.test(value.toString('latin1'));
}
