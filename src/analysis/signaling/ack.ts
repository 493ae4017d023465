/**
 * Finds an answer that nobody acknowledged. The answering side sends the 2xx again until an ACK comes (RFC 3261 section
 * 13.3.1.4). Copies that continue prove that no ACK came, even if this capture saw one go somewhere else.
 */

import { times } from '../../core/counted.ts';
import { grouped } from '../../core/maps.ts';
import * as METHOD from '../../core/methods.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { CallMessage, Socket } from '../call-messages.ts';
import { isAnswer, mostAlike } from '../call-messages.ts';
import type { SignalingCall } from './signaling-call.ts';

export type AckMissing = {
  waitedSec: number;
  answerTransmissions: number;
  /** Where an ACK went that did not go to who sent the answer; null without one. */
  strayedTo: string | null;
  /** In what the ACKs differ from the answer that came there and fit none: a phrase; null without them. */
  misfit: string | null;
  evidence: number[];
};

/** Copies so long after an ACK were not on their way yet when it arrived: a satellite's round trip takes two seconds. */
const GOES_ON_US = 3_000_000;

/**
 * A 2xx to an INVITE was sent three times on one leg, or 64*T1 passed, without an ACK there (RFC 3261 13.3.1.4). Time alone
 * says nothing where another leg has an ACK, or where no request of who got the 2xx was captured: a capture that sees one
 * direction alone sees no ACK. An ACK that is lost on one leg is on none beyond it: of several legs without one, that next to the caller
 * lost it, and its 2xx came last.
 */
export function findAckMissing({ d, messages, nowUs, thresholds: t }: SignalingCall): AckMissing | null {
  if (Number.isNaN(d.answerUs)) return null;
  const isAcked = (d.marks & MARK.ACK_SEEN) !== 0;
  // With an ACK on some leg only the number of copies can prove anything: most calls end here.
  if (isAcked && d.retransmits < t.answerTransmissions - 1) return null;
  // The ACK of this leg may be among what is not kept.
  if (isAcked && (d.msgCount > d.keptCount || messages.length < d.keptCount)) return null;
  // Other hops and other forks answer with messages of their own.
  const answered = messages.filter((m) => isAnswer(m) && !m.isCopy);
  if (isAcked && answered.length < t.answerTransmissions) return null;
  const heard = new Ears(messages, answered, t.answerTransmissions);
  const unacked = isAcked ? answered.filter((m) => heard.of(m).isOpen) : answered;
  const most = mostAlike(unacked, (m) => m.key);
  const ofOneSide = unacked.filter((m) => most[0] !== undefined && m.hop.toTag === most[0].hop.toTag);
  const legs = [...grouped(ofOneSide, (m) => m.key).values()];
  const answers = legs.findLast((leg) => leg.length >= t.answerTransmissions) ?? most;
  const first = answers[0];
  if (first === undefined) return null;
  const endUs = Number.isNaN(d.endedUs) ? Math.max(nowUs, d.updatedUs) : d.endedUs;
  const waitedSec = Math.max(0, (endUs - first.tsUs) / 1e6);
  const provesByTime = !isAcked && messages.some((m) => isFrom(m, first.dst)) && passesHere(first, messages);
  if (answers.length < t.answerTransmissions && (!provesByTime || waitedSec < t.ackWaitSec)) return null;
  const stray = isAcked ? heard.of(first).stray : null;
  const misfit = stray === null ? misfitTo(first, answered, messages) : undefined;
  const evidence = [...answers, ...(stray === null ? [] : [stray]), ...(misfit === undefined ? [] : [misfit])];
  return {
    waitedSec,
    answerTransmissions: answers.length,
    strayedTo: stray?.dstText ?? null,
    misfit: misfit === undefined ? null : misfitText(misfit, first, messages),
    evidence: evidence.map((m) => m.index).sort((a, b) => a - b),
  };
}

/**
 * The ACK would come past, and so would a PRACK: it goes from who got the response to its Contact, or to the proxy that asked for
 * it by Record-Route (RFC 3261 section 12.1.2). A proxy that did not sees none where another hop took the response on.
 */
export function passesHere(answer: CallMessage, messages: readonly CallMessage[]): boolean {
  const onward = messages.some(
    (m) => !m.isRequest && m.status === answer.status && m.cseq === answer.cseq && isSame(m.src, answer.dst),
  );
  const before = messages.some(
    (m) => !m.isRequest && m.status === answer.status && m.cseq === answer.cseq && isSame(m.dst, answer.src),
  );
  return (!onward && !before) || (answer.parse()?.values(HEADER.RECORD_ROUTE).length ?? 1) > 0;
}

