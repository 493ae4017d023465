/**
 * One run: what was opened for it, put together. Created once, closed once; nothing of it is replaced meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Hooks } from '../actions/hooks/event-hooks.ts';
import type { Outputs } from '../actions/outputs.ts';
import { observersOf } from '../ingest/observer.ts';
import type { Security } from '../security/detection.ts';
import type { PortSpan } from '../sources/capture-memory.ts';
import type { FileEnd, FilesEnd } from '../sources/file/file-source.ts';
import { FileSource } from '../sources/file/file-source.ts';
import { HepAuth } from '../sources/hep/auth.ts';
import type { HepListener } from '../sources/hep/listener.ts';
import type { LiveSource } from '../sources/live/live-source.ts';
import { loadNative } from '../sources/native.ts';
import type { TlsSource } from '../sources/tls/source.ts';
import type { Figures, Meter } from '../view/figures.ts';
import { createFigures } from '../view/figures.ts';
import type { Watching } from '../view/live-calls.ts';
import { trunkChangeLine } from '../view/trunk-change.ts';

/** Streams judged before other work gets a turn. */
const JUDGE_A_TURN = 200;

export type SessionOptions = Figures['options'] & {
  readonly sipPorts: readonly PortSpan[];
  readonly wsPorts: readonly PortSpan[];
  readonly espNull: boolean;
  readonly bpf: string | null;
  readonly handsFrames: boolean;
  readonly hep: boolean;
  /** Count the quality of streams as they end. */
  readonly observesQuality: boolean;
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
  readonly sayIdentity: ((line: string) => void) | null;
  /** Told a line when a trunk goes down, and when it is up again; null where nobody waits for that. */
  readonly sayTrunk: ((line: string) => void) | null;
  readonly watching: Watching | null;
  /** What counts losses beside the outputs and hooks. */
  readonly meters: readonly Meter[];
};

export type Session = {
  readonly figures: Figures;
  readonly outputs: Outputs;
  readonly hooks: Hooks | null;
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

export function createSession(parts: SessionParts): Session {
  const { options, outputs, live, listener, tls, security, hooks } = parts;
  const isLive = live !== null || listener !== null || tls !== null;
  const source = live ?? new FileSource({ ...options, retainsPayload: options.audioBytes > 0 });
  const { mirror } = outputs;
  const startedMs = Date.now();
  const figures = createFigures({
    ...parts,
    hepAuth: parts.hepAuth === null ? null : new HepAuth(parts.hepAuth),
    source,
    file: source instanceof FileSource && !isLive ? source : null,
    isLive,
    mayPair: listener === null || live !== null || tls !== null,
    digest: loadNative().digest,
    isOwn: (outer) => mirror?.isOwn(outer) ?? false,
    observesQuality: options.observesQuality,
    observers: [
      ...(mirror === null ? [] : [mirror.observer]),
      ...(outputs.calls === null ? [] : [outputs.calls]),
      ...(outputs.shipping?.observers ?? []),
      ...(hooks === null ? [] : [hooks]),
    ],
    tellTrunk: (change) => {
      const steps = figures.evidence.capture.clockSteps;
      hooks?.onTrunk(change, steps);
      parts.sayTrunk?.(trunkChangeLine(change, steps));
    },
    frameSink: outputs.calls,
    saving: outputs,
    meters: [outputs, ...(hooks === null ? [] : [hooks]), ...parts.meters],
    identity: {
      node: hostname(),
      instance: randomUUID(),
      uptimeSec: () => Math.floor((Date.now() - startedMs) / 1000),
    },
  });
  const { file, ingest, observers } = figures;
  const { clockSteps } = figures.evidence.capture;
  if (security !== null) security.clockSteps = clockSteps;
  // What is read of files keeps the time in which it is judged: whoever receives it judges too.
  if (isLive && mirror !== null) mirror.clockSteps = clockSteps;
  outputs.calls?.begin(figures.evidence);
  outputs.shipping?.begin(figures);
  let isClosed = false;

  /** What no end of a call has judged, in turns, so that a server answers meanwhile. */
  const judgeRest = async (): Promise<void> => {
    const judges = observersOf(observers, 'onStreamEnd');
    let n = 0;
    for (const stream of ingest.stores.streams.fromNewest()) {
      if (++n % JUDGE_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      if (isClosed) return;
      for (const judge of judges) judge.onStreamEnd(stream, ingest.capture);
    }
  };
  if (!isLive) source.onRecords((batch, count) => ingest.onRecords(batch, count));
  return {
    figures,
    outputs,
    hooks,
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
      const isJudged = options.observesQuality || figures.trunks !== null || (hooks?.quality ?? null) !== null;
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
