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
import type { SdpEntry } from '../media/sdp-timeline.ts';
import { NO_ROW } from '../messages/message-rows.ts';
import { shownCallId } from './call-id.ts';
import type { FramePointer } from './call-marks.ts';
import type { DialogColumns } from './dialog-columns.ts';
import { CALL_ID_HERE, DIALOG, DialogRecord, USER } from './dialog-columns.ts';
import { BYTES_OF, bytesOf, RARE_BYTES, Rare, type RareFact, USUAL } from './dialog-rare.ts';
import { POOL } from './dialog-room.ts';
import { familyOf } from './dialog-state.ts';

/** What a dialog is born with. */
export type DialogInit = {
  /** As a string, each character is one byte of it. */
  readonly callId: string | TextRange;
  readonly methodId: number;
  /** Where the METHOD id does not say it. */
  readonly methodText: string;
  readonly state: number;
  readonly createdUs: number;
  /** How much later than its own time the opening message came in here. */
  readonly arrivalLagUs: number;
  readonly origin: number;
  readonly frame: FramePointer | null;
  readonly fromUser: string | TextRange;
  readonly toUser: string | TextRange;
  /** Hosts or URNs, where a URI has no user. */
  readonly fromPlace?: string;
  readonly toPlace?: string;
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
  // What few dialogs have.
  declare cause: Rare<Dialog>['cause'];
  declare sources: Rare<Dialog>['sources'];
  declare branches: Rare<Dialog>['branches'];
  declare challenges: Rare<Dialog>['challenges'];
  declare ownContact: Rare<Dialog>['ownContact'];
  declare referTo: Rare<Dialog>['referTo'];
  declare sharesWith: Rare<Dialog>['sharesWith'];
  declare clock: Rare<Dialog>['clock'];

  static {
    for (const name of Object.keys(BYTES_OF) as RareFact[]) {
      const usual = USUAL[name];
      Object.defineProperty(Dialog.prototype, name, {
        get(this: Dialog) {
          return this.#rare === null ? usual : this.#rare[name];
        },
        set(this: Dialog, value: never) {
          if (value !== usual || this.#rare !== null) this.#setRare(name, value);
        },
      });
    }
  }

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
    this.family = familyOf(init.methodId);
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
    const { fromPlace = '', toPlace = '' } = init;
    const [from, to] = [fromPlace || init.fromUser, toPlace || init.toUser];
    if (!columns.setUser(at, USER.FROM, from, fromPlace !== '')) this.#beside.fromUser = stringOf(from);
    if (!columns.setUser(at, USER.TO, to, toPlace !== '')) this.#beside.toUser = stringOf(to);
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

  get #beside(): Rare<Dialog> {
    if (this.#rare === null) {
      this.#rare = new Rare<Dialog>();
      this.hold(RARE_BYTES);
    }
    return this.#rare;
  }

  #setRare<Name extends RareFact>(name: Name, value: Rare<Dialog>[Name]): void {
    const rare = this.#beside;
    this.hold(BYTES_OF[name](value) - BYTES_OF[name](rare[name]));
    rare[name] = value;
  }

  /** The METHOD id that says the method's text; -1 when none does. */
  get knownMethod(): number {
    return (this.#rare?.methodText ?? null) === null ? this.methodId : -1;
  }

  get methodText(): string {
    return this.#rare?.methodText ?? METHOD_NAMES[this.methodId] ?? '';
  }

  /** '' where the URI has none. */
  get fromUser(): string {
    return this.memory.isPlace(this.place, USER.FROM) ? '' : this.from;
  }

  get toUser(): string {
    return this.memory.isPlace(this.place, USER.TO) ? '' : this.to;
  }

  /** The user of From; where it has none, its host or URN. */
  get from(): string {
    return this.memory.user(this.place, USER.FROM) ?? this.#rare?.fromUser ?? '';
  }

  get to(): string {
    return this.memory.user(this.place, USER.TO) ?? this.#rare?.toUser ?? '';
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
  get sdp(): readonly SdpEntry[] | null {
    return this.sdpCount === 0 ? null : this.memory.sdp.entries(this.sdpRow);
  }

  /** Media endpoints this dialog named, in order. */
  get claimedKeys(): EndpointKey[] {
    return this.claimedCount === 0 ? [] : this.memory.sdp.claimedKeys(this.sdpRow);
  }

  /** The same, and since when. */
  get claims(): { key: EndpointKey; fromUs: number }[] {
    return this.claimedCount === 0 ? [] : this.memory.sdp.claims(this.sdpRow);
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