/** An ACK from who got the answer to who sent it, with the To tag of no answer, or the number of no INVITE. */
function misfitTo(
  answer: CallMessage,
  answered: readonly CallMessage[],
  messages: readonly CallMessage[],
): CallMessage | undefined {
  const tags = new Set(answered.map((m) => m.hop.toTag));
  const numbers = new Set(messages.filter((m) => m.isRequest && m.method === METHOD.INVITE).map(({ cseq }) => cseq));
  return messages.find(
    (m) =>
      m.isRequest &&
      m.method === METHOD.ACK &&
      m.dst.host === answer.src.host &&
      m.src.host === answer.dst.host &&
      m.tsUs >= answer.tsUs &&
      m.hop.toTag !== '' &&
      (m.cseq === answer.cseq ? !tags.has(m.hop.toTag) : !numbers.has(m.cseq)),
  );
}

function misfitText(ack: CallMessage, answer: CallMessage, messages: readonly CallMessage[]): string {
  if (ack.cseq !== answer.cseq) return `CSeq ${ack.cseq}, and the INVITE has ${answer.cseq}`;
  const other = messages.find((m) => !m.isRequest && m.status > 100 && m.hop.toTag === ack.hop.toTag);
  return other === undefined
    ? 'a To tag that no response has'
    : `the To tag of the ${other.status}, which is another one than the answer has`;
}

export function ackMissingHint({ answerTransmissions, waitedSec, strayedTo, misfit }: AckMissing): string {
  const sent = `The answer was sent ${times(answerTransmissions)}`;
  if (misfit !== null) return `${sent}, and no ACK fits it: those that came have ${misfit}.`;
  return strayedTo === null
    ? `${sent} and no ACK came within ${waitedSec.toFixed(1)} s.`
    : `${sent} in spite of an ACK: that went to ${strayedTo}, where the answer did not come from.`;
}

type Heard = {
  /** No ACK reached who answers. */
  readonly isOpen: boolean;
  /** The first ACK that went elsewhere; null without one, or where one arrives. */
  readonly stray: CallMessage | null;
};

/** What who answered heard of the ACKs, by answer and leg. */
class Ears {
  readonly #acks: readonly CallMessage[];
  readonly #copies: ReadonlyMap<string, readonly CallMessage[]>;
  /** Who sent an answer, by its side and socket. */
  readonly #senders: ReadonlySet<string>;
  readonly #leastCopies: number;
  readonly #known = new Map<string, Heard>();

  constructor(messages: readonly CallMessage[], answered: readonly CallMessage[], leastCopies: number) {
    this.#acks = messages.filter((m) => m.isRequest && m.method === METHOD.ACK);
    this.#copies = grouped(answered, (m) => m.key);
    this.#senders = new Set(this.#acks.length === 0 ? [] : answered.map((m) => `${m.hop.toTag} ${m.srcText}`));
    this.#leastCopies = leastCopies;
  }

  of(answer: CallMessage): Heard {
    let heard = this.#known.get(answer.key);
    if (heard === undefined) {
      heard = this.#listen(answer);
      this.#known.set(answer.key, heard);
    }
    return heard;
  }

  /**
   * An ACK of the same called side reaches who sent the 2xx, or leaves who got it. Without Record-Route it takes another way
   * than the 2xx took, and by TCP another port: then it counts unless the 2xx is sent on and on.
   */
  #listen(answer: CallMessage): Heard {
    let stray: CallMessage | null = null;
    for (const ack of this.#acks) {
      if (ack.cseq !== answer.cseq || ack.hop.toTag !== answer.hop.toTag) continue;
      if (isSame(ack.dst, answer.src)) return { isOpen: false, stray: null };
      if (!isNear(ack, answer)) continue;
      if (this.#senders.has(`${ack.hop.toTag} ${ack.dstText}`)) return { isOpen: false, stray: null };
      stray ??= ack;
    }
    return { isOpen: stray === null || this.#goesOn(answer, stray), stray };
  }

  /** The clocks of two sources are not compared. */
  #goesOn(answer: CallMessage, ack: CallMessage): boolean {
    const copies = this.#copies.get(answer.key) ?? [];
    const later = copies.filter((m) => m.origin === ack.origin && m.tsUs > ack.tsUs);
    return later.length >= this.#leastCopies && later.some((m) => m.tsUs - ack.tsUs >= GOES_ON_US);
  }
}

function isNear(ack: CallMessage, answer: CallMessage): boolean {
  if (isSame(ack.src, answer.dst)) return true;
  if (answer.src.host === answer.dst.host || ack.src.host === ack.dst.host) return false;
  return ack.dst.host === answer.src.host || ack.src.host === answer.dst.host;
}

function isFrom({ isRequest, src }: CallMessage, { host }: Socket): boolean {
  return isRequest && src.host === host;
}

function isSame(a: Socket, b: Socket): boolean {
  return a.host === b.host && a.port === b.port;
}
