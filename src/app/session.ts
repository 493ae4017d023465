/**
 * One run: what was opened for it, put together. Created once, closed once; nothing of it is replaced meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Hooks } from '../actions/hooks/event-hooks.ts';
import type { Outputs } from '../actions/outputs.ts';
import type { CallDocument } from '../contract/index.ts';
import type { Ingest, IngestOptions } from '../ingest/ingest.ts';
import { createIngest } from '../ingest/ingest.ts';
import type { Observer } from '../ingest/observer.ts';
import { observersOf } from '../ingest/observer.ts';
import { TlsIngest } from '../ingest/tls.ts';
import type { Security } from '../security/detection.ts';
import type { PortSpan } from '../sources/capture-memory.ts';
import type { FileEnd, FilesEnd } from '../sources/file/file-source.ts';
import { FileSource } from '../sources/file/file-source.ts';
import { HepAuth } from '../sources/hep/auth.ts';
import type { HepListener } from '../sources/hep/listener.ts';
import type { LiveSource } from '../sources/live/live-source.ts';
import { loadNative } from '../sources/native.ts';
import type { TlsSource } from '../sources/tls/source.ts';
import type { Stores } from '../store/stores.ts';
import type { Figures, Meter } from '../view/figures.ts';
import type { Telling } from '../view/live-documents.ts';
import { inDocuments } from '../view/live-documents.ts';
import { trunkChangeLine } from '../view/trunk-change.ts';
import { LiveCalls } from '../watch/live-calls.ts';
import { EndedCalls } from '../watch/numbers/ended-calls.ts';
import type { NumbersOptions } from '../watch/numbers/numbers.ts';
import { ReportCounts } from '../watch/numbers/report-counts.ts';
import { CallObservations } from '../watch/observations.ts';
import { CallsOverTime } from '../watch/overview/calls-over-time.ts';
import { stirShakenLog } from '../watch/stir-shaken.ts';
import type { TrunkChange } from '../watch/trunks/trunk-alarm.ts';
import type { TrunkRules } from '../watch/trunks/trunk-watch.ts';
import { TrunkWatch } from '../watch/trunks/trunk-watch.ts';
import { Vantage } from '../watch/vantage.ts';

/** Streams judged before other work gets a turn. */
const JUDGE_A_TURN = 200;

export type SessionOptions = IngestOptions &
  Figures['evidence']['rules'] & {
    /** When a trunk is down or in trouble; null where nobody asks for trunks. */
    readonly counting: TrunkRules | null;
    readonly sipPorts: readonly PortSpan[] | null;
    readonly wsPorts: readonly PortSpan[];
    readonly espNull: boolean;
    readonly bpf: string | null;
    readonly handsFrames: boolean;
    readonly hep: boolean;
    /** Count the quality of streams as they end: only a server shows it. */
    readonly observesQuality: boolean;
    /** What chosen groups of metrics count; null or left out: nothing. */
    readonly numbers?: NumbersOptions | null;
    /** The file of -O gets frames when they have been chosen, by a second reading. */
    readonly writesLater?: boolean;
  };

export type SessionParts = {
  readonly options: SessionOptions;
  readonly outputs: Outputs;
  /** Opened already, while there were privileges; null reads files. */
  readonly live: LiveSource | null;
  readonly listener: HepListener | null;
  readonly tls: TlsSource | null;
  /** The key that HEP packets must bring; null asks for none. */
  readonly hepAuth: string | null;
  readonly security: Security | null;
  readonly hooks: Hooks | null;
  /** Says a line for each Identity token; null without --stir-shaken. */
  readonly sayIdentity: ((line: string) => void) | null;
  /** Told a line when a trunk gets into trouble, and when that is over; null where nobody waits for that. */
  readonly sayTrunk: ((line: string) => void) | null;
  /** Who is told of calls while they happen; null where nobody is. */
  readonly telling: Telling | null;
  /** What counts losses beside the outputs and hooks. */
  readonly meters: readonly Meter[];
};

export type Session = {
  /** What takes the records of live sources. */
  readonly ingest: Ingest;
  readonly figures: Figures;
  readonly outputs: Outputs;
  readonly hooks: Hooks | null;
  /** Calls while they happen; null where nobody is told of them. */
  readonly watched: LiveCalls<CallDocument> | null;
  /**
   * Reads files by the time of their packets; null where none are read. Throws ServiceError for one that cannot be read
   * at all. `onOpened` is called once they are known to be captures.
   */
  read(
    paths: readonly string[],
    onEnd: (path: string, end: FileEnd) => void,
    onOpened?: () => void,
  ): Promise<FilesEnd | null>;
  /** Ends the reading of files, begun or not, with what was read so far. */
  stopReading(): void;
  close(): void;
};

