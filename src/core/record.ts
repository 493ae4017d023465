/**
 * Plain values as bytes, and back in the same order: for another thread of this program, which gets the memory they stand in.
 * That takes a quarter of the time of a structured clone or of JSON, and the memory has a limit.
 */
import { asBuffer } from './byte-text.ts';

/** The same memory in two ways. */
export type RecordMemory = { readonly view: DataView<ArrayBuffer>; readonly bytes: Uint8Array<ArrayBuffer> };

export function recordMemory(memory: ArrayBuffer): RecordMemory {
  return { view: new DataView(memory), bytes: new Uint8Array(memory) };
}

/** Before a text: how many units, and whether they have two bytes each; or that there is none. */
const HEAD_BYTES = 4;
const WIDE = 0x8000_0000;
const NO_TEXT = 0xffff_ffff;
const SHORT = 32;

/** Writes values one behind another. What does not fit is not written, and nothing behind it. */
export class RecordWriter {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;
  #isFull = false;

  constructor({ view, bytes }: RecordMemory, from: number, end: number) {
    this.#view = view;
    this.#bytes = bytes;
    this.#at = from;
    this.#end = end;
  }

  /** Where the next value goes. */
  get at(): number {
    return this.#at;
  }

  /** Something did not fit: what was written is no record. */
  get isFull(): boolean {
    return this.#isFull;
  }

  byte(value: number): void {
    const at = this.#take(1);
    if (at >= 0) this.#bytes[at] = value;
  }

  number(value: number): void {
    const at = this.#take(8);
    if (at >= 0) this.#view.setFloat64(at, value);
  }

  flag(value: boolean): void {
    this.byte(value ? 1 : 0);
  }

  /** NaN is null to who reads. */
  numberOrNull(value: number | null): void {
    this.number(value ?? Number.NaN);
  }

  textOrNull(value: string | null): void {
    if (value !== null) {
      this.text(value);
      return;
    }
    const at = this.#take(HEAD_BYTES);
    if (at >= 0) this.#view.setUint32(at, NO_TEXT);
  }

  texts(values: readonly string[]): void {
    this.number(values.length);
    for (const value of values) this.text(value);
  }

  /** As many bytes as the reader asks for. */
  bytes(source: Uint8Array, from: number, length: number): void {
    const at = this.#take(length);
    if (at < 0) return;
    // A short copy by itself takes less than making a view of it.
    if (length > SHORT) this.#bytes.set(source.subarray(from, from + length), at);
    else for (let i = 0; i < length; i++) this.#bytes[at + i] = source[from + i] ?? 0;
  }

  /** Any text of JavaScript, also half a pair of UTF-16. */
  text(value: string): void {
    const units = value.length;
    const from = this.#take(HEAD_BYTES + units);
    if (from < 0) return;
    const bytes = this.#bytes;
    const first = from + HEAD_BYTES;
    for (let i = 0; i < units; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 0xff) {
        this.#at = from;
        this.#wideText(value);
        return;
      }
      bytes[first + i] = unit;
    }
    this.#view.setUint32(from, units);
  }

  #wideText(value: string): void {
    const from = this.#take(HEAD_BYTES + 2 * value.length);
    if (from < 0) return;
    this.#view.setUint32(from, WIDE + value.length);
    asBuffer(this.#bytes).write(value, from + HEAD_BYTES, 'utf16le');
  }

  /** -1 where there is no room. */
  #take(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#end) this.#isFull = true;
    if (this.#isFull) return -1;
    this.#at = at + bytes;
    return at;
  }
}

/** Reads what a writer of the same codec wrote. */
export class RecordReader {
  readonly #view: DataView;
  readonly #bytes: Buffer;
  #at: number;

  constructor({ view, bytes }: RecordMemory, from: number) {
    this.#view = view;
    this.#bytes = asBuffer(bytes);
    this.#at = from;
  }

  get at(): number {
    return this.#at;
  }

  byte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  number(): number {
    return this.#view.getFloat64(this.#take(8));
  }

  flag(): boolean {
    return this.byte() !== 0;
  }

  /** In place: good as long as the memory is. */
  bytes(length: number): Buffer {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  numberOrNull(): number | null {
    const value = this.number();
    return Number.isNaN(value) ? null : value;
  }

  /** Which type of text it was is for the caller to know. */
  text<T extends string = string>(): T {
    return (this.textOrNull() ?? '') as T;
  }

  textOrNull<T extends string = string>(): T | null {
    const head = this.#view.getUint32(this.#take(HEAD_BYTES));
    if (head === NO_TEXT) return null;
    const isWide = head >= WIDE;
    const bytes = isWide ? 2 * (head - WIDE) : head;
    const at = this.#take(bytes);
    return this.#bytes.toString(isWide ? 'utf16le' : 'latin1', at, at + bytes) as T;
  }

  texts<T extends string = string>(): T[] {
    return this.list(() => this.text<T>());
  }

  /** So many as the number says that stands before them. */
  list<T>(read: () => T): T[] {
    const values: T[] = [];
    for (let left = this.number(); left > 0; left--) values.push(read());
    return values;
  }

  #take(bytes: number): number {
    const at = this.#at;
    this.#at = at + bytes;
    return at;
  }
}
