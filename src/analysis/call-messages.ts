/**
 * The kept messages of a dialog, oldest first, as every judge reads them. Plain facts are there at once; the text of a
 * message is read when somebody asks for it, and scanned once.
 */
import { asBuffer } from '../core/byte-text.ts';
import { hashRange } from '../core/hash.ts';
import { endpointText, ipText } from '../core/ip.ts';
import { grouped } from '../core/maps.ts';
import * as METHOD from '../core/methods.ts';
import { METHOD_NAMES, TRANSPORT } from '../core/words.ts';
import { isChallenge, SipMessage } from '../protocols/sip/message.ts';
import { SCAN, type SipScan, scanSip } from '../protocols/sip/scanner/scan.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { NO_ROW, ROW } from '../store/messages/message-rows.ts';
import type { Messages } from '../store/stores.ts';

export type Socket = { readonly host: string; readonly port: number };

/** Bytes of a text of a hop that are kept as they are: a longer one is compared by its beginning and hash. @cap */
const MAX_HOP_BYTES = 256;
const HOP_START_BYTES = 64;

/** Which transaction a message belongs to; its texts are empty where its bytes cannot be read. */
export type Hop = {
  /**
   * Sent-by and branch of the top Via: a response has those of its request, and each hop its own (RFC 3261 section
   * 17.1.3). A CANCEL has those of its INVITE: the method tells them apart.
   */
  readonly transaction: string;
  readonly fromTag: string;
  readonly toTag: string;
};

const UNREAD: Hop = { transaction: '', fromTag: '', toTag: '' };

type Ends = { readonly src: Socket; readonly dst: Socket };
const NOWHERE: Ends = { src: { host: '', port: 0 }, dst: { host: '', port: 0 } };

export class CallMessage {
  /** Index into the dialog's own message list: what `evidence` holds. */
  readonly index: number;
  readonly row: number;
  readonly tsUs: number;
  /** METHOD id; of the CSeq for a response. */
  readonly method: number;
  /** 0 for a request. */
  readonly status: number;
  readonly cseq: number;
  /** Number of the source that carried it (ORIGINS). */
  readonly origin: number;
  /** Number of its transport (TRANSPORTS). */
  readonly transport: number;
  readonly #log: Messages;
  readonly #flags: number;
  #sockets: Ends | undefined;
  #scan: SipScan | undefined;
  #hop: Hop | undefined;
  #key: string | undefined;

  constructor(log: Messages, row: number, index: number) {
    this.#log = log;
    this.#flags = log.flags(row);
    this.index = index;
    this.row = row;
    this.tsUs = log.tsUs(row);
    this.method = log.method(row);
    this.status = log.status(row);
    this.cseq = log.cseq(row);
    this.origin = log.origin(row);
    this.transport = log.transport(row);
  }

  get src(): Socket {
    return this.#ends().src;
  }

  get dst(): Socket {
    return this.#ends().dst;
  }

