/**
 * Which messages of a dialog belong together on one hop: a capture point beside a proxy sees each hop's own transactions.
 */
import { asBuffer } from '../../core/byte-text.ts';
import { ipText } from '../../core/ip.ts';
import { SCAN, SipScan, scanSip } from '../../protocols/sip/scanner/scan.ts';
import { ROW } from '../../store/messages/message-rows.ts';
import type { Messages } from '../../store/stores.ts';
import type { MessageView } from '../message-list.ts';

const scan = new SipScan();

type Socket = { readonly host: string; readonly port: number };

/** Where a message belongs; its texts are empty where its bytes cannot be read. */
export type Hop = {
  /**
   * Sent-by and branch of the top Via: a response has those of its request, and each hop its own (RFC 3261 section
   * 17.1.3). A CANCEL has those of its INVITE: the method tells them apart.
   */
  readonly transaction: string;
  readonly toTag: string;
  readonly src: Socket;
  readonly dst: Socket;
};

/** Reads each message once, however often it is asked for. */
export function hopReader(log: Messages): (m: MessageView) => Hop {
  const known = new Map<number, Hop>();
  return (m) => {
    const hop = known.get(m.row) ?? readHop(m, log);
    known.set(m.row, hop);
    return hop;
  };
}

function readHop(m: MessageView, log: Messages): Hop {
  const { bytes: addresses, srcOff, dstOff, srcPort, dstPort } = log.endpoints(m.row);
  const version = (log.flags(m.row) & ROW.IPV6) === 0 ? 4 : 6;
  const src = { host: ipText(addresses, srcOff, version), port: srcPort };
  const dst = { host: ipText(addresses, dstOff, version), port: dstPort };
  const bytes = asBuffer(log.bytes(m.row));
  if (scanSip(bytes, 0, bytes.length, scan) !== SCAN.OK) return { transaction: '', toTag: '', src, dst };
  const text = (start: number, end: number): string => (start < 0 ? '' : bytes.toString('latin1', start, end));
  const sentBy = text(scan.viaStart, scan.viaEnd).split(';', 1)[0] ?? '';
  const branch = text(scan.branchStart, scan.branchEnd);
  const transaction = `${sentBy.trim().toLowerCase().split(/\s+/).join(' ')} ${branch}`;
  return { transaction, toTag: text(scan.toTagStart, scan.toTagEnd), src, dst };
}

/**
 * Whether an ACK acknowledges a 2xx on its leg: of the same called side, it reaches who sent that, or leaves who got it.
 * Without Record-Route it takes another way than the 2xx took, and by TCP another port.
 */
export function acknowledges(ack: Hop, answer: Hop): boolean {
  if (ack.toTag !== answer.toTag) return false;
  if (isSame(ack.dst, answer.src) || isSame(ack.src, answer.dst)) return true;
  if (answer.src.host === answer.dst.host || ack.src.host === ack.dst.host) return false;
  return ack.dst.host === answer.src.host || ack.src.host === answer.dst.host;
}

function isSame(a: Socket, b: Socket): boolean {
  return a.host === b.host && a.port === b.port;
}
