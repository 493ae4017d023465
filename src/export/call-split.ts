/**
 * Which frame goes to which call's file (-O DIR --split call): those of its messages, and those of its media.
 *
 * The capture thread hands over every frame that may be of a call, in the order of the capture, after the records that the
 * frame gave. So one pass is enough, and files and interfaces take the same way: when a frame comes, its messages are in
 * their dialogs, the SDP before it is known, and the filter has been asked. A table of flows in the capture thread would be
 * faster, and late: the thread of a file is far ahead of the SDP, and would have written or dropped the media by then.
 *
 * The filter is asked once, at the first message of a call. A frame that held only a part of a message (TCP, fragments)
 * waits until the message is whole.
 */
import type { Evidence } from '../analysis/evidence.ts';
import type { CapturedFrame, FrameSink } from '../ingest/frame-intake.ts';
import type { Observer } from '../ingest/observer.ts';
import type { Filter } from '../query/filter.ts';
import { passesAtStart } from '../query/known-at-start.ts';
import type { FrameAt } from '../sources/packet.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { CLAIM_LINGER_US } from '../store/media/endpoint-index.ts';
import type { Stream } from '../store/media/stream.ts';
import { CallFile } from './call-file.ts';
import type { NamedCall } from './call-file-name.ts';
import type { CallFiles } from './call-files.ts';
import { frameKey, WaitingFrames } from './waiting-frames.ts';

/** Messages whose frame is still to be handed over: those of one TCP segment, or of a moment without frames. @cap */
const MAX_DUE_MESSAGES = 4_096;

/** Calls that are over are looked for this often, in capture time. */
const SWEEP_US = 1_000_000;

/** A dialog got something that these frames carried; the last of them may still come. */
type Due = { readonly dialog: Dialog; readonly keys: readonly number[] };

/** Where the frames of calls go. */
export type CallTarget = Pick<CallFiles, 'write' | 'finish' | 'counters'> & {
  /** The name of the file of a call, without an ending. */
  nameOf(call: NamedCall): string;
};

/** A call with a file. */
type Call = { readonly dialog: Dialog; readonly file: CallFile };

export class CallSplit implements FrameSink, Observer {
  readonly #filter: Filter;
  readonly #waiting = new WaitingFrames();
  /** By slot of the dialog; null was not chosen. As many as there are dialogs. */
  readonly #calls = new Map<number, Call | null>();
  /** Calls with something that is open or waits. */
  readonly #active = new Set<Call>();
  /** Another array after each frame. */
  #due: Due[] = [];
  #dueAtTick: Due[] = this.#due;
  /** Media that no dialog owned yet, by its stream. */
  readonly #unowned = new WeakMap<Stream, number>();
  #evidence: Evidence | null = null;
  #files: CallTarget | null = null;
  #nowUs = Number.NEGATIVE_INFINITY;
  #nextSweepUs = Number.NEGATIVE_INFINITY;

  constructor(filter: Filter) {
    this.#filter = filter;
  }

  /** Before the first record. */
  begin(evidence: Evidence): void {
    this.#evidence = evidence;
  }

  /** Where the files are made. */
  writeTo(files: CallTarget): void {
    this.#files = files;
  }

