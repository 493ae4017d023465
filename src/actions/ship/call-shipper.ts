/**
 * Makes the rows of calls as they happen: two seconds after a call began, when it is answered, when a finding appears, every
 * five minutes, and when it has ended; what ends within two seconds is one row. A call that changes later is told again.
 *
 * The history of this host (src/actions/history) keeps one row a call: when it has ended, or leaves the memory.
 *
 * Rows are made in slices: the capture goes on between two of them. Where calls leave the memory faster than rows can be made
 * they are counted. Time is capture time; of files none passes, and their calls are told of when all is read.
 */
import { messagesOf } from '../../analysis/call-messages.ts';
import { callWayAmong } from '../../analysis/call-way.ts';
import type { DialogFacts } from '../../analysis/dialog-facts.ts';
import { documentFactsSteps } from '../../analysis/dialog-facts.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { FindingName } from '../../analysis/finding-names.ts';
import { findingNames } from '../../analysis/finding-names.ts';
import type { CallIdentifier, Opening } from '../../analysis/opening.ts';
import { NO_OPENING, openingOf, referIdentifiers, userAgentOf } from '../../analysis/opening.ts';
import { laterTies } from '../../analysis/ties.ts';
import { Counters } from '../../core/counters.ts';
import type { Steps, Turns } from '../../core/turns.ts';
import { finish } from '../../core/turns.ts';
import { ORIGINS } from '../../core/words.ts';
import type { Observer } from '../../ingest/observer.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import type { Packet } from '../../sources/packet.ts';
import { asCaptured } from '../../store/clock-steps.ts';
import { MARK } from '../../store/dialogs/call-marks.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { isEnded, STATE } from '../../store/dialogs/dialog-state.ts';
import { streamDocumentsSteps } from '../../view/documents.ts';
import type { Due } from './agenda.ts';
import { Agenda } from './agenda.ts';
import type { JudgedCall } from './call-lines.ts';
import { callLine, documentText } from './call-lines.ts';
import type { Shipper } from './key.ts';
import { hourOf, isInTime, lineHeads } from './key.ts';
import type { MessageRange } from './message-lines.ts';
import type { StoreRows } from './part-lines.ts';
import { partSteps } from './part-lines.ts';
import type { Said } from './said-reader.ts';
import { SaidReader, saidSteps } from './said-reader.ts';
import { toldOf } from './told.ts';

/** Milliseconds a second that calltap spends on rows of calls that an eviction overtakes. @cap */
const SHIP_GONE_MS = 100;

/** Seconds after a call began, and after it ended, that its row is made. */
const SETTLE_SEC = 2;
/** Seconds after its end that it is looked at once more: what comes late has come, or was given up (64*T1). Media may go on. */
const LATE_SEC = 32;
/** Media that came within so many seconds goes on. */
const STILL_SEC = 1;
/** Seconds between two looks for new findings, and between two rows of a call that goes on. */
const LOOK_SEC = 30;
const ROW_SEC = 300;

/** What has no more is told of in one step: it takes no longer than a few milliseconds, and a rest costs more than the call. */
const SMALL_MESSAGES = 16;
const SMALL_STREAMS = 4;

export const CALL_SHIP_COUNTERS = [
  /** Calls that left the memory before a row was made of them, and those whose last row is not their last state. */
  'calls_skipped',
  'calls_stale',
  /** Messages that left the memory before. */
  'messages_gone',
  /** Calls of a live capture whose time cannot be: more than 400 days ago, or two days ahead. */
  'out_of_time',
  /** Calls that a probe read, which stay on this host. */
  'from_uprobe',
] as const;
/** Of these, what is missing in the store. */
export const CALL_SHIP_LOSSES = ['calls_skipped', 'calls_stale', 'messages_gone', 'out_of_time'] as const;
export type CallShipCounter = (typeof CALL_SHIP_COUNTERS)[number];

