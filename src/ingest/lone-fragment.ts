/**
 * Reads the first fragment of a datagram of which the rest did not come: whether a SIP message begins there, and which.
 */
import { endpointKey } from '../core/ip.ts';
import type { LoneFragment } from '../decode/fragments.ts';
import type { LostDatagram } from '../store/lost-datagrams.ts';

const UDP = 17;
const UDP_HEADER = 8;
/** Bytes that are read of it: links carry no longer first fragment. */
const READ_BYTES = 2_048;
/** Characters of a Call-ID that is named. */
const CALL_ID_CHARS = 256;

/** Null where no SIP message begins. */
export function readLone({ tsUs, source, proto, ipVersion, addresses, bytes }: LoneFragment): LostDatagram | null {
  if (proto !== UDP || bytes.length <= UDP_HEADER) return null;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', UDP_HEADER, READ_BYTES);
  const start = /^(?:([A-Z]{3,16}) (?:sips?|tel):|SIP\/2\.0 (\d{3}) )/.exec(text);
  if (start === null) return null;
  const [, request = '', status = '0'] = start;
  const [, cseq = '-1', method = request] = /\r?\ncseq[ \t]*:[ \t]*(\d{1,10})[ \t]+([A-Z]{3,16})/i.exec(text) ?? [];
  const callId = /\r?\n(?:call-id|i)[ \t]*:[ \t]*([^\r\n \t]+)[ \t]*\r?\n/i.exec(text)?.[1] ?? '';
  return {
    src: endpointKey(addresses, 0, ipVersion, be16(bytes, 0)),
    dst: endpointKey(addresses, 16, ipVersion, be16(bytes, 2)),
    atUs: tsUs,
    source,
    method,
    status: Number(status),
    cseq: Number(cseq),
    callId: callId.length > CALL_ID_CHARS ? '' : callId,
  };
}

function be16(b: Uint8Array, at: number): number {
  return ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0);
}
