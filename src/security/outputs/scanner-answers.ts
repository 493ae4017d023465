/**
 * Answers scanners from the socket address they asked: which requests, and how many.
 *
 * A source address on UDP can be forged, so an answer may reach a victim: it is hardly longer than the request, and a
 * source gets few of them a second, everybody together not many more. Wall-clock time limits, for packets are sent now.
 */

import { randomBytes } from 'node:crypto';
import { getSystemErrorName } from 'node:util';
import { ipText } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import { TRANSPORT } from '../../core/words.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { NativeBinding } from '../../sources/native.ts';
import type { Packet } from '../../sources/packet.ts';
import { type SourceKey, sourceKey } from '../source-key.ts';
import { scannerReply } from './scanner-reply.ts';

const PER_SOURCE_A_SECOND = 5;
const A_SECOND = 50;
const SECOND_MS = 1000;

/** What became of requests that could be answered; they never fall. */
export type AnswerCounts = { sent: number; limited: number; unanswerable: number; failed: number };

export class ScannerAnswers {
  readonly counts: AnswerCounts = { sent: 0, limited: 0, unanswerable: 0, failed: 0 };
  readonly #native: Pick<NativeBinding, 'openReply' | 'sendReply' | 'closeSocket'>;
  readonly #status: number;
  readonly #now: () => number;
  readonly #say: (line: string) => void;
  readonly #sockets: Record<4 | 6, number>;
  /** Answers by source in the second that runs. */
  readonly #bySource = new Map<SourceKey, number>();
  #total = 0;
  #secondMs = 0;
  /** The newest failure that was reported: -errno. */
  #saidError = 0;

  constructor(
    native: Pick<NativeBinding, 'openReply' | 'sendReply' | 'closeSocket'>,
    status: number,
    say: (line: string) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#native = native;
    this.#status = status;
    this.#say = say;
    this.#now = now;
    this.#sockets = { 4: native.openReply(4), 6: native.openReply(6) };
  }

  /** errno of the socket that could not be opened (EPERM without CAP_NET_RAW), 0 when both are open. */
  get openError(): number {
    return Math.max(0, -this.#sockets[4], -this.#sockets[6]);
  }

  /** A request of a source that was reported. */
  answer(buf: Buffer, scan: SipScan, c: Packet): void {
    if (c.transport !== TRANSPORT.UDP || c.isSnapped || scan.method === METHOD.ACK) return;
    const version = c.ipVersion === 6 ? 6 : 4;
    const source = ipText(c.addresses, c.srcOff, version);
    if (!this.#take(sourceKey(c.addresses, c.srcOff, version, null))) {
      this.counts.limited++;
      return;
    }
    const end = Math.max(scan.messageEnd, scan.startLineEnd);
    const tag = randomBytes(6).toString('hex');
    const reply = scannerReply(buf, scan.messageStart, end, this.#status, source, c.srcPort, tag);
    if (reply === null) {
      this.counts.unanswerable++;
      return;
    }
    const fd = this.#sockets[version];
    const { addresses, srcOff, dstOff, dstPort } = c;
    const error =
      fd < 0 ? fd : this.#native.sendReply(fd, version, addresses, dstOff, dstPort, srcOff, reply.port, reply.bytes);
    if (error === 0) {
      this.counts.sent++;
      this.#say(`answered ${source} port ${reply.port} with ${this.#status}`);
      return;
    }
    this.counts.failed++;
    if (error === this.#saidError) return;
    this.#saidError = error;
    this.#say(`cannot answer ${source} (${getSystemErrorName(error)}); only counting more of these`);
  }

  close(): void {
    for (const fd of Object.values(this.#sockets)) if (fd >= 0) this.#native.closeSocket(fd);
    this.#sockets[4] = -1;
    this.#sockets[6] = -1;
  }

  #take(source: SourceKey): boolean {
    const now = this.#now();
    if (now - this.#secondMs >= SECOND_MS) {
      this.#secondMs = now;
      this.#total = 0;
      this.#bySource.clear();
    }
    const n = this.#bySource.get(source) ?? 0;
    if (n >= PER_SOURCE_A_SECOND || this.#total >= A_SECOND) return false;
    this.#bySource.set(source, n + 1);
    this.#total++;
    return true;
  }
}
