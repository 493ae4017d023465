/**
 * One dialog record: what all messages of one Call-ID add up to.
 *
 * Fields are plain numbers where they can be; times are capture time in microseconds, NaN while
 * unknown. Text is made once, when the dialog opens.
 */

import { asBuffer, rangeOf, rawText, stringOf } from '../../core/byte-text.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { tally } from '../../core/tally.ts';
import { METHOD_NAMES } from '../../core/words.ts';
import type { SdpEntry } from '../media/sdp-timeline.ts';
import { NO_ROW } from '../messages/message-rows.ts';
import { NONE } from '../row-blocks.ts';
import { shownCallId } from './call-id.ts';
import type { ForkBranch, FramePointer } from './call-marks.ts';
import type { Challenge } from './challenge.ts';
import { CHALLENGE_BYTES, challengeCount } from './challenge.ts';
import type { DialogColumns } from './dialog-columns.ts';
import { B, C, CALL_ID_HERE, CI, COLD, D, HOT, I, USER } from './dialog-columns.ts';
import type { DialogInit } from './dialog-init.ts';
import { BRANCHES_BYTES, bytesOf, causeBytes, RARE_BYTES, Rare, SOURCES_BYTES } from './dialog-rare.ts';
import { POOL } from './dialog-room.ts';
import type { HepClock } from './hep-clock.ts';
import type { CallSources } from './source-marks.ts';
import type { TerminationCause } from './termination-cause.ts';

const BEYOND_ASCII = /[^\0-\x7f]/;
const HOT_WORDS = HOT * 2;
const HOT_BYTES = HOT * 8;
const COLD_WORDS = COLD * 2;

export class Dialog {
  readonly #c: DialogColumns;
  /** Its place in them. */
  readonly #at: number;
  readonly slot: number;
  // Each message reads what stands above: the engine lays fields out in this order.
  #rare: Rare<Dialog> | null = null;
  #finalReason = '';
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;

  /** `at` is the dialog's place in the columns, which the store gives to nobody else. */
  constructor(init: DialogInit, slot: number, serial: number, columns: DialogColumns, at: number) {
    this.#c = columns;
    this.#at = at;
    this.slot = slot;
    this.fromDisplay = init.fromDisplay;
    this.toDisplay = init.toDisplay;
    const { f64, i32, u8, coldF64, coldI32 } = columns;
    columns.clear(at);
    this.#setTexts(init);
    this.hold(bytesOf(init.fromDisplay) + bytesOf(init.toDisplay));
    const hot = at * HOT;
    f64[hot + D.CREATED] = init.createdUs;
    f64[hot + D.UPDATED] = init.createdUs;
    f64[hot + D.HEAD_ROW] = NO_ROW;
    f64[hot + D.TAIL_ROW] = NO_ROW;
    i32[2 * hot + I.OPENER_TAG] = init.openerTagHash;
    u8[8 * hot + B.STATE] = init.state;
    u8[8 * hot + B.BEFORE] = init.state;
    u8[8 * hot + B.FAMILY] = init.family;
    u8[8 * hot + B.METHOD] = init.methodId;
    u8[8 * hot + B.ORIGIN] = init.origin;
    u8[8 * hot + B.ORIGINS] = 1 << init.origin;
    const cold = at * COLD;
    coldF64[cold + C.SERIAL] = serial;
    coldF64[cold + C.LAG] = init.arrivalLagUs;
    if (init.frame === null) return;
    coldF64[cold + C.FRAME] = init.frame.ordinal;
    coldI32[2 * cold + CI.DIGEST] = init.frame.digestLow;
    coldI32[2 * cold + CI.DIGEST + 1] = init.frame.digestHigh;
    coldI32[2 * cold + CI.FRAME_SOURCE] = init.frame.source;
  }