  get isRequest(): boolean {
    return (this.#flags & ROW.REQUEST) !== 0;
  }

  get isRetransmission(): boolean {
    return (this.#flags & ROW.RETRANSMISSION) !== 0;
  }

  /** The same packet seen twice, or the same message from another source. */
  get isCopy(): boolean {
    return this.isDuplicate || this.isOfAnotherSource;
  }

  /** Another source carried the same message. */
  get isOfAnotherSource(): boolean {
    return (this.#flags & ROW.COPY) !== 0;
  }

  /** The same packet seen twice. */
  get isDuplicate(): boolean {
    return (this.#flags & ROW.DUPLICATE) !== 0;
  }

  /** Neither sent again nor seen again. */
  get isFirst(): boolean {
    return !this.isRetransmission && !this.isCopy;
  }

  /** The capture cut its bytes. */
  get isSnapped(): boolean {
    return (this.#flags & ROW.SNAPPED) !== 0;
  }

  /** Its addresses are likely, not proven. */
  get isWeak(): boolean {
    return (this.#flags & ROW.WEAK) !== 0;
  }

  get hasCredentials(): boolean {
    return this.isRequest && (this.#flags & ROW.CREDENTIALS) !== 0;
  }

  /** Demands credentials of who has given none yet, or none for this nonce. */
  get isChallenge(): boolean {
    return isChallenge(this.status) && (this.#flags & ROW.REFUSAL) === 0;
  }

  /** Same key: the same message in the same direction, sent again. */
  get key(): string {
    this.#key ??= this.#log.fingerprintKey(this.row);
    return this.#key;
  }

  /** Between which sockets it went. */
  get way(): string {
    return `${this.src.host} ${this.src.port} ${this.dst.host} ${this.dst.port}`;
  }

  get srcText(): string {
    return endpointText(this.src.host, this.src.port);
  }

  get dstText(): string {
    return endpointText(this.dst.host, this.dst.port);
  }

  get byteLength(): number {
    return this.isKept ? this.#log.byteLength(this.row) : 0;
  }

  /** False once it has been evicted: whoever rests between two messages asks again. */
  get isKept(): boolean {
    return this.#log.has(this.row);
  }

  /** In place: valid until the log's next append. Empty once it has been evicted. */
  get bytes(): Buffer {
    return this.isKept ? asBuffer(this.#log.bytes(this.row)) : Buffer.alloc(0);
  }

  /** The bytes, and offsets into them; null where they are gone or no SIP. */
  read(): { readonly bytes: Buffer; readonly scan: SipScan } | null {
    const { bytes } = this;
    if (bytes.length === 0) return null;
    this.#scan ??= scanSip(bytes, 0, bytes.length);
    return this.#scan.code === SCAN.OK ? { bytes, scan: this.#scan } : null;
  }

  get hop(): Hop {
    this.#hop ??= hopOf(this);
    return this.#hop;
  }

  /** Does beforehand what takes time in `hop`. */
  readHop(): void {
    this.#hop ??= hopOf(this);
  }

  /** Every header; null where the bytes are gone or no SIP. */
  parse(): SipMessage | null {
    const text = this.read();
    return text && new SipMessage(text.bytes, text.scan);
  }

  #ends(): Ends {
    if (this.#sockets !== undefined) return this.#sockets;
    if (!this.isKept) return NOWHERE;
    const { bytes, srcOff, dstOff, srcPort, dstPort } = this.#log.endpoints(this.row);
    const version = (this.#flags & ROW.IPV6) === 0 ? 4 : 6;
    this.#sockets = {
      src: { host: ipText(bytes, srcOff, version), port: srcPort },
      dst: { host: ipText(bytes, dstOff, version), port: dstPort },
    };
    return this.#sockets;
  }
}

function hopOf(m: CallMessage): Hop {
  const found = m.read();
  if (found === null) return UNREAD;
  const { bytes, scan } = found;
  const text = (start: number, end: number): string => hopText(bytes, start, end);
  const { viaStart, viaEnd } = scan;
  const params = viaStart < 0 ? -1 : bytes.subarray(viaStart, viaEnd).indexOf(SEMICOLON);
  const sentBy = text(viaStart, params < 0 ? viaEnd : viaStart + params);
  const branch = text(scan.branchStart, scan.branchEnd);
  return {
    transaction: `${sentBy.trim().toLowerCase().split(/\s+/).join(' ')} ${branch}`,
    fromTag: text(scan.fromTagStart, scan.fromTagEnd),
    toTag: text(scan.toTagStart, scan.toTagEnd),
  };
}

const SEMICOLON = 0x3b;

/** Judges compare each message of a call with each: texts of 60 kB that differ in their last byte would hold them up. */
function hopText(bytes: Buffer, start: number, end: number): string {
  if (start < 0) return '';
  if (end - start <= MAX_HOP_BYTES) return bytes.toString('latin1', start, end);
  return `${bytes.toString('latin1', start, start + HOP_START_BYTES)}…${end - start}:${hashRange(bytes, start, end)}`;
}

export function messagesOf(d: Dialog, log: Messages): CallMessage[] {
  const found: CallMessage[] = [];
  for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row))
    found.push(new CallMessage(log, row, found.length));
  return found;
}

/** The oldest message that is kept; null without one. */
export function openerOf(d: Dialog, log: Messages): CallMessage | null {
  return d.headRow !== NO_ROW && log.has(d.headRow) ? new CallMessage(log, d.headRow, 0) : null;
}

/** As the wire wrote it where it is none that is known; of two such in one dialog the one that opened it. */
export function methodName(d: Dialog, method: number): string {
  return method === METHOD.OTHER && d.methodId === METHOD.OTHER ? d.methodText : (METHOD_NAMES[method] ?? 'OTHER');
}

/** The largest group of messages that are alike by what `keyOf` says of each: a capture that sees a call on several hops sees each message again. */
export function mostAlike(list: readonly CallMessage[], keyOf: (m: CallMessage) => string): CallMessage[] {
  let most: CallMessage[] = [];
  for (const group of grouped(list, keyOf).values()) if (group.length > most.length) most = group;
  return most;
}

/** CSeq, as one number: what is sent again, or passed on, keeps it. */
export function numberOf({ cseq, method }: CallMessage): number {
  return cseq * METHOD_NAMES.length + method;
}

/** A connection carried it, and this capture saw which: of a mirror or a probe nobody knows. */
export function isOnStream({ transport, origin }: CallMessage): boolean {
  return origin === 0 && (transport === TRANSPORT.TCP || transport === TRANSPORT.WS);
}

/** A 2xx to an INVITE. */
export function isAnswer(m: CallMessage): boolean {
  return !m.isRequest && m.method === METHOD.INVITE && m.status >= 200 && m.status < 300;
}

/** The responses of the call take a way that this capture does not see: none is here, and an ACK says that there was one. */
export function lacksResponses(messages: readonly CallMessage[]): boolean {
  return messages.some((m) => m.method === METHOD.ACK) && messages.every((m) => m.isRequest);
}
