/**
 * Counts what calls, registrations and OPTIONS come to on each trunk, as they happen: what is evicted later was counted.
 *
 * An attempt is the INVITE of one dialog on one hop, with the rounds that credentials take; it belongs to the minute of its
 * first INVITE. Only the final response on that hop decides it (RFC 3261 section 17.1.1).
 */
import { hashBytes, mixHashes } from '../../core/hash.ts';
import * as METHOD from '../../core/methods.ts';
import type { TrunkBounds } from '../../core/trunk-bounds.ts';
import { OTHER_TRUNK, type Trunks } from '../../core/trunks.ts';
import type { Observer } from '../../ingest/observer.ts';
import { isChallenge } from '../../protocols/sip/message.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Packet } from '../../sources/packet.ts';
import { isAnswer } from '../../store/dialogs/call-outcome.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { isEnded, STATE } from '../../store/dialogs/dialog-state.ts';
import type { Stream } from '../../store/media/stream.ts';
import { NO_PLACE } from '../../store/media/stream-columns.ts';
import { NONE } from '../../store/row-blocks.ts';
import type { Capture } from '../../store/stores.ts';
import type { Attempts, HopInHand } from '../numbers/attempts.ts';
import type { HopOfCall, NumbersOptions } from '../numbers/numbers.ts';
import { Numbers } from '../numbers/numbers.ts';
import { CallPairs } from '../overview/call-pairs.ts';
import { FailingRegistrations } from './failing-registrations.ts';
import { HOP_FACT, Hops, hopFrom, host } from './hops.ts';
import type { TellTrunk } from './trunk-alarm.ts';
import { TrunkAlarm } from './trunk-alarm.ts';
import { TrunkEnds } from './trunk-ends.ts';
import { heardOf, mediaOn, streamsOn } from './trunk-media.ts';
import { TrunkPings } from './trunk-pings.ts';
import type { TrunkRow } from './trunk-row.ts';
import { minuteOf } from './trunk-spans.ts';
import { TrunkStore } from './trunk-store.ts';

/** Of INVITEs: a success stays, another final beats a demand for credentials. */
const rank = (code: number): number => (code === 0 ? 0 : isAnswer(code) ? 3 : isChallenge(code) ? 1 : 2);

/** So many messages make figures of 11 MiB at most before they are weighed: a call that is refused, 2.7 KiB at both ends. */
const WEIGHED_EVERY = 4_096;

/** What the operator calls trouble: so many OPTIONS in a row without any answer, and figures beyond their bounds. */
export type TrunkRules = { readonly downAfter: number; readonly bounds: TrunkBounds };

export class TrunkWatch implements Observer {
  readonly store: TrunkStore;
  readonly pairs = new CallPairs();
  readonly #trunks: Trunks;
  readonly #ends: TrunkEnds;
  readonly #pings = new TrunkPings();
  readonly #alarm: TrunkAlarm;
  readonly #hops: Hops;
  readonly #failing = new FailingRegistrations();
  /** What chosen groups of metrics count; null where none does. */
  readonly numbers: Numbers | null;
  /** Settles attempts, for who counts them. */
  readonly #attempts: Attempts | null;
  #messages = 0;
  /** Capture time: of files by their messages, else by the clock. */
  #nowUs = Number.NEGATIVE_INFINITY;
  #hasClock = false;