  #setTexts(init: DialogInit): void {
    const columns = this.#c;
    const at = this.#at;
    const callId = typeof init.callId === 'string' ? rangeOf(init.callId) : init.callId;
    columns.setCallId(at, callId.buf, callId.start, callId.end);
    if (callId.end - callId.start > CALL_ID_HERE)
      this.#beside.callId = asBuffer(callId.buf).toString('latin1', callId.start, callId.end);
    if (!columns.setUser(at, USER.FROM, init.fromUser)) this.#beside.fromUser = stringOf(init.fromUser);
    if (!columns.setUser(at, USER.TO, init.toUser)) this.#beside.toUser = stringOf(init.toUser);
    if (init.methodText !== METHOD_NAMES[init.methodId]) this.#beside.methodText = init.methodText;
    const rare = this.#rare;
    if (rare === null) return;
    const { fromUser, toUser, methodText } = rare;
    this.hold(bytesOf(rare.callId) / 2 + bytesOf(fromUser) + bytesOf(toUser) + bytesOf(methodText));
  }

  /** Says that so many bytes more are kept for it, or less. */
  hold(bytes: number): void {
    if (bytes !== 0) this.#c.room.hold(this.slot, this.pool, bytes);
  }

  /** Bytes kept for it beside its own record. */
  get heldBytes(): number {
    return this.#c.room.held(this.slot);
  }

  /** Where it stands among those that give room; the store moves it. */
  get pool(): number {
    return this.#c.u8[this.#at * HOT_BYTES + B.POOL] ?? 0;
  }
  set pool(value: number) {
    this.#c.u8[this.#at * HOT_BYTES + B.POOL] = value;
  }

  /** What it asked for was granted by whom it was asked of. */
  get isProven(): boolean {
    return this.pool >= POOL.ENDED;
  }
  get sender(): number {
    return this.#c.room.sender(this.slot);
  }
  get isSenderEstablished(): boolean {
    return this.#c.room.isEstablished(this.sender);
  }

  /** The phrase of its final response. */
  get finalReason(): string {
    return this.#finalReason;
  }
  set finalReason(value: string) {
    this.hold(bytesOf(value) - bytesOf(this.#finalReason));
    this.#finalReason = value;
  }

  /** Has what a message reads of the object itself brought into the cache; what it returns says nothing. */
  fetch(): number {
    return this.#rare === null ? this.slot : 0;
  }

  get #beside(): Rare<Dialog> {
    if (this.#rare === null) {
      this.#rare = new Rare<Dialog>();
      this.hold(RARE_BYTES);
    }
    return this.#rare;
  }

  /** The METHOD id that says the method's text; -1 when none does. */
  get knownMethod(): number {
    return (this.#rare?.methodText ?? null) === null ? this.methodId : -1;
  }

  get methodText(): string {
    return this.#rare?.methodText ?? METHOD_NAMES[this.methodId] ?? '';
  }

  get fromUser(): string {
    return this.#c.user(this.#at, USER.FROM) ?? this.#rare?.fromUser ?? '';
  }

  get toUser(): string {
    return this.#c.user(this.#at, USER.TO) ?? this.#rare?.toUser ?? '';
  }

  /** The cause the wire named for its end; null while it named none. */
  get cause(): TerminationCause | null {
    return this.#rare?.cause ?? null;
  }
  set cause(value: TerminationCause | null) {
    this.hold(causeBytes(value) - causeBytes(this.cause));
    this.#beside.cause = value;
  }

  /** What each source saw; null while one alone carried the call. */
  get sources(): CallSources | null {
    return this.#rare?.sources ?? null;
  }
  set sources(value: CallSources | null) {
    if (this.sources === null && value !== null) this.hold(SOURCES_BYTES);
    this.#beside.sources = value;
  }

  get branches(): ForkBranch[] | null {
    return this.#rare?.branches ?? null;
  }
  set branches(value: ForkBranch[] | null) {
    if ((value === null) !== (this.branches === null)) this.hold(value === null ? -BRANCHES_BYTES : BRANCHES_BYTES);
    if (value !== null || this.#rare !== null) this.#beside.branches = value;
  }

  /** What its parties were asked credentials for last; null when they were not. */
  get challenge(): Challenge | null {
    return this.#rare?.challenge ?? null;
  }
  set challenge(value: Challenge | null) {
    const rare = this.#beside;
    const count = challengeCount(value);
    this.hold(CHALLENGE_BYTES * (count - rare.challengeCount));
    rare.challengeCount = count;
    rare.challenge = value;
  }

  /** Hash of the contact that the last REGISTER was for; 0 for none. */
  get ownContact(): number {
    return this.#rare?.ownContact ?? 0;
  }
  set ownContact(value: number) {
    if (value !== this.ownContact) this.#beside.ownContact = value;
  }

  get referTo(): string | null {
    return this.#rare?.referTo ?? null;
  }
  set referTo(value: string | null) {
    this.hold(bytesOf(value) - bytesOf(this.referTo));
    this.#beside.referTo = value;
  }

  /** A later dialog that named one of the same sockets while this one lasted: its streams may be this one's. */
  get sharesWith(): Dialog | null {
    return this.#rare?.sharesWith ?? null;
  }
  set sharesWith(value: Dialog | null) {
    if (value !== null || this.#rare !== null) this.#beside.sharesWith = value;
  }

  /** The clock of whose time all its times are: a replay, or a sender whose clock is off; null for ours. */
  get clock(): HepClock | null {
    return this.#rare?.clock ?? null;
  }
  set clock(value: HepClock | null) {
    if (value !== null || this.#rare !== null) this.#beside.clock = value;
  }

  /** The Call-ID as text, like all other text of a message: UTF-8 when it is that. */
  get callId(): string {
    const key = this.callIdKey;
    return shownCallId(BEYOND_ASCII.test(key) ? rawText(Buffer.from(key, 'latin1'), 0, key.length) : key);
  }

  /** The Call-ID by which the dialog is found: each character is one byte of it, or of what stands for a long one. */
  get callIdKey(): string {
    return this.#rare?.callId ?? this.#c.callId(this.#at);
  }

  /** Where the opening message stood in its capture; null when it came without a frame. */
  get frame(): FramePointer | null {
    const { coldF64, coldI32 } = this.#c;
    const words = this.#at * COLD * 2;
    const source = coldI32[words + CI.FRAME_SOURCE] ?? -1;
    if (source < 0) return null;
    return {
      source,
      ordinal: coldF64[this.#at * COLD + C.FRAME] ?? 0,
      digestHigh: coldI32[words + CI.DIGEST + 1] ?? 0,
      digestLow: coldI32[words + CI.DIGEST] ?? 0,
    };
  }

  /** Offers and answers in order, as they stand now; null when there are none. */
  get sdp(): SdpEntry[] | null {
    return this.sdpCount === 0 ? null : this.#c.sdp.entries(this.sdpRow);
  }

  /** Media endpoints this dialog named, in order. */
  get claimedKeys(): EndpointKey[] {
    return this.claimedCount === 0 ? [] : this.#c.sdp.claimedKeys(this.sdpRow);
  }

  /** The newest row of what it described and claimed, or NONE. */
  get sdpRow(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.SDP_ROW] ?? NONE;
  }
  set sdpRow(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.SDP_ROW] = value;
  }
  /** The newest of its transactions with SDP, or NONE. */
  get sdpTransaction(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.SDP_TRANSACTION] ?? NONE;
  }
  set sdpTransaction(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.SDP_TRANSACTION] = value;
  }
  /** Number of its offers and answers. */
  get sdpCount(): number {
    return this.sdpCountOf(0) + this.sdpCountOf(1);
  }
  /** Number of those of one side: 0 the one that opened the dialog, 1 the other. */
  sdpCountOf(side: number): number {
    return ((this.#c.i32[this.#at * HOT_WORDS + I.SDP_ENTRIES] ?? 0) >>> (side * 16)) & 0xffff;
  }
  countSdp(side: number): void {
    tally(this.#c.i32, this.#at * HOT_WORDS + I.SDP_ENTRIES, 1 << (side * 16));
  }
  dropSdpCounts(): void {
    this.#c.i32[this.#at * HOT_WORDS + I.SDP_ENTRIES] = 0;
  }

  get state(): number {
    return this.#c.u8[this.#at * HOT_BYTES + B.STATE] ?? 0;
  }
  set state(value: number) {
    this.#c.u8[this.#at * HOT_BYTES + B.STATE] = value;
  }
  get family(): number {
    return this.#c.u8[this.#at * HOT_BYTES + B.FAMILY] ?? 0;
  }
  get methodId(): number {
    return this.#c.u8[this.#at * HOT_BYTES + B.METHOD] ?? 0;
  }
  /** The source that delivered the opening message first. */
  get origin(): number {
    return this.#c.u8[this.#at * HOT_BYTES + B.ORIGIN] ?? 0;
  }
  set origin(value: number) {
    this.#c.u8[this.#at * HOT_BYTES + B.ORIGIN] = value;
  }
  /** Bits, one a source. */
  get originsSeen(): number {
    return this.#c.u8[this.#at * HOT_BYTES + B.ORIGINS] ?? 0;
  }
  set originsSeen(value: number) {
    this.#c.u8[this.#at * HOT_BYTES + B.ORIGINS] = value;
  }
  get beforeTransfer(): number {
    return this.#c.u8[this.#at * HOT_BYTES + B.BEFORE] ?? 0;
  }
  set beforeTransfer(value: number) {
    this.#c.u8[this.#at * HOT_BYTES + B.BEFORE] = value;
  }
  /** Its post-dial delay stands in the histogram. */
  get isPddObserved(): boolean {
    return this.#c.u8[this.#at * HOT_BYTES + B.OBSERVED] === 1;
  }
  set isPddObserved(value: boolean) {
    this.#c.u8[this.#at * HOT_BYTES + B.OBSERVED] = value ? 1 : 0;
  }
  /** Bits of MARK. */
  get marks(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.MARKS] ?? 0;
  }
  set marks(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.MARKS] = value;
  }
  get msgCount(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.MESSAGES] ?? 0;
  }
  get keptCount(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.KEPT] ?? 0;
  }
  set keptCount(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.KEPT] = value;
  }
  get inviteCseq(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.INVITE_CSEQ] ?? 0;
  }
  set inviteCseq(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.INVITE_CSEQ] = value;
  }
  get progressTagHash(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.PROGRESS_TAG] ?? 0;
  }
  set progressTagHash(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.PROGRESS_TAG] = value;
  }
  get answerTagHash(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.ANSWER_TAG] ?? 0;
  }
  set answerTagHash(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.ANSWER_TAG] = value;
  }
  get byeCseq(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.BYE_CSEQ] ?? 0;
  }
  set byeCseq(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.BYE_CSEQ] = value;
  }
  get finalCode(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.FINAL_CODE] ?? 0;
  }
  set finalCode(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.FINAL_CODE] = value;
  }
  /** Number of media endpoints this dialog named. */
  get claimedCount(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.CLAIMED] ?? 0;
  }
  set claimedCount(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.CLAIMED] = value;
  }
  /** Hash of the opener's From tag: tells the two sides apart. */
  get openerTagHash(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.OPENER_TAG] ?? 0;
  }

  /** Counts the dialogs in order of arrival. */
  get serial(): number {
    return this.#c.coldF64[this.#at * COLD + C.SERIAL] ?? 0;
  }
  /** How much later than its own time the opening message came in here; 0 on the wire. */
  get arrivalLagUs(): number {
    return this.#c.coldF64[this.#at * COLD + C.LAG] ?? 0;
  }
  set arrivalLagUs(value: number) {
    this.#c.coldF64[this.#at * COLD + C.LAG] = value;
  }
  get orderIndex(): number {
    return this.#c.coldI32[this.#at * COLD_WORDS + CI.ORDER] ?? 0;
  }
  set orderIndex(value: number) {
    this.#c.coldI32[this.#at * COLD_WORDS + CI.ORDER] = value;
  }
  /** By which the store finds it; nothing else knows it. */
  get callIdHash(): number {
    return this.#c.coldI32[this.#at * COLD_WORDS + CI.CALL_ID_HASH] ?? 0;
  }
  set callIdHash(value: number) {
    this.#c.coldI32[this.#at * COLD_WORDS + CI.CALL_ID_HASH] = value;
  }
  /** Place of the stream it owned last, from which the others follow; -1 for none. */
  get newestStream(): number {
    return this.#c.i32[this.#at * HOT_WORDS + I.STREAM] ?? -1;
  }
  set newestStream(value: number) {
    this.#c.i32[this.#at * HOT_WORDS + I.STREAM] = value;
  }
  get retransmits(): number {
    return this.#c.coldI32[this.#at * COLD_WORDS + CI.RETRANSMITS] ?? 0;
  }
  set retransmits(value: number) {
    this.#c.coldI32[this.#at * COLD_WORDS + CI.RETRANSMITS] = value;
  }
  /** REGISTER and SUBSCRIBE: CSeq of the last request that removed, or -1; and when what was granted lapses. */
  get removalCseq(): number {
    return this.#c.coldI32[this.#at * COLD_WORDS + CI.REMOVAL_CSEQ] ?? 0;
  }
  set removalCseq(value: number) {
    this.#c.coldI32[this.#at * COLD_WORDS + CI.REMOVAL_CSEQ] = value;
  }
  get requestedExpirySec(): number {
    return this.#c.coldI32[this.#at * COLD_WORDS + CI.ASKED] ?? 0;
  }
  set requestedExpirySec(value: number) {
    this.#c.coldI32[this.#at * COLD_WORDS + CI.ASKED] = value;
  }
  get grantedExpirySec(): number {
    return this.#c.coldI32[this.#at * COLD_WORDS + CI.GRANTED] ?? 0;
  }
  set grantedExpirySec(value: number) {
    this.#c.coldI32[this.#at * COLD_WORDS + CI.GRANTED] = value;
  }

  // Times are capture time in microseconds, NaN while unknown.
  get createdUs(): number {
    return this.#c.f64[this.#at * HOT + D.CREATED] ?? Number.NaN;
  }
  set createdUs(value: number) {
    this.#c.f64[this.#at * HOT + D.CREATED] = value;
  }
  get updatedUs(): number {
    return this.#c.f64[this.#at * HOT + D.UPDATED] ?? Number.NaN;
  }
  set updatedUs(value: number) {
    this.#c.f64[this.#at * HOT + D.UPDATED] = value;
  }
  get inviteUs(): number {
    return this.#c.f64[this.#at * HOT + D.INVITE] ?? Number.NaN;
  }
  set inviteUs(value: number) {
    this.#c.f64[this.#at * HOT + D.INVITE] = value;
  }
  get tryingUs(): number {
    return this.#c.f64[this.#at * HOT + D.TRYING] ?? Number.NaN;
  }
  set tryingUs(value: number) {
    this.#c.f64[this.#at * HOT + D.TRYING] = value;
  }
  get progressUs(): number {
    return this.#c.f64[this.#at * HOT + D.PROGRESS] ?? Number.NaN;
  }
  set progressUs(value: number) {
    this.#c.f64[this.#at * HOT + D.PROGRESS] = value;
  }
  get finalUs(): number {
    return this.#c.f64[this.#at * HOT + D.FINAL] ?? Number.NaN;
  }
  set finalUs(value: number) {
    this.#c.f64[this.#at * HOT + D.FINAL] = value;
  }
  get answerUs(): number {
    return this.#c.f64[this.#at * HOT + D.ANSWER] ?? Number.NaN;
  }
  set answerUs(value: number) {
    this.#c.f64[this.#at * HOT + D.ANSWER] = value;
  }
  get byeUs(): number {
    return this.#c.f64[this.#at * HOT + D.BYE] ?? Number.NaN;
  }
  set byeUs(value: number) {
    this.#c.f64[this.#at * HOT + D.BYE] = value;
  }
  get byeFinalUs(): number {
    return this.#c.f64[this.#at * HOT + D.BYE_FINAL] ?? Number.NaN;
  }
  set byeFinalUs(value: number) {
    this.#c.f64[this.#at * HOT + D.BYE_FINAL] = value;
  }
  get endedUs(): number {
    return this.#c.f64[this.#at * HOT + D.ENDED] ?? Number.NaN;
  }
  set endedUs(value: number) {
    this.#c.f64[this.#at * HOT + D.ENDED] = value;
  }
  get expiresUs(): number {
    return this.#c.f64[this.#at * HOT + D.EXPIRES] ?? Number.NaN;
  }
  set expiresUs(value: number) {
    this.#c.f64[this.#at * HOT + D.EXPIRES] = value;
  }
  get headRow(): number {
    return this.#c.f64[this.#at * HOT + D.HEAD_ROW] ?? Number.NaN;
  }
  set headRow(value: number) {
    this.#c.f64[this.#at * HOT + D.HEAD_ROW] = value;
  }
  get tailRow(): number {
    return this.#c.f64[this.#at * HOT + D.TAIL_ROW] ?? Number.NaN;
  }
  set tailRow(value: number) {
    this.#c.f64[this.#at * HOT + D.TAIL_ROW] = value;
  }
  get openRow(): number {
    return this.#c.coldI32[this.#at * COLD_WORDS + CI.OPEN_ROW] ?? 0;
  }
  set openRow(value: number) {
    this.#c.coldI32[this.#at * COLD_WORDS + CI.OPEN_ROW] = value;
  }
  /** When it was last touched, in the store's own count. */
  get touched(): number {
    return this.#c.f64[this.#at * HOT + D.TOUCHED] ?? Number.NaN;
  }
  set touched(value: number) {
    this.#c.f64[this.#at * HOT + D.TOUCHED] = value;
  }

  /**
   * Counts a message with this fingerprint. False when none like it has come yet: a Bloom filter of 128 bits, two a message,
   * as most messages are new, says so without a walk over their rows.
   */
  countMessage(hashA: number, hashB: number): boolean {
    const words = this.#c.i32;
    const at = this.#at * HOT_WORDS;
    words[at + I.MESSAGES] = (words[at + I.MESSAGES] ?? 0) + 1;
    const first = at + D.SEEN * 2 + ((hashA >>> 5) & 3);
    const second = at + D.SEEN * 2 + ((hashB >>> 5) & 3);
    const isSeen = (((words[first] ?? 0) >>> (hashA & 31)) & ((words[second] ?? 0) >>> (hashB & 31)) & 1) !== 0;
    words[first] = (words[first] ?? 0) | (1 << (hashA & 31));
    words[second] = (words[second] ?? 0) | (1 << (hashB & 31));
    return isSeen;
  }

  /** Its newest time is `tsUs` unless it is a later one; true when it had not been created then. */
  moveOn(tsUs: number): boolean {
    const { f64 } = this.#c;
    const at = this.#at * HOT;
    if (!(tsUs > (f64[at + D.UPDATED] ?? 0))) return tsUs < (f64[at + D.CREATED] ?? 0);
    f64[at + D.UPDATED] = tsUs;
    return false;
  }
}