/**
 * Characters of what a call says that are collected while its messages come, as their scan is at hand then. Of a call that says
 * more the row has what the messages say that are kept when it is made.
 *
 * @cap option 290 MiB: with `--ship`: what each call that goes on has said, which is about 2 KB of a usual one
 */
const SHIP_SAID_CHARS = 1024;

/** A message with more bytes of headers, or more addresses in them, is read when a row is made. @cap */
const SHIP_SAID_BYTES = 4096;
const SHIP_SAID_ADDRESSES = 16;
/** What was heard of a call lacks a message, until a row is made. */
const BEHIND = -1;

const UPROBE_SEEN = 1 << ORIGINS.indexOf('uprobe');

/** What was told of a dialog. */
type Track = Due & {
  readonly dialog: Dialog;
  /** When the hour of its rows begins: NaN before the first one. */
  hourUs: number;
  isQueued: boolean;
  /** Something happened that is to be told; else it is only looked at. */
  hasNews: boolean;
  /** Nothing of it is told any more. */
  isLeftOut: boolean;
  /** The history has its last state. */
  isKept: boolean;
  rowSec: number;
  /** What the message that opened it says; read for the first row, without identifiers then. */
  opening: Opening;
  /** What it has said so far; null where that is read of the messages that are kept. */
  said: SaidReader | null;
  /** So many messages are read for it, or BEHIND. */
  heard: number;
  /** The last Refer-To whose identifiers were sent. */
  referTo: string | null;
  /** By what the document that was sent last is known again. */
  told: string;
  findings: string;
  /** Store's count of touches at the last row; messages that were sent. */
  touched: number;
  messages: number;
};

/** Takes a call that has ended, or leaves the memory; again when it changed since, by a greater version. */
export type TakeCall = (
  key: { readonly number: number; readonly version: number },
  call: JudgedCall,
  document: string,
) => void;

export type CallShipperOptions = {
  readonly evidence: () => Evidence;
  readonly shipper: Shipper;
  readonly nextVersion: () => number;
  readonly turns: Turns;
  /** Resolves when there is room for many rows. */
  readonly room: () => Promise<void>;
  /** Either may be missing. */
  readonly store: StoreRows | null;
  readonly history: TakeCall | null;
};

export class CallShipper implements Observer {
  readonly counters = new Counters<CallShipCounter>(CALL_SHIP_COUNTERS);
  readonly #options: CallShipperOptions;
  /** By the slot of the dialog: a map of as many would stop the capture whenever it grows. */
  readonly #tracks: (Track | undefined)[] = [];
  readonly #agenda = new Agenda<Track>();
  #work: Track[] = [];
  #working: Promise<void> | null = null;
  /** NaN before the first tick. */
  #nowSec = Number.NaN;
  /** Milliseconds of this second that went to calls that left the memory. */
  #goneMs = 0;
  #isFinishing = false;

  constructor(options: CallShipperOptions) {
    this.#options = options;
  }

