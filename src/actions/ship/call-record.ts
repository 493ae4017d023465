/**
 * A call on its way to the thread that makes its rows: what was read of it, and the columns that its document does not have.
 */
import type { CallIdentifier } from '../../analysis/opening.ts';
import type { FieldKind } from '../../core/call-fields.ts';
import { FIELDS } from '../../core/call-fields.ts';
import type { EndpointKey } from '../../core/ip.ts';
import type { RecordReader, RecordWriter } from '../../core/record.ts';
import type { BurstGap } from '../../protocols/rtp/burst-gap.ts';
import type { RoundTrip } from '../../protocols/rtp/round-trip.ts';
import { type ClockStep, NEVER_SET } from '../../store/clock-steps.ts';
import type { CallTiming } from '../../store/dialogs/call-timing.ts';
import type { CallReading, DialogReading, Judged, SdpReading } from '../../view/dialog-reading.ts';
import { NOTHING_JUDGED } from '../../view/dialog-reading.ts';
import type { MediaFacts } from '../../view/media-lines.ts';
import { NO_MEDIA_FACTS } from '../../view/media-lines.ts';
import type { StreamReading, WindowReading } from '../../view/stream-reading.ts';
import type { RecordKey } from './key.ts';

/** The fields of a call that are columns of the store, in their order. */
export const STORED_FIELDS = FIELDS.filter(({ stored = '' }) => stored !== '');

/** What the store gets of one of them. */
export type FieldValue = string | number | null | readonly string[];

/** Columns of the row; '' and null are unknown. */
export type CallColumns = {
  /** In the order of STORED_FIELDS. */
  readonly fields: readonly FieldValue[];
  readonly trunkIn: string;
  readonly trunkOut: string;
  readonly trunks: readonly string[];
  readonly numbers: readonly string[];
  readonly hints: readonly string[];
  /** Of a registration, as JSON. */
  readonly binding: string;
};

/** What stands in the store where nothing is known. */
export function nothingOf(kind: FieldKind): FieldValue {
  switch (kind) {
    case 'texts':
      return [];
    case 'figure':
    case 'seconds':
    case 'milliseconds':
      return null;
    case 'code':
    case 'count':
    case 'status':
      return 0;
    default:
      return '';
  }
}

export type CallRecord = {
  readonly key: RecordKey;
  readonly reading: CallReading;
  readonly columns: CallColumns;
  /** By what it is found, where it was not told yet. */
  readonly identifiers: readonly CallIdentifier[];
};

/** How many rows it makes. */
export function rowsOf({ reading, identifiers }: CallRecord): number {
  return 1 + reading.streams.length + identifiers.length;
}

export function writeCall(to: RecordWriter, { key, reading, columns, identifiers }: CallRecord): void {
  to.number(key.number);
  to.number(key.version);
  to.number(key.hourUs);
  writeSteps(to, reading.dialog.clockSteps);
  writeDialog(to, reading.dialog);
  to.number(reading.streams.length);
  for (const stream of reading.streams) writeStream(to, stream);
  writeColumns(to, columns);
  to.number(identifiers.length);
  for (const { kind, text } of identifiers) {
    to.text(kind);
    to.text(text);
  }
}

/** Values are read in the order in which they stand here. */
export function readCall(from: RecordReader): CallRecord {
  const key = { number: from.number(), version: from.number(), hourUs: from.number() };
  const steps = readSteps(from);
  return {
    key,
    reading: { dialog: readDialog(from, steps), streams: from.list(() => readStream(from, steps)) },
    columns: readColumns(from),
    identifiers: from.list(() => ({ kind: from.text<CallIdentifier['kind']>(), text: from.text() })),
  };
}

function writeDialog(to: RecordWriter, d: DialogReading): void {
  to.text(d.callId);
  to.number(d.state);
  to.text(d.method);
  to.number(d.msgCount);
  to.number(d.createdUs);
  to.number(d.updatedUs);
  to.number(d.retransmits);
  writeTiming(to, d.timing);
  to.number(d.sdp.length);
  for (const entry of d.sdp) writeSdp(to, entry);
  to.text(d.from);
  to.text(d.to);
  to.text(d.fromHost);
  to.text(d.toHost);
  to.textOrNull(d.fromDisplay);
  to.textOrNull(d.toDisplay);
  to.number(d.finalCode);
  to.text(d.finalReason);
  to.textOrNull(d.frame);
  to.number(d.origin);
  to.texts(d.tags);
  to.textOrNull(d.judged === NOTHING_JUDGED ? null : JSON.stringify(d.judged));
  to.textOrNull(d.media === NO_MEDIA_FACTS ? null : JSON.stringify(d.media));
}

