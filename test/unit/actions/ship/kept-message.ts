/** Messages that a log keeps. */
import { emptyPacket } from '../../../../src/sources/packet.ts';
import { MessageLog } from '../../../../src/store/messages/message-log.ts';
import { NO_ROW } from '../../../../src/store/messages/message-rows.ts';

const REQUEST = { isRequest: true, method: 1, status: 0, cseq: 1, cseqMethod: 1, hasAuthorization: false };
const OWNER = { slot: 0, openRow: 0, isProven: false, sender: 0, isSenderEstablished: false };

const ADDRESSES = Uint8Array.from([
  ...Array(10).fill(0),
  0xff,
  0xff,
  192,
  0,
  2,
  1,
  0x20,
  1,
  0x0d,
  0xb8,
  ...Array(12).fill(7),
]);

export type Kept = { readonly log: MessageLog; readonly row: number; readonly bytes: Buffer };

/** A message that a log keeps, of IPv4 or of IPv6. */
export function kept(text: string, { flags = 0, isIpv6 = false, transport = 0, origin = 0 } = {}): Kept {
  const log = new MessageLog(1024 * 1024, { bySlot: () => undefined });
  const bytes = Buffer.from(text);
  const packet = emptyPacket(ADDRESSES);
  const ends = isIpv6
    ? { srcOff: 0, dstOff: 16, ipVersion: 6 as const }
    : { srcOff: 12, dstOff: 16, ipVersion: 4 as const };
  Object.assign(packet, { tsUs: 1_700_000_000_123_456, srcPort: 5060, dstPort: 65_535, transport, origin, ...ends });
  const row = log.append(
    { ...OWNER, headRow: NO_ROW, tailRow: NO_ROW },
    packet,
    REQUEST,
    flags,
    bytes,
    0,
    bytes.length,
  );
  return { log, row, bytes };
}

export function sip(text: string): string {
  return `INVITE sip:2@example.net SIP/2.0\r\nSubject: ${text}\r\n\r\n`;
}