  onMessage(buf: Buffer, start: number, _end: number, scan: SipScan, _c: Packet, d: Dialog | null): void {
    if (d === null) return;
    const known = this.#trackOf(d);
    const track = known ?? this.#open(d);
    if (known !== undefined && known.dueSec > this.#nowSec + SETTLE_SEC && isEnded(d.state))
      this.#note(known, SETTLE_SEC);
    if (this.#options.store === null && track.opening === NO_OPENING && scan.isRequest)
      track.opening = { userAgent: userAgentOf(buf, scan), identifiers: [] };
    if (track.said !== null) hear(track, track.said, buf, start, scan);
  }

  /** A phone may report long after the call. */
  onReport(d: Dialog): void {
    const track = this.#trackOf(d);
    if (track !== undefined) this.#note(track, SETTLE_SEC);
  }

  onDialogState(d: Dialog): void {
    const track = this.#trackOf(d) ?? this.#open(d);
    // One that is answered before its first row is due is told of there.
    if (d.state === STATE.InCall) this.#note(track, isNew(track) ? SETTLE_SEC : 0);
    else if (isEnded(d.state)) this.#note(track, SETTLE_SEC);
  }

  onDialogGone(d: Dialog): void {
    const track = this.#trackOf(d);
    if (track === undefined) return;
    this.#tracks[d.slot] = undefined;
    track.dueSec = Number.POSITIVE_INFINITY;
    const isKept = this.#options.history === null || track.isKept;
    if (track.isLeftOut || (isKept && track.touched === d.touched && !this.#isHeard(d))) return;
    if (this.#goneMs >= SHIP_GONE_MS) {
      this.counters.add(isNew(track) ? 'calls_skipped' : 'calls_stale');
      return;
    }
    const beganMs = performance.now();
    finish(this.#tellSteps(track));
    if (!Number.isNaN(this.#nowSec)) this.#goneMs += performance.now() - beganMs;
    this.#begin();
  }

  onTick(nowUs: number): void {
    const isFirst = Number.isNaN(this.#nowSec);
    this.#nowSec = Math.floor(nowUs / 1e6);
    this.#goneMs = 0;
    // What came before had no time to be due at.
    if (isFirst) for (const track of this.#tracks) if (track !== undefined) this.#note(track, SETTLE_SEC);
    for (const track of this.#agenda.due(this.#nowSec)) this.#queue(track);
    this.#begin();
  }

  /** What is queued is told of: it may wait for no tick, as the program may be killed. */
  #begin(): void {
    this.#working ??= this.#run().finally(() => {
      this.#working = null;
    });
  }

  /** Resolves when the rows that are due have been made. */
  async settled(): Promise<void> {
    await this.#working;
  }

  /** Tells all that was not told yet. */
  async finish(): Promise<void> {
    await this.#working;
    this.#isFinishing = true;
    for (const track of this.#tracks) {
      if (track === undefined) continue;
      track.hasNews = true;
      this.#queue(track);
    }
    await this.#run();
  }

  #trackOf(d: Dialog): Track | undefined {
    const track = this.#tracks[d.slot];
    return track?.dialog === d ? track : undefined;
  }

  #open(d: Dialog): Track {
    const track: Track = {
      dialog: d,
      hourUs: Number.NaN,
      dueSec: Number.POSITIVE_INFINITY,
      isQueued: false,
      hasNews: true,
      isLeftOut: false,
      isKept: false,
      rowSec: 0,
      opening: NO_OPENING,
      said: new SaidReader(),
      heard: 0,
      referTo: null,
      told: '',
      findings: '',
      touched: -1,
      messages: 0,
    };
    this.#tracks[d.slot] = track;
    this.#note(track, SETTLE_SEC);
    return track;
  }

  #note(track: Track, afterSec: number): void {
    track.hasNews = true;
    if (this.#options.store === null && !isEnded(track.dialog.state)) return;
    if (!Number.isNaN(this.#nowSec)) this.#agenda.note(track, this.#nowSec + afterSec);
  }

  #queue(track: Track): void {
    if (track.isQueued || track.isLeftOut) return;
    track.isQueued = true;
    this.#work.push(track);
  }

  async #run(): Promise<void> {
    const slice = await this.#options.turns.begin('shipping');
    while (this.#work.length > 0) {
      const work = this.#work;
      this.#work = [];
      for (const track of work) {
        track.isQueued = false;
        const steps = this.#lookSteps(track);
        while (this.#tracks[track.dialog.slot] === track && steps.next().done !== true)
          if (slice.isOver) await slice.rest();
        if (!slice.isOver) continue;
        await this.#options.room();
        await slice.rest();
      }
    }
  }

  *#lookSteps(track: Track): Steps<void> {
    const { dialog: d } = track;
    const wasEnded = isEnded(d.state);
    const hadNews = track.hasNews;
    yield* this.#tellSteps(track);
    if (track.isLeftOut || Number.isNaN(this.#nowSec)) return;
    const { store } = this.#options;
    if (!wasEnded && store !== null) this.#agenda.note(track, this.#nowSec + LOOK_SEC);
    else if (wasEnded && ((hadNews && store !== null) || this.#isHeard(d)))
      this.#agenda.note(track, this.#nowSec + LATE_SEC);
  }

  /** Media of it came since the look before this one, or comes now: a phone may go on after the BYE. */
  #isHeard(d: Dialog): boolean {
    const { evidence, store } = this.#options;
    const { streams } = evidence().stores;
    const sinceUs = (this.#nowSec - (store === null ? STILL_SEC : LATE_SEC)) * 1e6;
    return streams.ownedBy(d).some((stream) => streams.lastSeenUs(stream) >= sinceUs);
  }

  /** Why nothing of the call may be told, or no more; null where it may. */
  #whyNot(track: Track): CallShipCounter | null {
    const { dialog: d } = track;
    if (this.#options.history === null && !this.#isSent(d)) return 'from_uprobe';
    return isNew(track) && !isInTime(d.createdUs, this.#nowSec * 1e6) ? 'out_of_time' : null;
  }

  /** What a probe read may have to stay on this host. */
  #isSent(d: Dialog): boolean {
    const { store } = this.#options;
    return store !== null && (store.sendsUprobe || (d.originsSeen & UPROBE_SEEN) === 0);
  }

  /** Adds the rows of the call where they say something new. A call that leaves the memory between two steps is told of anew. */
  *#tellSteps(track: Track): Steps<void> {
    const { evidence } = this.#options;
    const { dialog: d } = track;
    const why = this.#whyNot(track);
    if (why !== null) {
      track.isLeftOut = true;
      this.counters.add(why);
      return;
    }
    const e = evidence();
    const { touched, keptCount } = d;
    const { hasNews } = track;
    track.hasNews = false;
    const isSmall = keptCount <= SMALL_MESSAGES && e.stores.streams.ownedBy(d).length <= SMALL_STREAMS;
    const facts = yield* inSteps(documentFactsSteps(e, d), isSmall);
    const names = findingNames(facts);
    const findings = names.join(' ');
    const isRowDue = hasNews || isEnded(d.state) || this.#nowSec >= track.rowSec + ROW_SEC;
    if (!isRowDue && findings === track.findings) return;
    const told = toldOf(e, d, touched, facts);
    const isMissed = this.#options.history !== null && !track.isKept && this.#isLast(track);
    if (told !== track.told || isMissed) yield* inSteps(this.#rowSteps(track, facts, names, keptCount), isSmall);
    track.told = told;
    track.touched = touched;
    track.findings = findings;
  }

  /** Nothing more of it is expected. */
  #isLast({ dialog: d }: Track): boolean {
    return this.#isFinishing || isEnded(d.state) || this.#tracks[d.slot]?.dialog !== d;
  }

  /** Adds the rows of the call. Before it was judged it had so many messages. */
  *#rowSteps(track: Track, facts: DialogFacts, findings: readonly FindingName[], keptCount: number): Steps<void> {
    const { evidence, shipper, nextVersion, history } = this.#options;
    const { dialog: d } = track;
    const e = evidence();
    const streams = yield* streamDocumentsSteps(e, facts);
    const hourUs = isNew(track) ? hourOf(asCaptured(e.capture.clockSteps, d.createdUs)) : track.hourUs;
    const key = { number: d.serial + 1, version: nextVersion() };
    const headOf = lineHeads(shipper, key.number, key.version);
    const head = headOf(hourUs);
    const kept = d.keptCount === keptCount ? facts.messages : messagesOf(d, e.stores.log);
    const range = { kept, from: track.messages, upTo: d.keptCount };
    const store = this.#isSent(d) ? this.#options.store : null;
    if (store === null && this.#options.store !== null && isNew(track)) this.counters.add('from_uprobe');
    const identifiers = this.#newIdentifiers(track, range);
    if (store !== null) {
      const gone = yield* partSteps(e, store, { headOf, head, range, identifiers, facts, streams }, this.#nowSec * 1e6);
      if (gone > 0) this.counters.add('messages_gone', gone);
    }
    const said = yield* this.#saidSteps(track, range);
    const call = { e, d, facts, findings, streams, opening: track.opening, said };
    const document = documentText(call);
    store?.add('calls', callLine(head, call, document));
    track.isKept = history !== null && this.#isLast(track);
    if (track.isKept) history?.(key, call, document);
    track.hourUs = hourUs;
    track.messages = range.upTo;
    if (isEnded(d.state)) track.said = null;
    track.rowSec = this.#nowSec;
  }

  /** What the call says. Where it was heard as it came, only the sockets of the messages since the last row are read. */
  *#saidSteps(track: Track, { kept, from, upTo }: MessageRange): Steps<Said> {
    const { dialog: d, said: known } = track;
    const source = { e: this.#options.evidence(), d, messages: kept };
    const reader = known ?? new SaidReader();
    if (known === null || track.heard !== upTo) {
      const said = yield* saidSteps(source, reader);
      track.heard = upTo;
      if (reader.chars > SHIP_SAID_CHARS) track.said = null;
      return said;
    }
    for (const m of kept.slice(Math.max(0, from - upTo + kept.length))) {
      reader.meet(m);
      yield;
    }
    return reader.saidBy(source);
  }

  /** By what the call is found, with its first row; and what ties it and came since, a transfer too. */
  #newIdentifiers(track: Track, { kept, from, upTo }: MessageRange): readonly CallIdentifier[] {
    const { dialog: d } = track;
    const { callIdHeaders } = this.#options.evidence().rules;
    if (this.#options.store === null) {
      // Messages that came before there was a track were not heard.
      if (track.opening === NO_OPENING) track.opening = openingOf(callIdHeaders, d, callWayAmong(d, kept)?.opening);
      return [];
    }
    const news: CallIdentifier[] = [];
    if ((d.marks & MARK.TIED) !== 0)
      for (const text of laterTies(callIdHeaders, kept, from + kept.length - upTo))
        news.push({ kind: 'correlation', text });
    if (d.referTo !== null && d.referTo !== track.referTo) news.push(...referIdentifiers(d.referTo));
    track.referTo = d.referTo;
    if (!isNew(track)) return news;
    const { userAgent, identifiers } = openingOf(callIdHeaders, d, callWayAmong(d, kept)?.opening);
    track.opening = { userAgent, identifiers: [] };
    return [...identifiers, ...news.filter((one) => !identifiers.some((two) => isSame(one, two)))];
  }
}

/** Reads what the message says, where it is kept. Where that takes long, or one before it is unread, all are read with the row. */
function hear(track: Track, said: SaidReader, buf: Buffer, start: number, scan: SipScan): void {
  const { keptCount } = track.dialog;
  if (track.heard === BEHIND || keptCount === track.heard) return;
  const isShort = keptCount === track.heard + 1 && scan.bodyStart - start <= SHIP_SAID_BYTES;
  track.heard = isShort && said.read(buf, scan, SHIP_SAID_ADDRESSES) ? keptCount : BEHIND;
  if (said.chars > SHIP_SAID_CHARS) track.said = null;
}

function isSame(a: CallIdentifier, b: CallIdentifier): boolean {
  return a.kind === b.kind && a.text === b.text;
}

/** No row of it was made. */
function isNew({ hourUs }: Track): boolean {
  return Number.isNaN(hourUs);
}

/** Its steps, or all of them in one. */
function* inSteps<T>(steps: Steps<T>, isOne: boolean): Steps<T> {
  return isOne ? finish(steps) : yield* steps;
}