/** Once for a call: those of its streams are the same. */
function writeSteps(to: RecordWriter, steps: readonly ClockStep[]): void {
  to.number(steps.length);
  for (const { atUs, sizeUs } of steps) {
    to.number(atUs);
    to.number(sizeUs);
  }
}

function readSteps(from: RecordReader): readonly ClockStep[] {
  const steps = from.list(() => ({ atUs: from.number(), sizeUs: from.number() }));
  return steps.length === 0 ? NEVER_SET : steps;
}

function readDialog(from: RecordReader, clockSteps: readonly ClockStep[]): DialogReading {
  return {
    callId: from.text(),
    state: from.number(),
    method: from.text(),
    msgCount: from.number(),
    createdUs: from.number(),
    updatedUs: from.number(),
    clockSteps,
    retransmits: from.number(),
    timing: readTiming(from),
    sdp: from.list(() => readSdp(from)),
    from: from.text(),
    to: from.text(),
    fromHost: from.text(),
    toHost: from.text(),
    fromDisplay: from.textOrNull(),
    toDisplay: from.textOrNull(),
    finalCode: from.number(),
    finalReason: from.text(),
    frame: from.textOrNull(),
    origin: from.number(),
    tags: from.texts(),
    judged: judgedOf(from.textOrNull()),
    media: mediaOf(from.textOrNull()),
  };
}

function mediaOf(json: string | null): MediaFacts {
  return json === null ? NO_MEDIA_FACTS : JSON.parse(json);
}

function judgedOf(json: string | null): Judged {
  return json === null ? NOTHING_JUDGED : JSON.parse(json);
}

function writeTiming(to: RecordWriter, t: CallTiming): void {
  to.numberOrNull(t.pddMs);
  to.numberOrNull(t.setupMs);
  to.numberOrNull(t.ringMs);
  to.numberOrNull(t.tryingDelayMs);
  to.numberOrNull(t.teardownMs);
  to.numberOrNull(t.durationMs);
}

function readTiming(from: RecordReader): CallTiming {
  return {
    pddMs: from.numberOrNull(),
    setupMs: from.numberOrNull(),
    ringMs: from.numberOrNull(),
    tryingDelayMs: from.numberOrNull(),
    teardownMs: from.numberOrNull(),
    durationMs: from.numberOrNull(),
  };
}

function writeSdp(to: RecordWriter, entry: SdpReading): void {
  to.number(entry.tsUs);
  to.flag(entry.isOffer);
  to.text(entry.mode);
  to.textOrNull(entry.event);
  to.textOrNull(entry.address);
  to.numberOrNull(entry.port);
  to.texts(entry.codecs);
}

function readSdp(from: RecordReader): SdpReading {
  return {
    tsUs: from.number(),
    isOffer: from.flag(),
    mode: from.text(),
    event: from.textOrNull(),
    address: from.textOrNull(),
    port: from.numberOrNull(),
    codecs: from.texts(),
  };
}

function writeStream(to: RecordWriter, s: StreamReading): void {
  to.number(s.serial);
  to.number(s.openedUs);
  to.number(s.ssrc);
  to.number(s.payloadType);
  writeEndpoint(to, s.src);
  writeEndpoint(to, s.dst);
  to.number(s.packets);
  to.number(s.octets);
  to.number(s.jitterMs);
  to.number(s.lossPct);
  to.number(s.firstUs);
  to.number(s.lastUs);
  to.number(s.windows.length);
  for (const window of s.windows) writeWindow(to, window);
  to.textOrNull(s.codec);
  writeOrNot(to, s.burst, writeBurst);
  to.number(s.dscpFirst);
  to.number(s.dscpLast);
  to.number(s.origin);
  writeOrNot(to, s.call, writeOwner);
  to.textOrNull(s.frame);
  writeOrNot(to, s.roundTrip, writeRoundTrip);
  to.numberOrNull(s.mos);
}

