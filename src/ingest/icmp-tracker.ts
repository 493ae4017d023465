/**
 * ICMP errors to the calls they are about: a quoted SIP message names its dialog by its Call-ID, by its bytes, or by the
 * socket pair of a request that was on its way; everything else is media or neither (icmp-media.ts).
 */

import type { EndpointKey } from '../core/ip.ts';
import { endpointKey, ipText } from '../core/ip.ts';
import { dropOldest } from '../core/maps.ts';
import type { IcmpError } from '../decode/icmp.ts';
import { ICMP_REASONS, PROTOCOL_TCP, parseIcmpError } from '../decode/icmp.ts';
import type { Packet } from '../sources/packet.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { DialogStore } from '../store/dialogs/dialog-store.ts';
import type { IcmpMediaTally } from '../store/icmp/icmp-media.ts';
import type { IcmpNote } from '../store/icmp/icmp-note.ts';
import type { MessageFrames } from '../store/messages/frame-ledger.ts';
import type { MessageLog } from '../store/messages/message-log.ts';
import { NO_ROW, ROW } from '../store/messages/message-rows.ts';
import { SeenTwice } from './seen-twice.ts';

/** Kinds of ICMP errors remembered of one dialog. @cap */
const MAX_ICMP_NOTES = 8;

/**
 * Dialogs with any ICMP error.
 *
 * @cap memory 12 MiB, icmp_notes_evicted: dialogs whose SIP was refused
 */
const MAX_ICMP_DIALOGS = 4_096;

/** Quoted messages an ICMP error names as evidence; the rest are only counted. @cap */
const MAX_ICMP_ROWS = 32;

/** Messages looked back at for one that was on its way when the error came. */
const LOOK_BACK_ROWS = 1_024;
/** A request is on its way for 64*T1 at most (RFC 3261 section 17.1.1.2). */
const IN_FLIGHT_US = 32_000_000;
/** Bytes compared of a quote: routers give 8, hosts up to 548. */
const COMPARE_BYTES = 1_200;

export class IcmpTracker {
  readonly #dialogs: DialogStore;
  readonly #log: MessageLog;
  readonly media: IcmpMediaTally;
  readonly #frames: MessageFrames | null;
  /** By serial number of the dialog. */
  readonly #notes = new Map<number, IcmpNote[]>();
  readonly #seen = new SeenTwice();
  /** Told of each error that quotes a packet of media; null where nobody asks. */
  onMedia: ((src: EndpointKey, dst: EndpointKey, c: Packet) => void) | null = null;
  errors = 0;
  /** Errors that a mirror port showed once more. */
  duplicateFrames = 0;
  /** Errors about SIP that no dialog is known for. */
  signalingUnattributed = 0;
  notesEvicted = 0;
  readonly refused = new Map<string, number>(ICMP_REASONS.map((r) => [r, 0]));

  /** `frames` is null where nobody will write what belongs to dialogs. */
  constructor(dialogs: DialogStore, log: MessageLog, media: IcmpMediaTally, frames: MessageFrames | null = null) {
    this.#dialogs = dialogs;
    this.#log = log;
    this.media = media;
    this.#frames = frames;
  }

  onPacket(buf: Buffer, start: number, end: number, c: Packet): void {
    if (this.#seen.isCopy(buf, start, end, c)) {
      this.duplicateFrames++;
      return;
    }
    this.errors++;
    const parsed = parseIcmpError(buf, start, end, c.ipVersion);
    if (!parsed.ok) {
      this.refused.set(parsed.reason, (this.refused.get(parsed.reason) ?? 0) + 1);
      return;
    }
    const e = parsed.value;
    const hasPorts = e.srcPort >= 0;
    const src = hasPorts ? endpointKey(buf, e.srcOff, e.ipVersion, e.srcPort) : null;
    const dst = hasPorts ? endpointKey(buf, e.dstOff, e.ipVersion, e.dstPort) : null;
    const reportedBy = ipText(c.addresses, c.srcOff, c.ipVersion);
    const mayBeSip = src !== null && dst !== null && couldBeSip(buf, e);
    const row = mayBeSip ? this.#quotedRow(buf, e, src, dst, c.tsUs) : NO_ROW;
    if (mayBeSip && (row !== NO_ROW || looksSip(buf, e))) {
      const d = this.#byCallId(buf, e) ?? (row === NO_ROW ? undefined : this.#dialogs.bySlot(this.#log.dialog(row)));
      if (d !== undefined) this.#frames?.add(d.slot, c);
      if (d === undefined) this.signalingUnattributed++;
      else this.#note(d, e, src, dst, reportedBy, row, c.tsUs);
      return;
    }
    this.media.add(e, buf, src, dst, reportedBy, c.tsUs);
    if (src !== null && dst !== null) this.onMedia?.(src, dst, c);
  }