  add(slot: number, message: FrameAt & { readonly parts: readonly FrameAt[] | null }): void {
    const dialog = this.#evidence?.stores.dialogs.bySlot(slot);
    if (dialog === undefined) return;
    const frames = message.parts === null ? [message] : [message, ...message.parts];
    this.#due.push({ dialog, keys: frames.map(frameKey) });
    if (this.#due.length >= MAX_DUE_MESSAGES) this.#handOut(null);
  }

  /** The dialog is gone. What is due to others may still come. */
  forget(slot: number): void {
    const due = this.#due.filter(({ dialog }) => dialog.slot === slot);
    if (due.length > 0) {
      this.#due = this.#due.filter((one) => !due.includes(one));
      this.#give(due, null);
    }
    const call = this.#calls.get(slot) ?? null;
    this.#calls.delete(slot);
    if (call !== null) this.#finish(call);
  }

  onFrame(frame: CapturedFrame, owners: readonly Dialog[], stream: Stream | undefined): void {
    if (frame.tsUs > this.#nowUs) this.#nowUs = frame.tsUs;
    if (frame.isPart) this.#waiting.keep(frame);
    if (this.#due.length > 0) this.#handOut(frame);
    for (const dialog of owners) this.#write(dialog, frame);
    if (stream !== undefined) this.#countEarly(stream, owners);
    if (this.#nowUs >= this.#nextSweepUs) this.#sweep();
  }

  onTick(nowUs: number): void {
    if (nowUs > this.#nowUs) this.#nowUs = nowUs;
    // The frame of the last record may be the first of the next slab.
    if (this.#due === this.#dueAtTick) this.#handOut(null);
    this.#dueAtTick = this.#due;
    this.#sweep();
  }

  onFinish(): void {
    this.#handOut(null);
  }

  /** Frames of messages, each where it is: it has just come, or waits. */
  #handOut(last: CapturedFrame | null): void {
    const due = this.#due;
    this.#due = [];
    this.#give(due, last);
  }

  #give(due: readonly Due[], last: CapturedFrame | null): void {
    const lastKey = last === null ? Number.NaN : frameKey(last);
    for (const { dialog, keys } of due) {
      const call = this.#callOf(dialog);
      if (call === null) continue;
      for (const key of keys) {
        if (Number.isNaN(key)) this.#files?.counters.add('without_frame');
        else if (this.#waiting.has(key)) this.#writePart(call, key);
        else if (last !== null && key === lastKey) this.#writeTo(call, last);
        else this.#files?.counters.add('parts_missing');
      }
    }
  }

  /** One frame may have parts of two messages of the call. */
  #writePart(call: Call, key: number): void {
    const frame = this.#waiting.takeFor(key, call.dialog);
    if (frame !== null) this.#writeTo(call, frame);
  }

  #write(dialog: Dialog, frame: CapturedFrame): void {
    const call = this.#callOf(dialog);
    if (call !== null) this.#writeTo(call, frame);
  }

  #writeTo(call: Call, frame: CapturedFrame): void {
    this.#active.add(call);
    this.#files?.write(call.file, frame);
  }

  /** Null where the filter did not choose it. */
  #callOf(dialog: Dialog): Call | null {
    const known = this.#calls.get(dialog.slot);
    if (known !== undefined) return known;
    const files = this.#files;
    const call = files !== null && this.#isChosen(dialog) ? { dialog, file: new CallFile(files.nameOf(dialog)) } : null;
    this.#calls.set(dialog.slot, call);
    return call;
  }

  #isChosen(dialog: Dialog): boolean {
    const e = this.#evidence;
    if (this.#filter === null || e === null) return e !== null;
    const asking = { e, nowUs: e.capture.nowUs, nameOf: (address: string) => e.rules.names.of(address) };
    return passesAtStart(this.#filter, dialog, asking);
  }

  /** Media before its description is lost when it turns out to be of a call that has a file. */
  #countEarly(stream: Stream, owners: readonly Dialog[]): void {
    const before = this.#unowned.get(stream) ?? 0;
    if (owners.length === 0) this.#unowned.set(stream, before + 1);
    else if (before > 0) {
      this.#unowned.delete(stream);
      if (owners.some(({ slot }) => (this.#calls.get(slot) ?? null) !== null))
        this.#files?.counters.add('early_media', before);
    }
  }

  /** Files of calls whose late media has had its time are closed; the next frame would open one again. */
  #sweep(): void {
    this.#nextSweepUs = this.#nowUs + SWEEP_US;
    for (const call of this.#active)
      if (call.dialog.endedUs + call.dialog.arrivalLagUs < this.#nowUs - CLAIM_LINGER_US) this.#finish(call);
  }

  #finish(call: Call): void {
    this.#active.delete(call);
    this.#files?.finish(call.file);
  }
}
