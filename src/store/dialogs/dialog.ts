/**
 * One dialog record: what all messages of one Call-ID add up to.
 *
 * Fields are plain numbers where they can be; times are capture time in microseconds, NaN while
 * unknown. Text is made once, when the dialog opens.
 */

import type { TextRange } from '../../core/byte-text.ts';
import { asBuffer, rangeOf, rawText, stringOf } from '../../core/byte-text.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { METHOD_NAMES } from '../../core/words.ts';
import type { HepClock } from '../../sources/hep/hep-clock.ts';
import type { SdpEntry } from '../media/sdp-timeline.ts';
import { NO_ROW } from '../messages/message-rows.ts';
import { shownCallId } from './call-id.ts';
import type { ForkBranch, FramePointer } from './call-marks.ts';
import type { Challenge } from './challenge.ts';
import { CHALLENGE_BYTES, challengeCount } from './challenge.ts';
import type { DialogColumns } from './dialog-columns.ts';
import { CALL_ID_HERE, DIALOG, DialogRecord, USER } from './dialog-columns.ts';
import { BRANCHES_BYTES, bytesOf, causeBytes, RARE_BYTES, Rare, SOURCES_BYTES } from './dialog-rare.ts';
import { POOL } from './dialog-room.ts';
import type { CallSources } from './source-marks.ts';
import type { TerminationCause } from './termination-cause.ts';

/** What a dialog is born with. */
export type DialogInit = {
  /** As a string, each character is one byte of it. */
  readonly callId: string | TextRange;
  readonly methodId: number;
  /** Where the METHOD id does not say it. */
  readonly methodText: string;
  readonly family: number;
  readonly state: number;
  readonly createdUs: number;
  /** How much later than its own time the opening message came in here. */
  readonly arrivalLagUs: number;
  readonly origin: number;
  readonly frame: FramePointer | null;
  readonly fromUser: string | TextRange;
  readonly toUser: string | TextRange;
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;
  readonly openerTagHash: number;
  /** Hash of the prefix that sent the opening message, and of whom it went to; see store/dialogs/dialog-room.ts. */
  readonly prefix: number;
  readonly peer: number;
};

const BEYOND_ASCII = /[^\0-\x7f]/;

export class Dialog extends DialogRecord {
  readonly slot: number;
  // Each message reads what stands above: the engine lays fields out in this order.
  #rare: Rare<Dialog> | null = null;
  #finalReason = '';
  readonly fromDisplay: string | null;
  readonly toDisplay: string | null;

  /** `at` is the dialog's place in the columns, which the store gives to nobody else. */
  constructor(init: DialogInit, slot: number, serial: number, columns: DialogColumns, at: number) {
    super(columns, at);
    this.slot = slot;
    this.fromDisplay = init.fromDisplay;
    this.toDisplay = init.toDisplay;
    columns.clear(at);
    this.#setTexts(init);
    this.hold(bytesOf(init.fromDisplay) + bytesOf(init.toDisplay));
    this.createdUs = init.createdUs;
    this.updatedUs = init.createdUs;
    this.headRow = NO_ROW;
    this.tailRow = NO_ROW;
    this.openerTagHash = init.openerTagHash;
    this.state = init.state;
    this.beforeTransfer = init.state;
    this.family = init.family;
    this.methodId = init.methodId;
    this.origin = init.origin;
    this.originsSeen = 1 << init.origin;
    this.serial = serial;
    this.arrivalLagUs = init.arrivalLagUs;
    if (init.frame === null) return;
    this.frameOrdinal = init.frame.ordinal;
    this.frameDigestLow = init.frame.digestLow;
    this.frameDigestHigh = init.frame.digestHigh;
    this.frameSource = init.frame.source;
  }

  #setTexts(init: DialogInit): void {
    const columns = this.memory;
    const at = this.place;
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
    if (bytes !== 0) this.memory.room.hold(this.slot, this.pool, bytes);
  }

  /** Bytes kept for it beside its own record. */
  get heldBytes(): number {
    return this.memory.room.held(this.slot);
  }

  /** What it asked for was granted by whom it was asked of. */
  get isProven(): boolean {
    return this.pool >= POOL.ENDED;
  }
  get sender(): number {
    return this.memory.room.sender(this.slot);
  }
  get isSenderEstablished(): boolean {
    return this.memory.room.isEstablished(this.sender);
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
    return this.memory.user(this.place, USER.FROM) ?? this.#rare?.fromUser ?? '';
  }

  get toUser(): string {
    return this.memory.user(this.place, USER.TO) ?? this.#rare?.toUser ?? '';
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
    return this.#rare?.callId ?? this.memory.callId(this.place);
  }

  /** Where the opening message stood in its capture; null when it came without a frame. */
  get frame(): FramePointer | null {
    if (this.frameSource < 0) return null;
    return {
      source: this.frameSource,
      ordinal: this.frameOrdinal,
      digestHigh: this.frameDigestHigh,
      digestLow: this.frameDigestLow,
    };
  }

  /** Offers and answers in order, as they stand now; null without any. */
  get sdp(): SdpEntry[] | null {
    return this.sdpCount === 0 ? null : this.memory.sdp.entries(this.sdpRow);
  }

  /** Media endpoints this dialog named, in order. */
  get claimedKeys(): EndpointKey[] {
    return this.claimedCount === 0 ? [] : this.memory.sdp.claimedKeys(this.sdpRow);
  }

  /** Number of its offers and answers. */
  get sdpCount(): number {
    return this.sdpCountOf(0) + this.sdpCountOf(1);
  }
  /** Number of those of one side: 0 the one that opened the dialog, 1 the other. */
  sdpCountOf(side: number): number {
    return (this.sdpEntries >>> (side * 16)) & 0xffff;
  }
  countSdp(side: number): void {
    this.sdpEntries += 1 << (side * 16);
  }
  dropSdpCounts(): void {
    this.sdpEntries = 0;
  }

  /** Its post-dial delay stands in the histogram. */
  get isPddObserved(): boolean {
    return this.pddObserved === 1;
  }
  set isPddObserved(value: boolean) {
    this.pddObserved = value ? 1 : 0;
  }

  /**
   * Counts a message with this fingerprint. False when none like it has come yet: a Bloom filter of 128 bits, two a message,
   * as most messages are new, says so without a walk over their rows.
   */
  countMessage(hashA: number, hashB: number): boolean {
    const words = this.memory.i32;
    const seen = this.place * DIALOG.words + DIALOG.at.seen / 4;
    this.msgCount++;
    const first = seen + ((hashA >>> 5) & 3);
    const second = seen + ((hashB >>> 5) & 3);
    const isSeen = (((words[first] ?? 0) >>> (hashA & 31)) & ((words[second] ?? 0) >>> (hashB & 31)) & 1) !== 0;
    words[first] = (words[first] ?? 0) | (1 << (hashA & 31));
    words[second] = (words[second] ?? 0) | (1 << (hashB & 31));
    return isSeen;
  }

  /** Its newest time is `tsUs` unless it is a later one; true when it had not been created then. */
  moveOn(tsUs: number): boolean {
    if (!(tsUs > this.updatedUs)) return tsUs < this.createdUs;
    this.updatedUs = tsUs;
    return false;
  }
}