function readStream(from: RecordReader, clockSteps: readonly ClockStep[]): StreamReading {
  return {
    serial: from.number(),
    openedUs: from.number(),
    ssrc: from.number(),
    payloadType: from.number(),
    src: readEndpoint(from),
    dst: readEndpoint(from),
    packets: from.number(),
    octets: from.number(),
    jitterMs: from.number(),
    lossPct: from.number(),
    firstUs: from.number(),
    lastUs: from.number(),
    clockSteps,
    windows: from.list(() => readWindow(from)),
    codec: from.textOrNull(),
    burst: from.flag() ? readBurst(from) : null,
    dscpFirst: from.number(),
    dscpLast: from.number(),
    origin: from.number(),
    call: from.flag() ? readOwner(from) : null,
    frame: from.textOrNull(),
    roundTrip: from.flag() ? readRoundTrip(from) : null,
    mos: from.numberOrNull(),
  };
}

function writeOrNot<T>(to: RecordWriter, value: T | null, write: (to: RecordWriter, value: T) => void): void {
  to.flag(value !== null);
  if (value !== null) write(to, value);
}

/** Those of IPv4 are numbers. */
function writeEndpoint(to: RecordWriter, key: EndpointKey): void {
  const isText = typeof key === 'string';
  to.flag(isText);
  if (isText) to.text(key);
  else to.number(key);
}

function readEndpoint(from: RecordReader): EndpointKey {
  return from.flag() ? from.text() : from.number();
}

function writeWindow(to: RecordWriter, w: WindowReading): void {
  to.number(w.startUs);
  to.number(w.jitterMs);
  to.number(w.lossPct);
  to.number(w.packets);
  to.textOrNull(w.verdict);
  to.numberOrNull(w.mos);
  to.numberOrNull(w.rFactor);
}

function readWindow(from: RecordReader): WindowReading {
  return {
    startUs: from.number(),
    jitterMs: from.number(),
    lossPct: from.number(),
    packets: from.number(),
    verdict: from.textOrNull(),
    mos: from.numberOrNull(),
    rFactor: from.numberOrNull(),
  };
}

function writeBurst(to: RecordWriter, b: BurstGap): void {
  to.number(b.burstCount);
  to.number(b.burstDurationMs);
  to.number(b.gapDurationMs);
  to.number(b.burstLossPct);
  to.number(b.gapLossPct);
  to.flag(b.isBursty);
}

function readBurst(from: RecordReader): BurstGap {
  return {
    burstCount: from.number(),
    burstDurationMs: from.number(),
    gapDurationMs: from.number(),
    burstLossPct: from.number(),
    gapLossPct: from.number(),
    isBursty: from.flag(),
  };
}

type Owner = NonNullable<StreamReading['call']>;

function writeOwner(to: RecordWriter, { callId, origin, isByRelay }: Owner): void {
  to.text(callId);
  to.number(origin);
  to.flag(isByRelay);
}

function readOwner(from: RecordReader): Owner {
  return { callId: from.text(), origin: from.number(), isByRelay: from.flag() };
}

function writeRoundTrip(to: RecordWriter, { ms, source }: RoundTrip): void {
  to.number(ms);
  to.text(source);
}

function readRoundTrip(from: RecordReader): RoundTrip {
  return { ms: from.number(), source: from.text() };
}

function writeColumns(to: RecordWriter, c: CallColumns): void {
  for (const value of c.fields) {
    if (typeof value === 'string') to.text(value);
    else if (typeof value === 'number' || value === null) to.numberOrNull(value);
    else to.texts(value);
  }
  to.text(c.trunkIn);
  to.text(c.trunkOut);
  to.texts(c.trunks);
  to.texts(c.numbers);
  to.texts(c.hints);
  to.text(c.binding);
}

function readColumns(from: RecordReader): CallColumns {
  return {
    fields: STORED_FIELDS.map(({ kind }) => readField(from, nothingOf(kind))),
    trunkIn: from.text(),
    trunkOut: from.text(),
    trunks: from.texts(),
    numbers: from.texts(),
    hints: from.texts(),
    binding: from.text(),
  };
}

/** `like`: another value of its kind. */
function readField(from: RecordReader, like: FieldValue): FieldValue {
  if (typeof like === 'string') return from.text();
  return typeof like === 'number' || like === null ? from.numberOrNull() : from.texts();
}