  notes(d: Dialog): readonly IcmpNote[] {
    return this.#notes.get(d.serial) ?? [];
  }

  onDialogGone(d: Dialog): void {
    if (this.#notes.size > 0) this.#notes.delete(d.serial);
  }

  /** A message of the dialog in this slot has another row now. */
  onRowMoved(slot: number, from: number, to: number): void {
    if (this.#notes.size === 0) return;
    const d = this.#dialogs.bySlot(slot);
    for (const { rows } of d === undefined ? [] : this.notes(d)) {
      const at = rows.indexOf(from);
      if (at >= 0) rows[at] = to;
    }
  }

  #note(
    d: Dialog,
    e: IcmpError,
    source: EndpointKey,
    unreachable: EndpointKey,
    reportedBy: string,
    row: number,
    tsUs: number,
  ): void {
    let list = this.#notes.get(d.serial);
    if (list === undefined) {
      list = [];
      if (this.#notes.size >= MAX_ICMP_DIALOGS && dropOldest(this.#notes)) this.notesEvicted++;
      this.#notes.set(d.serial, list);
    }
    let note = list.find((n) => n.type === e.type && n.code === e.code && n.unreachable === unreachable);
    if (note === undefined) {
      if (list.length >= MAX_ICMP_NOTES) {
        this.notesEvicted++;
        return;
      }
      const { ipVersion, type, code } = e;
      note = {
        ipVersion,
        type,
        code,
        unreachable,
        source,
        reportedBy,
        firstUs: tsUs,
        errors: 0,
        isTruncated: false,
        rows: [],
      };
      list.push(note);
    }
    note.errors++;
    note.isTruncated ||= e.isTruncated;
    if (row !== NO_ROW && note.rows.length < MAX_ICMP_ROWS && !note.rows.includes(row)) note.rows.push(row);
  }

  /** The newest message that ran between the two sockets and begins with what is quoted; NO_ROW without one. */
  #quotedRow(buf: Buffer, e: IcmpError, src: EndpointKey, dst: EndpointKey, tsUs: number): number {
    const log = this.#log;
    const oldest = Math.max(log.firstRow, log.lastRow - LOOK_BACK_ROWS);
    for (let row = log.lastRow; row >= oldest; row = log.before(row)) {
      if (tsUs - log.tsUs(row) > IN_FLIGHT_US) break;
      const ends = log.endpoints(row);
      if (ends.srcPort !== e.srcPort || ends.dstPort !== e.dstPort) continue;
      const version = (log.flags(row) & ROW.IPV6) === 0 ? 4 : 6;
      if (endpointKey(ends.bytes, ends.srcOff, version, ends.srcPort) !== src) continue;
      if (endpointKey(ends.bytes, ends.dstOff, version, ends.dstPort) !== dst) continue;
      if (beginsAs(log.bytes(row), buf, e)) return row;
    }
    return NO_ROW;
  }

  /** The dialog whose Call-ID the quote holds whole. */
  #byCallId(buf: Buffer, e: IcmpError): Dialog | undefined {
    const text = buf.toString('latin1', e.payloadStart, Math.min(e.payloadEnd, e.payloadStart + COMPARE_BYTES));
    const found = /\r?\n(?:call-id|i)[ \t]*:([^\r\n]*)\r?\n/i.exec(text)?.[1]?.trim();
    return found === undefined ? undefined : this.#dialogs.get(found);
  }
}

/** Nothing is quoted of it, or what begins like a start line; a TCP segment may begin in the middle of one. */
function couldBeSip(buf: Buffer, e: IcmpError): boolean {
  const first = buf[e.payloadStart] ?? 0;
  return e.protocol === PROTOCOL_TCP || e.payloadEnd === e.payloadStart || (first >= 0x41 && first <= 0x5a);
}

/** A start line. */
function looksSip(buf: Buffer, e: IcmpError): boolean {
  const text = buf.toString('latin1', e.payloadStart, Math.min(e.payloadEnd, e.payloadStart + 64));
  return /^(?:[A-Z]{3,16} (?:sips?|tel):|SIP\/2\.0 )/.test(text);
}

/** The message begins with the quoted bytes; with none quoted, the sockets alone decide. */
function beginsAs(message: Uint8Array, buf: Buffer, e: IcmpError): boolean {
  if (e.protocol === PROTOCOL_TCP) return true;
  const n = Math.min(e.payloadEnd - e.payloadStart, message.length, COMPARE_BYTES);
  for (let i = 0; i < n; i++) if (message[i] !== buf[e.payloadStart + i]) return false;
  return true;
}