  /** `tell` hears when a trunk with a name gets into trouble, and when that is over. */
  constructor(trunks: Trunks, rules: TrunkRules, tell: TellTrunk, numbers: NumbersOptions | null = null) {
    this.#trunks = trunks;
    this.store = new TrunkStore(rules.downAfter, rules.bounds, trunks.names);
    this.#alarm = new TrunkAlarm(tell);
    this.#ends = new TrunkEnds(trunks, this.store);
    this.#hops = new Hops((hop) => {
      this.#setTalking(hop, false);
      this.#countRegistration(hop, 0);
      this.#attempts?.onLeave(hop);
    });
    const at = (hop: number): HopInHand => ({ hop, rows: this.#rowsAt(hop), sinceUs: this.#hops.inviteUs(hop) });
    this.numbers = numbers === null ? null : new Numbers(numbers, this.store, at);
    this.#attempts = this.numbers?.attempts ?? null;
  }

  /** What the trunk at an address is called: its name, else the address; null for our own side. */
  called(address: string): string | null {
    return this.#ends.called(address);
  }

  /** Attempts that gave way to others before their end was seen, and those that were not counted: their call has too many. */
  get lost(): { readonly cutShort: number; readonly beyondCall: number } {
    return this.#hops;
  }

  onMessage(buf: Buffer, _start: number, _end: number, scan: SipScan, c: Packet, d: Dialog | null): void {
    if (d === null || c.ipVersion === 0) return;
    if (!this.#hasClock && c.tsUs > this.#nowUs) this.#nowUs = c.tsUs;
    if (++this.#messages % WEIGHED_EVERY === 0) {
      this.store.tick(this.#nowUs);
      this.store.weigh();
    }
    this.#attempts?.sweep(this.#nowUs);
    const method = scan.isRequest ? scan.method : scan.cseqMethod;
    switch (method) {
      case METHOD.INVITE:
      case METHOD.REGISTER:
        if (scan.isRequest) this.#onRequest(buf, scan, c, d);
        else this.#onResponse(buf, scan, c, d);
        break;
      case METHOD.BYE:
        if (scan.isRequest) this.#onBye(scan, c, d);
        else if (this.#attempts !== null) this.#onByeResponse(this.#attempts, scan, c, d);
        break;
      case METHOD.OPTIONS:
        if (scan.isRequest) this.#ends.learn(buf, scan, c);
        this.#onOptions(scan, c, d);
        break;
      default:
        break;
    }
    if (d.retransmits > 0) this.#noteRepeats(d, scan, c);
  }

  #onOptions(scan: SipScan, c: Packet, d: Dialog): void {
    const answered: TrunkRow[] = [];
    let roundTripMs = Number.NaN;
    for (const row of this.#rowsOf(scan.isRequest, c)) {
      this.#alarm.look(row, c.tsUs);
      const ms = this.#pings.onMessage(row, scan, c.tsUs);
      if (!Number.isNaN(ms)) {
        answered.push(row);
        roundTripMs = ms;
      }
      this.#alarm.look(row, c.tsUs);
    }
    this.numbers?.rfc6076?.onPing(answered, roundTripMs / 1000, d);
  }

  onDialogState(d: Dialog, from: number, capture: Capture): void {
    if (d.family === 1) this.#onRegistration(d);
    else if (isEnded(d.state) && !isEnded(from)) this.#hear(d, capture);
  }

  onDialogGone(d: Dialog, capture: Capture): void {
    // Another dialog of this call begins to count anew.
    if (d.retransmits > 0) for (const hop of this.#hops.of(d)) this.#hops.setRepeats(hop, 0);
    const attempts = this.#attempts;
    if (attempts !== null) for (const hop of this.#hops.of(d)) attempts.onGone(hop);
    if (d.family === 1) for (const hop of this.#hops.of(d)) this.#countRegistration(hop, 0);
    else if (d.newestStream !== NO_PLACE) this.#hear(d, capture);
  }

  /** The files have ended, and calls with them. */
  onStreamEnd({ dialog }: Stream, capture: Capture): void {
    if (dialog !== null) this.#hear(dialog, capture);
  }

  onTick(nowUs: number): void {
    this.#hasClock = true;
    this.#nowUs = nowUs;
    this.store.tick(nowUs);
    this.#attempts?.sweep(nowUs);
    this.#lookAtAll();
  }

  onFinish({ nowUs }: Capture): void {
    this.#attempts?.sweep(nowUs);
    this.#lookAtAll();
  }

  #lookAtAll(): void {
    for (const row of this.store.rows) this.#alarm.look(row, this.#nowUs);
  }

  /** What can be reached now was down perhaps: that is told first. */
  #noteAnswered(row: TrunkRow, scan: SipScan, tsUs: number): void {
    row.seen(tsUs);
    if (row.direction === 'out' || isAnswer(scan.status)) row.isProven = true;
    if (scan.cseqMethod !== METHOD.INVITE) return;
    this.#alarm.look(row, tsUs);
    row.invites.answered(tsUs);
    this.#alarm.look(row, tsUs);
  }

  #onRequest(buf: Buffer, scan: SipScan, c: Packet, d: Dialog): void {
    const hop = this.#find(d, c, true, scan.method);
    if (hop === NONE) {
      if (scan.toTagStart < 0) this.#open(buf, scan, c, d);
      return;
    }
    // Credentials after a challenge, or the same call once more: the delay counts from the INVITE that is answered.
    const code = this.#hops.finalCode(hop);
    if (scan.cseq <= this.#hops.cseq(hop) || isAnswer(code)) return;
    // Some write the tag of the challenge into what they send with credentials: without an answer that is no re-INVITE.
    if (scan.toTagStart >= 0 && code === 0) return;
    this.#hops.setCseq(hop, scan.cseq);
    this.#hops.setInviteUs(hop, c.tsUs);
    this.#hops.setProgressUs(hop, Number.NaN);
    if (isChallenge(this.#hops.finalCode(hop))) this.#hops.mark(hop, HOP_FACT.RETRIED, true);
    this.#attempts?.onRound(hop, { buf, scan, c, d });
  }

  #open(buf: Buffer, scan: SipScan, c: Packet, d: Dialog): void {
    this.#ends.learn(buf, scan, c);
    const inRow = this.#ends.row(c, true, 'in');
    const outRow = this.#ends.row(c, false, 'out');
    // Of our own side alone it is a pair of who calls whom, and no trunk's.
    if (inRow === null && outRow === null && scan.method !== METHOD.INVITE) return;
    const hop = this.#hops.open(d, hopFrom(c, true, scan.method), host(c, false), c.tsUs);
    if (hop === NONE) return;
    const minute = minuteOf(c.tsUs);
    this.#hops.setInRow(hop, inRow?.id ?? 0);
    this.#hops.setOutRow(hop, outRow?.id ?? 0);
    this.#hops.setMinute(hop, minute);
    if (scan.method === METHOD.INVITE) {
      const [from, to] = [this.#ends.pairEndOf(c, true), this.#ends.pairEndOf(c, false)];
      this.#hops.setPair(hop, this.pairs.open(from, to, minute));
    }
    this.#hops.setCseq(hop, scan.cseq);
    this.#hops.setRepeats(hop, d.retransmits);
    const isTrusted = inRow === null || inRow.isConfigured || !this.#trunks.knowsStrangers;
    this.#hops.mark(hop, HOP_FACT.TRUSTED, isTrusted);
    this.#hops.mark(hop, HOP_FACT.REGISTER, scan.method === METHOD.REGISTER);
    for (const row of this.#rowsAt(hop)) {
      row.seen(c.tsUs);
      if (scan.method !== METHOD.INVITE) continue;
      row.spans.addCall(minute, (f) => {
        f.attempts++;
      });
      this.#alarm.look(row, c.tsUs);
      if (isTrusted || !row.isConfigured) row.invites.asked(c.tsUs);
    }
    this.#attempts?.onOpen(hop, { buf, scan, c, d });
  }

  #onResponse(buf: Buffer, scan: SipScan, c: Packet, d: Dialog): void {
    const hops = this.#hops;
    const hop = this.#find(d, c, false, scan.cseqMethod);
    if (hop === NONE) return;
    const isInvite = scan.cseqMethod === METHOD.INVITE;
    const [inRow, outRow] = [hops.inRow(hop), hops.outRow(hop)];
    if (inRow > 0) this.#noteAnswered(this.store.byId(inRow, 'in'), scan, c.tsUs);
    if (outRow > 0) this.#noteAnswered(this.store.byId(outRow, 'out'), scan, c.tsUs);
    if (this.#attempts !== null && scan.cseq === hops.cseq(hop)) {
      if (isInvite) this.numbers?.devices?.onAnswerOf(hop, buf, scan);
      this.#attempts.onResponse(hop, scan, c, d);
    }
    if (!isInvite || scan.cseq !== hops.cseq(hop)) return;
    if (scan.status >= 180 && scan.status < 190 && Number.isNaN(hops.progressUs(hop))) hops.setProgressUs(hop, c.tsUs);
    const before = hops.finalCode(hop);
    if (scan.status < 200 || rank(before) === 3 || rank(scan.status) < rank(before)) return;
    hops.setFinalCode(hop, scan.status);
    const delayMs = isChallenge(scan.status) ? Number.NaN : this.#delayMs(hop, c.tsUs);
    for (const row of this.#rowsAt(hop)) {
      row.spans.addCall(hops.minute(hop), (f) => {
        f.noteCode(scan.status, before);
        if (delayMs >= 0) f.notePdd(delayMs);
      });
      row.noteFinal(scan.status);
      if (delayMs >= 0 && hops.has(hop, HOP_FACT.TRUSTED)) row.pdd?.note(delayMs / 1000, c.tsUs);
    }
    this.#noteEnd(hop, scan.status, before, c);
    if (!isAnswer(scan.status)) return;
    if (!isAnswer(before)) this.pairs.answered(hops.pair(hop), hops.minute(hop));
    hops.setAnswerUs(hop, c.tsUs);
    this.#setTalking(hop, true);
  }

  /** How the attempt ended, so far: a demand for credentials ends it where these were sent already, and a redirection does not. */
  #noteEnd(hop: number, code: number, before: number, c: Packet): void {
    const hops = this.#hops;
    if (!hops.has(hop, HOP_FACT.TRUSTED)) return;
    const isKnown = hops.has(hop, HOP_FACT.NOTED);
    const isOpen = isChallenge(code) ? !hops.has(hop, HOP_FACT.RETRIED) : code >= 300 && code < 400;
    if (isOpen && !isKnown) return;
    hops.mark(hop, HOP_FACT.NOTED, true);
    const address = this.#ends.addressOf(c, true);
    for (const row of this.#rowsAt(hop)) {
      row.calls?.note(hop, code, isKnown ? before : 0, address, c.tsUs);
      this.#alarm.look(row, c.tsUs);
    }
  }

  /** The post-dial delay, once an attempt; NaN where it was counted, or time went back. */
  #delayMs(hop: number, finalUs: number): number {
    const hops = this.#hops;
    if (hops.has(hop, HOP_FACT.DELAYED)) return Number.NaN;
    hops.mark(hop, HOP_FACT.DELAYED, true);
    const progressUs = hops.progressUs(hop);
    return ((Number.isNaN(progressUs) ? finalUs : progressUs) - hops.inviteUs(hop)) / 1000;
  }

  /** Whoever hangs up, the call is over on all hops between these hosts. */
  #onBye(scan: SipScan, c: Packet, d: Dialog): void {
    // The dialog knows the BYE of a fork that rang or answered too: the call goes on (RFC 3261 section 13.2.2.4).
    if (scan.toTagStart >= 0 && (d.state === STATE.InCall || d.state === STATE.Transferring)) return;
    const hops = this.#hops;
    const [a, b] = [host(c, true), host(c, false)];
    for (const hop of hops.of(d)) {
      if (!hops.isBetween(hop, a, b)) continue;
      if (!hops.has(hop, HOP_FACT.TALKING)) {
        this.#attempts?.onByeAgain(hop, scan, c.tsUs, a);
        continue;
      }
      this.#setTalking(hop, false);
      const sec = Math.max(0, c.tsUs - hops.answerUs(hop)) / 1e6;
      for (const row of this.#rowsAt(hop))
        row.spans.add(hops.minute(hop), (f) => {
          f.talks++;
          f.talkSec += sec;
        });
      this.#attempts?.onBye(hop, scan, c.tsUs, a, sec, d);
    }
  }

  /** The hops of a call with a trunk at one end at least. */
  hopsOf(d: Dialog): HopOfCall[] {
    const hops = this.#hops.of(d).map((hop) => {
      return { hop, rows: this.#rowsAt(hop), isAnswered: isAnswer(this.#hops.finalCode(hop)) };
    });
    return hops.filter(({ rows }) => rows.length > 0);
  }

  /** The streams that were heard on the trunk of a row: from or to its own addresses, else all. */
  heardOn<T extends { readonly stream: Stream }>(row: TrunkRow, streams: readonly T[]): readonly T[] {
    return streamsOn(streams, (address) => row.name !== OTHER_TRUNK && this.#ends.called(address) === row.name);
  }

  #onByeResponse(attempts: Attempts, scan: SipScan, c: Packet, d: Dialog): void {
    const to = host(c, false);
    for (const hop of [this.#find(d, c, true, METHOD.BYE), this.#find(d, c, false, METHOD.BYE)])
      if (hop !== NONE) attempts.onByeResponse(hop, scan, c.tsUs, to, d);
  }

  /** Counts once how a call sounded: of several trunks that were tried, on the one that answered. */
  #hear(d: Dialog, capture: Capture): void {
    const hops = this.#hops;
    const answered = this.#hops.of(d).filter((hop) => isAnswer(hops.finalCode(hop)) && !hops.has(hop, HOP_FACT.HEARD));
    if (answered.length === 0) return;
    const heard = heardOf(d, capture);
    const done = new Set<TrunkRow>();
    for (const hop of answered) {
      hops.mark(hop, HOP_FACT.HEARD, true);
      if (heard.length === 0) continue;
      for (const row of this.#rowsAt(hop)) {
        if (done.has(row)) continue;
        done.add(row);
        const media = mediaOn(heard, (address) => row.name !== OTHER_TRUNK && this.#ends.called(address) === row.name);
        row.spans.addCall(hops.minute(hop), (f) => {
          f.lost += media.lost;
          f.expected += media.expected;
          if (media.mos !== null) f.noteMos(media.mos);
        });
        if (media.mos !== null && hops.has(hop, HOP_FACT.TRUSTED)) row.mos?.note(media.mos, this.#nowUs);
        this.#alarm.look(row, this.#nowUs);
      }
    }
  }

  #onRegistration(d: Dialog): void {
    const fact = d.state === STATE.Registered ? HOP_FACT.REGISTERED : d.state === STATE.Failed ? HOP_FACT.FAILING : 0;
    const who = fact === 0 ? 0 : hashBytes(Buffer.from(d.to), 0, Buffer.byteLength(d.to));
    for (const hop of this.#hops.of(d)) {
      if (!this.#hops.has(hop, HOP_FACT.REGISTER)) continue;
      const key = mixHashes(mixHashes(this.#hops.from(hop), this.#hops.to(hop)), who);
      const earlier = fact === 0 ? null : this.#failing.other(key, hop);
      if (earlier !== null) this.#countRegistration(earlier, 0);
      this.#countRegistration(hop, fact);
      if (fact === HOP_FACT.FAILING) this.#failing.note(key, hop);
      for (const row of this.#rowsAt(hop)) {
        if (fact === HOP_FACT.FAILING)
          row.spans.add(minuteOf(d.updatedUs), (f) => {
            f.registrationsFailed++;
          });
        this.#alarm.look(row, d.updatedUs);
      }
    }
  }

  /** `fact` says whether it holds or fails; 0 neither. */
  #countRegistration(hop: number, fact: number): void {
    const hops = this.#hops;
    const isHeld = fact === HOP_FACT.REGISTERED;
    const isFailing = fact === HOP_FACT.FAILING;
    const held = Number(isHeld) - Number(hops.has(hop, HOP_FACT.REGISTERED));
    const failing = Number(isFailing) - Number(hops.has(hop, HOP_FACT.FAILING));
    if (held === 0 && failing === 0) return;
    if (!isFailing) this.#failing.forget(hop);
    hops.mark(hop, HOP_FACT.REGISTERED, isHeld);
    hops.mark(hop, HOP_FACT.FAILING, isFailing);
    for (const row of this.#rowsAt(hop)) {
      row.registered += held;
      row.failing += failing;
    }
  }

  #setTalking(hop: number, isTalking: boolean): void {
    if (this.#hops.has(hop, HOP_FACT.TALKING) === isTalking) return;
    this.#hops.mark(hop, HOP_FACT.TALKING, isTalking);
    for (const row of this.#rowsAt(hop)) {
      row.talking += isTalking ? 1 : -1;
      if (!isTalking) continue;
      row.spans.add(minuteOf(this.#hops.answerUs(hop)), (f) => {
        f.mostTalking = Math.max(f.mostTalking, row.talking);
      });
    }
  }

  /** A message that came again counts on its own hop; on none where only our own side is. */
  #noteRepeats(d: Dialog, scan: SipScan, c: Packet): void {
    const hops = this.#hops;
    const method = scan.isRequest ? scan.method : scan.cseqMethod;
    const [from, to] = [hopFrom(c, scan.isRequest, method), host(c, !scan.isRequest)];
    let [own, more] = [NONE, 0];
    for (const hop of this.#hops.of(d)) {
      const isSame = hops.from(hop) === from && hops.to(hop) === to;
      // Within a call, the callee asks too.
      if (isSame || (own === NONE && hops.isBetween(hop, from, to))) {
        own = hop;
        more = d.retransmits - hops.repeats(hop);
      }
      hops.setRepeats(hop, d.retransmits);
    }
    if (own === NONE || more <= 0) return;
    for (const row of this.#rowsAt(own))
      row.spans.add(minuteOf(c.tsUs), (f) => {
        f.retransmits += more;
      });
  }

  /** The hop of a request, or of a response to it. */
  #find(d: Dialog, c: Packet, isRequest: boolean, method: number): number {
    return this.#hops.find(d, hopFrom(c, isRequest, method), host(c, !isRequest));
  }

  /** The rows at both ends of a hop. */
  #rowsAt(hop: number): readonly TrunkRow[] {
    const rows: TrunkRow[] = [];
    const [inRow, outRow] = [this.#hops.inRow(hop), this.#hops.outRow(hop)];
    if (inRow > 0) rows.push(this.store.byId(inRow, 'in'));
    if (outRow > 0) rows.push(this.store.byId(outRow, 'out'));
    return rows;
  }

  /** The rows that a request goes between, by it or by a response to it. */
  #rowsOf(isRequest: boolean, c: Packet): readonly TrunkRow[] {
    const rows = [this.#ends.row(c, isRequest, 'in'), this.#ends.row(c, !isRequest, 'out')];
    return rows.filter((row) => row !== null);
  }
}
