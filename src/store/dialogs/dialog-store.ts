/**
 * Holds all dialogs by Call-ID, with a cap on their number and one on their bytes. dialog-room.ts chooses the dialog that
 * leaves, and each one is counted.
 *
 * Beside the map stand the pools of dialog-room.ts, the order of creation, and counts by state and method.
 */

import { asBuffer, rangeOf, rawText } from '../../core/byte-text.ts';
import { tally } from '../../core/counters.ts';
import { hashBytes, takeWideHash, wideHash } from '../../core/hash.ts';
import { HashIndex } from '../../core/hash-index.ts';
import { DIALOG_STATES } from '../../core/words.ts';
import { SdpRows } from '../media/sdp-rows.ts';
import { fieldKeys, TimeOrder } from '../time-order.ts';
import { isLongCallId, shortCallId, shownAsKey } from './call-id.ts';
import type { DialogInit } from './dialog.ts';
import { Dialog } from './dialog.ts';
import { BLOCK, BLOCK_BITS, CALL_ID_HERE, DialogColumns } from './dialog-columns.ts';
import { DIALOG_BYTES, DialogRoom, POOL } from './dialog-room.ts';
import { isLasting } from './dialog-state.ts';
import { MethodCounts } from './method-counts.ts';

/** Dialogs of another time met in a row that end a search by time. */
const STRANGERS = 64;

/** What a Call-ID is known by where only its hashes are kept. */
export function callIdHashes(d: Dialog): { hashA: number; hashB: number } {
  const bytes = Buffer.from(d.callIdKey, 'latin1');
  return hashesOf(bytes, 0, bytes.length);
}

/** Hashes of the key of the Call-ID at buf[start..end), as callIdHashes() gives them of its dialog. */
export function hashesOfCallId(buf: Uint8Array, start: number, end: number): { hashA: number; hashB: number } {
  if (!isLongCallId(buf, start, end)) return hashesOf(buf, start, end);
  const key = shortCallId(buf, start, end);
  return hashesOf(key, 0, key.length);
}

function hashesOf(buf: Uint8Array, start: number, end: number): { hashA: number; hashB: number } {
  takeWideHash(buf, start, end);
  return { hashA: wideHash.low, hashB: wideHash.high };
}

export class DialogStore {
  readonly #columns: DialogColumns[] = [];
  /** Slots by hashBytes() of the Call-ID; Call-IDs are case-sensitive (RFC 3261 section 20.8). */
  readonly #byCallId = new HashIndex();
  readonly #slots: (Dialog | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #max: number;
  readonly #onEvict: (dialog: Dialog) => void;
  #touches = 0;
  #serial = 0;
  /** By creation, ties by arrival: stable while paging. */
  readonly order = new TimeOrder<Dialog>(fieldKeys((dialog) => dialog.createdUs));
  readonly methods = new MethodCounts();
  /** What they described and claimed. */
  readonly sdp: SdpRows;
  /** Who gives room. */
  readonly room: DialogRoom;
  evicted = 0;
  /** Of these, those that went because all of them kept too many bytes. */
  evictedForBytes = 0;
  /** Dialogs whose Call-ID is not kept whole. */
  longCallIds = 0;
  /** Mutations since the store was created. */
  generation = 0;
  /** Dialogs now in each state. */
  readonly inState = new Uint32Array(DIALOG_STATES.length);
  /** Entries into each state ever: a counter that never falls. */
  readonly entered = new Float64Array(DIALOG_STATES.length);

