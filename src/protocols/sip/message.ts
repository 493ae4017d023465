/**
 * The full parse of one message, for views, lint and reports (RFC 3261 7, 20): every header in order as it was
 * written, and typed readings of the ones that have a structure. Framing and shared fields come from the scanner.
 */

import { rawText } from '../../core/byte-text.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import { type BodyPart, bodyParts } from './body.ts';
import { HEADER, headerIdOf } from './header-name.ts';
import { valueNotes } from './message-notes.ts';
import { type NameAddr, parseNameAddr } from './name-addr.ts';
import { hasFault, noteNames } from './notes.ts';
import { SCAN, type ScanReason, type SipScan, scanSip } from './scanner/scan.ts';
import { decodeText, parseDigits, unfold } from './text.ts';
import { parseUri, type SipUri } from './uri.ts';
import { MAX_VALUES, splitValues } from './values.ts';
import { parseVia, type Via } from './via.ts';

export interface SipHeader {
  /** Id of the header, `HEADER.OTHER` when it is not one of the known ones. */
  readonly id: number;
  /** Name as written. */
  readonly name: string;
  /** Value as written, folding kept, outer blanks removed. */
  readonly raw: string;
  /** Value with folding undone. */
  readonly value: string;
}

export interface Cseq {
  /** -1 when it is no number below 2^31. */
  readonly number: number;
  readonly method: string;
}

/** One parsed message. Offsets of `scan` point into the buffer it was parsed from; everything else is a copy. */
export class SipMessage {
  readonly scan: SipScan;
  readonly isRequest: boolean;
  /** Start line as written, without its line end. */
  readonly startLine: string;
  /** Method of a request; of a response the CSeq method, '' without one. */
  readonly method: string;
  readonly requestUriText: string;
  readonly version: string;
  /** 0 in a request and when the status is no three digits. */
  readonly status: number;
  readonly reasonPhrase: string;
  readonly headers: readonly SipHeader[];
  readonly body: Uint8Array;
  /** Notes of the scanner and of the values. */
  readonly notes: number;
  readonly #start: number;
  readonly #cseqMethod: string;

  constructor(buf: Uint8Array, scan: SipScan) {
    this.scan = scan;
    this.isRequest = scan.isRequest;
    this.startLine = rawText(buf, scan.messageStart, scan.startLineEnd);
    this.#cseqMethod = decodeText(buf, scan.cseqMethodStart, scan.cseqMethodEnd);
    this.method = scan.isRequest ? rawText(buf, scan.methodStart, scan.methodEnd) : this.#cseqMethod;
    this.requestUriText = scan.isRequest ? rawText(buf, scan.uriStart, scan.uriEnd) : '';
    this.version = scan.versionStart < 0 ? '' : rawText(buf, scan.versionStart, scan.versionEnd);
    this.status = scan.status;
    this.reasonPhrase = scan.isRequest ? '' : rawText(buf, scan.reasonStart, scan.reasonEnd);
    this.headers = readHeaders(buf, scan);
    this.body = Uint8Array.prototype.slice.call(buf, scan.bodyStart, scan.bodyEnd);
    this.#start = scan.bodyStart;
    this.notes = scan.notes | valueNotes(scan.isRequest ? this.requestUriText : null, this.headers);
  }

  /** First header of that id. */
  header(id: number): SipHeader | undefined {
    return this.headers.find((header) => header.id === id);
  }

  /** All headers of that id, in order. */
  headersOf(id: number): SipHeader[] {
    return this.headers.filter((header) => header.id === id);
  }

  /** All headers of that name, compact or full, in any case. */
  headersNamed(name: string): SipHeader[] {
    const id = headerIdOf(name);
    if (id !== HEADER.OTHER) return this.headersOf(id);
    const lower = name.toLowerCase();
    return this.headers.filter((header) => header.id === HEADER.OTHER && header.name.toLowerCase() === lower);
  }