/** Puts together what reads a capture, what keeps it, what watches it, and what is counted of all that. */
export function createSession(parts: SessionParts): Session {
  const { options, outputs, live, listener, tls, security, hooks, telling } = parts;
  const { mirror, shipping, keeper } = outputs;
  const startedMs = Date.now();
  const isLive = live !== null || listener !== null || tls !== null;
  const source = live ?? new FileSource({ ...options, retainsPayload: options.audioBytes > 0 });
  const file = source instanceof FileSource && !isLive ? source : null;
  const observations = new CallObservations(options.observesQuality);
  const trunks = trunksOf(parts, () => clockSteps);
  const reported = reportsOf(options, trunks, () => stores.log);
  const calls = trunks && new CallsOverTime();
  const watched = telling && new LiveCalls(inDocuments(() => evidence, telling));
  // In the order in which they are shown things.
  const observers: readonly Observer[] = [
    mirror?.observer,
    outputs.calls,
    ...(shipping?.observers ?? []),
    ...(keeper?.observers ?? []),
    hooks,
    watched,
    parts.sayIdentity && stirShakenLog(parts.sayIdentity),
    security,
    trunks,
    endedCallsOf(trunks, () => evidence),
    calls,
    observations,
    reported,
  ].filter((observer) => observer !== null && observer !== undefined);
  const ingest = createIngest({
    options,
    ...{ source, file, live, isLive, observers },
    takesAnySip: options.sipPorts === null,
    mayPair: listener === null || live !== null || tls !== null,
    hepAuth: parts.hepAuth === null ? null : new HepAuth(parts.hepAuth),
    digest: loadNative().digest,
    frameSink: outputs.calls,
    isOwn: (outer) => mirror?.isOwn(outer) ?? false,
  });
  const { stores, capture } = ingest;
  const { clockSteps } = capture;
  const evidence: Figures['evidence'] = {
    ...{ stores, capture, rules: options },
    ties: () => ({ dialogs: stores.dialogs, identifiers: ingest.ties() }),
    vantage: new Vantage(stores.streams),
    omitted: { lintMessages: 0, intervals: 0, refused: 0 },
    trunkAt: (address) => (trunks ?? options.trunks).called(address),
  };
  const figures: Figures = {
    ...{ source, file, live, listener, ingest, evidence, observations, reported, trunks, calls, security },
    tls: tls && { source: tls, ingest: new TlsIngest(ingest.sip, (low, high, isSip) => tls.verdict(low, high, isSip)) },
    saving: outputs,
    meters: [outputs, ...(hooks === null ? [] : [hooks]), ...parts.meters],
    identity: {
      node: hostname(),
      instance: randomUUID(),
      uptimeSec: () => Math.floor((Date.now() - startedMs) / 1000),
    },
  };
  if (security !== null) security.clockSteps = clockSteps;
  // What is read of files keeps the time in which it is judged: whoever receives it judges too.
  if (isLive && mirror !== null) mirror.clockSteps = clockSteps;
  outputs.calls?.begin(evidence);
  shipping?.begin(figures);
  keeper?.begin(figures);
  let isClosed = false;

  /** What no end of a call has judged, in turns, so that a server answers meanwhile. */
  const judgeRest = async (): Promise<void> => {
    const judges = observersOf(observers, 'onStreamEnd');
    let n = 0;
    for (const stream of stores.streams.fromNewest()) {
      if (++n % JUDGE_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      if (isClosed) return;
      for (const judge of judges) judge.onStreamEnd(stream, capture);
    }
  };
  if (!isLive) source.onRecords((batch, count) => ingest.onRecords(batch, count));
  return {
    ingest,
    figures,
    outputs,
    hooks,
    watched,
    async read(paths, onEnd, onOpened) {
      if (file === null) return null;
      const output = await outputs.open(paths);
      // With the frames of dialogs kept, who chooses among them writes in a second pass.
      if (output !== null && options.writesLater !== true) file.setOutput(output.id);
      ingest.begin(paths);
      const end = await file.read(paths, {
        onEnd: (i, how) => onEnd(paths[i] ?? '', how),
        ...(onOpened !== undefined && { opened: onOpened }),
      });
      if (isClosed) return end;
      ingest.finish(end.lastUs, !end.isStopped);
      const isJudged = options.observesQuality || trunks !== null || (hooks?.quality ?? null) !== null;
      if (isJudged) await judgeRest();
      await outputs.drain();
      return end;
    },
    stopReading: () => file?.stop(),
    close() {
      isClosed = true;
      security?.close();
      tls?.close();
      hooks?.close();
      source.close();
      outputs.close();
    },
  };
}

/** What looks at calls when they have ended; null where no chosen metric is made of that. */
function endedCallsOf(trunks: TrunkWatch | null, evidence: () => Figures['evidence']): EndedCalls | null {
  const numbers = trunks?.numbers ?? null;
  if (trunks === null || numbers?.looksAtEnded !== true) return null;
  return new EndedCalls({
    numbers,
    evidence,
    hopsOf: (d) => trunks.hopsOf(d),
    heardOn: (row, streams) => trunks.heardOn(row, streams),
  });
}

/** What counts reports of phones; null where that was not chosen. */
function reportsOf(
  { numbers, thresholds, trunks: named }: SessionOptions,
  trunks: TrunkWatch | null,
  log: () => Stores['log'],
): ReportCounts | null {
  if (trunks === null || numbers?.groups.has('reports') !== true) return null;
  const { hasExemplars } = numbers;
  const { remoteLossPct } = thresholds;
  return new ReportCounts({ seats: trunks.store.seats, hasExemplars, log, remoteLossPct, trunks: named });
}

/** What counts trunks, and tells of those in trouble; null where nobody asks for them. */
function trunksOf(
  { options, hooks, sayTrunk }: SessionParts,
  clockSteps: () => Figures['evidence']['capture']['clockSteps'],
): TrunkWatch | null {
  const { counting, trunks, numbers = null } = options;
  if (counting === null) return null;
  const tell = (change: TrunkChange): void => {
    hooks?.onTrunk(change, clockSteps());
    sayTrunk?.(trunkChangeLine(change, clockSteps()));
  };
  return new TrunkWatch(trunks, counting, tell, numbers);
}