  constructor(maxDialogs: number, onEvict: (dialog: Dialog) => void) {
    this.#max = Math.max(1, maxDialogs);
    this.sdp = new SdpRows(this.#max);
    this.room = new DialogRoom(this.#max, (slot) => this.#slots[slot]?.touched ?? 0);
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#byCallId.size;
  }

  /** Messages and arrivals since the store was created; a dialog's `touched` is that of its newest. */
  get touches(): number {
    return this.#touches;
  }

  /** Serial of the next dialog: those from it on have come later than now. */
  get nextSerial(): number {
    return this.#serial;
  }

  /** By the Call-ID as text, of UTF-8, else of bytes that are none (core/byte-text.ts); a long one as it is shown too. */
  get(callId: string): Dialog | undefined {
    for (const encoding of ['utf8', 'latin1'] as const) {
      const bytes = Buffer.from(callId, encoding);
      // What the encoding cannot write was changed, and these bytes are shown as another text.
      if (rawText(bytes, 0, bytes.length) !== callId) continue;
      const dialog = this.find(bytes, 0, bytes.length) ?? this.#findShown(bytes);
      if (dialog !== undefined) return dialog;
    }
    return undefined;
  }

  #findShown(shown: Uint8Array): Dialog | undefined {
    const key = shownAsKey(shown);
    return this.find(key, 0, key.length);
  }

  /** The dialog whose Call-ID stands at buf[start..end); `hash` is hashBytes() of it. */
  find(buf: Uint8Array, start: number, end: number, hash = hashBytes(buf, start, end)): Dialog | undefined {
    if (isLongCallId(buf, start, end)) {
      const key = shortCallId(buf, start, end);
      return this.find(key, 0, key.length);
    }
    const index = this.#byCallId;
    for (let slot = index.seek(hash); slot >= 0; slot = index.next())
      if (this.#isCallId(slot, buf, start, end)) return this.#slots[slot];
    return undefined;
  }

  /** The dialogs whose Call-ID has both hashes: one at most, but for chance. */
  withCallIdHashes(hashA: number, hashB: number): Dialog[] {
    const found: Dialog[] = [];
    const index = this.#byCallId;
    for (let slot = index.seek(hashA); slot >= 0; slot = index.next()) {
      const dialog = this.#slots[slot];
      if (dialog !== undefined && callIdHashes(dialog).hashB === hashB) found.push(dialog);
    }
    return found;
  }

  /**
   * Visits dialogs created within `spanUs` of `d`, in order of arrival away from it, at most `steps` looked at each way. It
   * ends behind enough in a row that are not: sources that are read together arrive a little out of order.
   */
  createdNear(d: Dialog, spanUs: number, steps: number, visit: (other: Dialog) => void): void {
    const records = this.order.records();
    const { createdUs } = d;
    for (const way of [-1, 1]) {
      let at = d.orderIndex + way;
      let strangers = 0;
      for (let n = 0; n < steps && at >= 0 && at < records.length; n++, at += way) {
        const other = records[at];
        if (other === undefined) continue;
        if (Math.abs(other.createdUs - createdUs) <= spanUs) {
          strangers = 0;
          visit(other);
        } else if (++strangers >= STRANGERS) break;
      }
    }
  }

  /** The dialog in this slot (message rows name dialogs by slot). */
  bySlot(slot: number): Dialog | undefined {
    return this.#slots[slot];
  }

  /** False of one that was evicted: its slot may be another's by now. Work that rests goes by live-dialogs.ts, which asks. */
  holds(dialog: Dialog): boolean {
    return this.#slots[dialog.slot] === dialog;
  }

  /** Opens a dialog; one gives room to it when the store is full. `hash` is hashBytes() of its Call-ID. */
  open(init: DialogInit, hash?: number): Dialog {
    const { buf, start, end } = typeof init.callId === 'string' ? rangeOf(init.callId) : init.callId;
    if (isLongCallId(buf, start, end)) {
      this.longCallIds++;
      const key = shortCallId(buf, start, end);
      return this.#open({ ...init, callId: key.toString('latin1') }, hashBytes(key, 0, key.length));
    }
    return this.#open(init, hash ?? hashBytes(buf, start, end));
  }

  #open(init: DialogInit, hash: number): Dialog {
    if (this.#byCallId.size >= this.#max) this.#giveRoom(null);
    const slot = this.#freeSlots.pop() ?? this.#slots.length;
    this.room.add(slot, init.prefix, init.peer, ++this.#touches);
    const dialog = new Dialog(init, slot, this.#serial++, this.#columnsOf(slot), slot & (BLOCK - 1));
    this.#slots[slot] = dialog;
    dialog.callIdHash = hash;
    this.#byCallId.add(hash, slot);
    this.order.add(dialog, init.createdUs);
    this.methods.add(dialog, dialog.state, 1);
    dialog.touched = this.#touches;
    tally(this.inState, dialog.state);
    tally(this.entered, dialog.state);
    this.generation++;
    return dialog;
  }

  /** Moves the dialog to the young end of the idle order. */
  touch(dialog: Dialog): void {
    this.generation++;
    dialog.touched = ++this.#touches;
  }

  /** A better source says when the dialog began. */
  setCreated(dialog: Dialog, createdUs: number): void {
    if (dialog.createdUs === createdUs) return;
    dialog.createdUs = createdUs;
    this.order.moved(dialog);
    this.generation++;
  }

  setState(dialog: Dialog, state: number): void {
    const from = dialog.state;
    if (from === state) return;
    tally(this.inState, from, -1);
    tally(this.inState, state);
    tally(this.entered, state);
    this.methods.move(dialog, from, state);
    dialog.state = state;
    if (dialog.pool >= POOL.ENDED) this.#setPool(dialog, isLasting(state) ? POOL.LIVE : POOL.ENDED);
    this.generation++;
  }

  /** Says that a second message of the dialog came. */
  addMessage(dialog: Dialog): void {
    if (dialog.pool === POOL.ONE) this.#setPool(dialog, POOL.MORE);
  }

  /** What the dialog asked for was granted by whom it was asked of. */
  prove(dialog: Dialog): void {
    if (dialog.pool < POOL.ENDED) this.#setPool(dialog, isLasting(dialog.state) ? POOL.LIVE : POOL.ENDED);
  }

  #setPool(dialog: Dialog, pool: number): void {
    const from = dialog.pool;
    if (from === pool) return;
    this.room.move(dialog.slot, from, pool);
    dialog.pool = pool;
  }

  /** Evicts dialogs until what the rest keeps is within its bytes; `current` is in use and stays. */
  keepWithin(current: Dialog): void {
    while (this.room.bytes > DIALOG_BYTES && this.#giveRoom(current)) this.evictedForBytes++;
  }

  /** False when none can go but `current`. */
  #giveRoom(current: Dialog | null): boolean {
    const dialog = this.#slots[this.room.next()];
    if (dialog === undefined || dialog === current) return false;
    this.#evict(dialog);
    return true;
  }

  /** Dialogs oldest first by creation, ties by arrival. Who rests meanwhile may meet one that is evicted, or new. */
  oldestFirst(): Generator<Dialog> {
    return this.order.fromOldest();
  }

  #isCallId(slot: number, buf: Uint8Array, start: number, end: number): boolean {
    const isHere = this.#columns[slot >>> BLOCK_BITS]?.isCallId(slot & (BLOCK - 1), buf, start, end) ?? false;
    if (!isHere || end - start <= CALL_ID_HERE) return isHere;
    return this.#slots[slot]?.callIdKey === asBuffer(buf).toString('latin1', start, end);
  }

  #columnsOf(slot: number): DialogColumns {
    const block = slot >>> BLOCK_BITS;
    this.#columns[block] ??= new DialogColumns(BLOCK, this.sdp, this.room);
    return this.#columns[block];
  }

  #evict(dialog: Dialog): void {
    this.#onEvict(dialog);
    this.#byCallId.remove(dialog.callIdHash, dialog.slot);
    this.room.remove(dialog.slot, dialog.pool);
    this.#slots[dialog.slot] = undefined;
    this.#freeSlots.push(dialog.slot);
    tally(this.inState, dialog.state, -1);
    this.methods.add(dialog, dialog.state, -1);
    this.order.remove(dialog);
    this.evicted++;
  }
}
