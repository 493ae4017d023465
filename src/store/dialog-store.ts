/**
 * All dialogs by Call-ID, with a cap: the one idle longest goes first, and is counted.
 *
 * Kept beside the map: idle order as a linked list, arrival order as an array, counts by state.
 */
import { DIALOG_STATES } from '../core/words.ts';
import { Dialog, DIALOG_TIMES } from './dialog.ts';
import type { DialogInit } from './dialog.ts';

/** Dialogs whose times share one block of memory. */
const TIMES_BLOCK = 1024;

export class DialogStore {
  readonly #times: Float64Array[] = [];
  readonly #byCallId = new Map<string, Dialog>();
  readonly #slots: (Dialog | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #max: number;
  readonly #onEvict: (dialog: Dialog) => void;
  #order: (Dialog | undefined)[] = [];
  #holes = 0;
  #serial = 0;
  #oldest: Dialog | null = null;
  #newest: Dialog | null = null;
  #sorted: Dialog[] | null = null;
  #isInOrder = true;
  #lastCreatedUs = Number.NEGATIVE_INFINITY;
  evicted = 0;
  /** Mutations since the store was created. */
  generation = 0;
  /** Dialogs now in each state. */
  readonly inState = new Uint32Array(DIALOG_STATES.length);
  /** Entries into each state ever: a counter that never falls. */
  readonly entered = new Float64Array(DIALOG_STATES.length);

  constructor(maxDialogs: number, onEvict: (dialog: Dialog) => void) {
    this.#max = Math.max(1, maxDialogs);
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#byCallId.size;
  }

  get(callId: string): Dialog | undefined {
    return this.#byCallId.get(callId);
  }

  /** The dialog in this slot (message rows name dialogs by slot). */
  bySlot(slot: number): Dialog | undefined {
    return this.#slots[slot];
  }

  /** Opens a dialog; evicts the one idle longest when the store is full. */
  open(init: DialogInit): Dialog {
    if (this.#byCallId.size >= this.#max && this.#oldest !== null) this.#evict(this.#oldest);
    const slot = this.#freeSlots.pop() ?? this.#slots.length;
    const dialog = new Dialog(init, slot, this.#serial++, this.#timesOf(slot), (slot % TIMES_BLOCK) * DIALOG_TIMES);
    this.#slots[slot] = dialog;
    this.#byCallId.set(dialog.callId, dialog);
    if (dialog.createdUs < this.#lastCreatedUs) this.#isInOrder = false;
    else this.#lastCreatedUs = dialog.createdUs;
    dialog.orderIndex = this.#order.push(dialog) - 1;
    this.#link(dialog);
    this.inState[dialog.state]!++;
    this.entered[dialog.state]!++;
    this.#sorted = null;
    this.generation++;
    return dialog;
  }

  /** Moves the dialog to the young end of the idle order. */
  touch(dialog: Dialog): void {
    this.generation++;
    if (this.#newest === dialog) return;
    this.#unlink(dialog);
    this.#link(dialog);
  }

  setState(dialog: Dialog, state: number): void {
    if (dialog.state === state) return;
    this.inState[dialog.state]!--;
    this.inState[state]!++;
    this.entered[state]!++;
    dialog.state = state;
    this.generation++;
  }

  /** Dialogs in order of arrival, oldest first; holes are skipped. */
  *oldestFirst(): Generator<Dialog> {
    for (const d of this.#order) if (d !== undefined) yield d;
  }

  /** Dialogs newest first by creation, ties by arrival: stable while paging. */
  newestFirst(): readonly Dialog[] {
    if (this.#sorted === null) {
      const list = this.#order.filter((d): d is Dialog => d !== undefined).reverse();
      if (!this.#isInOrder) list.sort((a, b) => b.createdUs - a.createdUs || b.serial - a.serial);
      this.#sorted = list;
    }
    return this.#sorted;
  }

  #timesOf(slot: number): Float64Array {
    const block = Math.floor(slot / TIMES_BLOCK);
    const known = this.#times[block];
    if (known !== undefined) return known;
    const made = new Float64Array(TIMES_BLOCK * DIALOG_TIMES);
    this.#times[block] = made;
    return made;
  }

  #evict(dialog: Dialog): void {
    this.#onEvict(dialog);
    this.#byCallId.delete(dialog.callId);
    this.#slots[dialog.slot] = undefined;
    this.#freeSlots.push(dialog.slot);
    this.#unlink(dialog);
    this.inState[dialog.state]!--;
    this.#order[dialog.orderIndex] = undefined;
    this.#sorted = null;
    this.evicted++;
    if (++this.#holes < 1024 || this.#holes * 2 < this.#order.length) return;
    this.#order = this.#order.filter((d) => d !== undefined);
    this.#order.forEach((d, i) => {
      if (d !== undefined) d.orderIndex = i;
    });
    this.#holes = 0;
  }

  #link(dialog: Dialog): void {
    dialog.idlePrev = this.#newest;
    dialog.idleNext = null;
    if (this.#newest !== null) this.#newest.idleNext = dialog;
    else this.#oldest = dialog;
    this.#newest = dialog;
  }

  #unlink(dialog: Dialog): void {
    if (dialog.idlePrev !== null) dialog.idlePrev.idleNext = dialog.idleNext;
    else this.#oldest = dialog.idleNext;
    if (dialog.idleNext !== null) dialog.idleNext.idlePrev = dialog.idlePrev;
    else this.#newest = dialog.idlePrev;
    dialog.idlePrev = null;
    dialog.idleNext = null;
  }
}