  /** Value of the first header of that id, '' when absent. */
  value(id: number): string {
    return this.header(id)?.value ?? '';
  }

  /** Values of the headers of that id, comma-separated lists taken apart: the first MAX_VALUES of them all. */
  values(id: number): string[] {
    const values: string[] = [];
    for (const header of this.headers) {
      if (header.id !== id) continue;
      for (const value of splitValues(header.value, MAX_VALUES - values.length).values) values.push(value);
      if (values.length >= MAX_VALUES) break;
    }
    return values;
  }

  get callId(): string {
    return this.headers.find((header) => header.id === HEADER.CALL_ID && header.value !== '')?.value ?? '';
  }

  /** Null when absent or without a method. */
  get cseq(): Cseq | null {
    return this.#cseqMethod === '' ? null : { number: this.scan.cseq, method: this.#cseqMethod };
  }

  get from(): NameAddr | null {
    return addressOf(this.header(HEADER.FROM));
  }

  get to(): NameAddr | null {
    return addressOf(this.header(HEADER.TO));
  }

  /** Contacts that can be read, the wildcard included. */
  get contacts(): NameAddr[] {
    return this.addresses(HEADER.CONTACT);
  }

  /** Values of address lists (Contact, Route, P-Asserted-Identity, …) that can be read. */
  addresses(id: number): NameAddr[] {
    return this.values(id).flatMap((value) => {
      const address = parseNameAddr(value);
      return address.ok ? [address.value] : [];
    });
  }

  /** Vias that can be read, top one first. */
  get vias(): Via[] {
    return this.values(HEADER.VIA).flatMap((value) => {
      const via = parseVia(value);
      return via.ok ? [via.value] : [];
    });
  }

  /** Null in a response and when it does not parse; angle brackets a sender put on are taken off. */
  get requestUri(): SipUri | null {
    const uri = parseUri(this.requestUriText.replace(/^<|>$/g, ''));
    return this.isRequest && uri.ok ? uri.value : null;
  }

  /** Number in a header of plain digits; null when absent, empty or larger than `max`. */
  number(id: number, max = 0xffff_ffff): number | null {
    const value = parseDigits(this.value(id), max);
    return value < 0 ? null : value;
  }

  /** Leaf parts of the body; offsets count from the start of `body`. */
  bodyParts(): BodyPart[] {
    return bodyParts(this.body, 0, this.body.length, this.value(HEADER.CONTENT_TYPE));
  }

  /** Offset of the body in the buffer the message was parsed from. */
  get bodyOffset(): number {
    return this.#start;
  }

  get noteNames(): string[] {
    return noteNames(this.notes);
  }

  /** Whether the message breaks the grammar or lacks a mandatory header. */
  get isMalformed(): boolean {
    return hasFault(this.notes);
  }
}

function addressOf(header: SipHeader | undefined): NameAddr | null {
  if (header === undefined) return null;
  const address = parseNameAddr(header.value);
  return address.ok ? address.value : null;
}

function readHeaders(buf: Uint8Array, scan: SipScan): SipHeader[] {
  const headers: SipHeader[] = [];
  scan.forEachHeader((nameStart, nameEnd, valueStart, valueEnd) => {
    const name = rawText(buf, nameStart, nameEnd);
    const raw = rawText(buf, valueStart, valueEnd);
    headers.push({ id: headerIdOf(name), name, raw, value: unfold(raw) });
  });
  return headers;
}

/** Parses the message at `start`..`end`. */
export function parseSip(buf: Uint8Array, start: number, end: number): Result<SipMessage, ScanReason> {
  const scan = scanSip(buf, start, end);
  return scan.code === SCAN.OK ? ok(new SipMessage(buf, scan)) : fail(scan.reason);
}

/** Asks for credentials: 401 of a server, 407 of a proxy (sections 21.4.2 and 21.4.8). */
export function isChallenge(status: number): boolean {
  return status === 401 || status === 407;
}
