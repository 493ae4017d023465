/**
 * Live capture: interfaces, the HEP listener and probes, opened while there are privileges, started, and stopped by a
 * signal.
 */
import type { Config } from '../config/config.ts';
import { faults } from '../core/faults.ts';
import { socketOf } from '../core/ip.ts';
import { loopTurns } from '../core/loop-turns.ts';
import { hep3Length } from '../decode/hep/hep.ts';
import { ProbeMessages } from '../export/probe-messages.ts';
import { HepStrangers, sayClocks } from '../faces/cli/hep-lines.ts';
import { standardError } from '../faces/cli/standard-streams.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { LiveClock } from '../ingest/live-clock.ts';
import type { HepTlsFiles } from '../sources/hep/handshakes.ts';
import type { HepListenerOptions, NativeHep } from '../sources/hep/listener.ts';
import { HepListener } from '../sources/hep/listener.ts';
import { hostClock } from '../sources/host-clock.ts';
import { LiveSource } from '../sources/live/live-source.ts';
import type { CapabilityName } from '../sources/live/privileges.ts';
import { givePrivilegesUp } from '../sources/live/privileges.ts';
import { loadNative } from '../sources/native.ts';
import type { RecordBatch } from '../sources/record-batch.ts';
import { openTlsSource } from '../sources/tls/open.ts';
import { clockLines } from '../view/clock-step-text.ts';
import type { RunningProbes } from './probes.ts';
import { runProbes } from './probes.ts';
import type { Session, SessionOptions, SessionParts } from './session.ts';
import { createSession } from './session.ts';

/** Probes are attached for life: to what is started later, in containers, and to libraries that were deleted. */
const TLS_CAPABILITIES: readonly CapabilityName[] = ['bpf', 'perfmon', 'sys_ptrace', 'dac_read_search', 'sys_admin'];

/** How often time continues by itself. */
const TICK_MS = 1000;

export type LiveSession = {
  readonly session: Session;
  /**
   * Captures until `came` resolves; `ready` is called once it does. Throws ServiceError when an output cannot be opened,
   * and says nothing before.
   */
  capture(ready: () => void, came: Promise<void>): Promise<void>;
};

const say = (line: string): void => {
  standardError.write(`${line}\n`);
};

/** Opens what needs privileges. Throws ServiceError; nothing stays open then. */
export async function openLiveSession(
  config: Config,
  parts: Omit<SessionParts, 'live' | 'listener' | 'tls'>,
): Promise<LiveSession> {
  const live = config.device.length === 0 ? null : openInterfaces(config, parts.options);
  const tls = config.uprobe.length === 0 ? null : closing(live, () => openTlsSource(config, say));
  const opened = config.hepListen === null ? null : await openListener(config, config.hepListen);
  const session = createSession({ ...parts, live, tls, listener: opened?.listener ?? null });
  return running(session, config, opened?.deliverTo ?? (() => undefined));
}

/** What `open` returns; when it throws, `other` is closed first. */
function closing<T>(other: { close(): void } | null, open: () => T): T {
  try {
    return open();
  } catch (error) {
    other?.close();
    throw error;
  }
}

function openInterfaces(config: Config, options: SessionOptions): LiveSource {
  return new LiveSource({
    ...options,
    interfaces: config.device,
    // With a listener, HEP is what it receives: the same packets on their way to it would come in twice.
    hep: options.hep && config.hepListen === null,
    isPromiscuous: !config.noPromisc,
    retainsPayload: options.audioBytes > 0,
    writesFrames: config.output !== null,
    bestFilter: 'ebpf',
  });
}

/** Ties the sources to the session; the rest is done when it captures. */
function running(session: Session, config: Config, deliverTo: (sink: HepSink) => void): LiveSession {
  const { figures, ingest, outputs } = session;
  const { live, listener } = figures;
  const clock = new LiveClock(TICK_MS * 1000);
  followHostClock(ingest);
  if (ingest.sockets !== null) ingest.sockets.onLearned = sayLearned;
  const noteTime = (batch: RecordBatch, count: number): void =>
    clock.onRead(Math.max(batch.tsUs(0), batch.tsUs(count - 1)), hostClock.nowUs());
  live?.onRecords((batch, count) => {
    noteTime(batch, count);
    loopTurns.run('records', () => ingest.onRecords(batch, count));
  });
  deliverTo({
    onRecords(batch, count) {
      noteTime(batch, count);
      loopTurns.run('records', () => ingest.packets.onRecords(batch, count));
    },
    onPacket(b, start, end, arrival) {
      outputs.file?.writeDatagram(b, start, end, ingest.shown(arrival));
      return ingest.hep.onDatagram(b, start, end, arrival);
    },
  });
  if (figures.tls !== null && outputs.isSaved) {
    const messages = new ProbeMessages(() => outputs.file);
    figures.tls.ingest.onTaken = (b, start, end, packet, pid) =>
      messages.write(b, start, end, ingest.shown(packet), pid);
  }
  const probes = figures.tls === null ? null : runProbes(figures.tls, ingest.tick, say);
  return {
    session,
    async capture(ready, came) {
      sayClocks(ingest.clocks);
      try {
        await start(session, config, probes);
        ready();
        clock.at(hostClock.nowUs());
        const tick = (): void => ingest.tick(clock.at(hostClock.nowUs()));
        const ticking = faults.every(TICK_MS, 'tick', () => loopTurns.run('tick', tick));
        await came;
        clearInterval(ticking);
        probes?.close();
        await Promise.all([live?.stop(), listener?.close()]);
      } finally {
        await listener?.close();
      }
      ingest.packets.finish(ingest.packets.nowUs);
    },
  };
}

function sayLearned(socket: string): void {
  const { port } = socketOf(socket);
  say(`${socket} speaks SIP: analysed from now on; --portrange 5060-5061,${port} analyses it from the start`);
}

/** The clock of the host is set while it captures: said, and times are shown as captured. */
function followHostClock(ingest: Ingest): void {
  let known = 0;
  hostClock.nowUs();
  hostClock.onSteps = (steps, ever) => {
    ingest.onClockSteps(steps);
    const lines = known === ever ? [] : clockLines(steps).slice(known - ever);
    known = ever;
    for (const line of lines) say(line);
  };
}

/** Everything that needs privileges is open. What is written is written by the user that may write it again later. */
async function start({ figures, outputs }: Session, config: Config, probes: RunningProbes | null): Promise<void> {
  const { live, listener } = figures;
  const who = givePrivilegesUp(config.user, [
    ...(live?.needsBpf === true ? (['bpf'] as const) : []),
    ...(probes === null ? [] : TLS_CAPABILITIES),
  ]);
  const output = await outputs.open([]);
  say(who);
  if (listener !== null) {
    listener.begin(output?.id ?? null);
    for (const url of listener.urls) say(`hep listening on ${url}`);
  }
  if (live !== null) {
    if (output !== null) live.setOutput(output.id);
    startInterfaces(live);
  }
  await probes?.start();
}

function startInterfaces(live: LiveSource): void {
  live.onStatus(({ text }) => say(text));
  live.start();
  const filter = live.filter();
  const why = filter.why === '' ? '' : ` (${filter.why})`;
  say(`capturing on ${live.interfaces.join(', ')}, filter: ${filter.mode}${why}`);
}

/** Where a listener gives what it received. */
type HepSink = Pick<HepListenerOptions, 'onRecords' | 'onPacket'>;

async function openListener(
  config: Config,
  address: { readonly host: string; readonly port: number },
): Promise<{ readonly listener: HepListener; readonly deliverTo: (sink: HepSink) => void }> {
  const strangers = new HepStrangers();
  // The session is made of what is open. Nothing is received before: no turn of the event loop lies between.
  let sink: HepSink | null = null;
  const listener = await HepListener.open({
    ...address,
    allow: config.hepAllow,
    key: config.hepAuth,
    tls: tlsFiles(config),
    ratePerSec: config.hepRateLimit,
    sourceId: 1,
    native: nativeHep(),
    lengthAt: hep3Length,
    onRecords: (batch, count) => sink?.onRecords(batch, count),
    onPacket: (b, start, end, arrival) => sink?.onPacket(b, start, end, arrival) ?? null,
    onStranger: (what, arrival, code) => {
      const line = strangers.line(what, arrival, Date.now(), code);
      if (line !== null) standardError.write(line);
    },
  });
  return {
    listener,
    deliverTo: (to) => {
      sink = to;
    },
  };
}

function tlsFiles({ hepListenCert: cert, hepListenKey: key, hepListenClientCa: clientCa }: Config): HepTlsFiles | null {
  return cert === null || key === null ? null : { cert, key, clientCa };
}

function nativeHep(): NativeHep {
  const binding = loadNative();
  const info = binding.info();
  return {
    counterNames: info.hepCounterNames,
    verdicts: info.hepVerdicts,
    create: (options, onSlab) => new binding.HepCapture(options, onSlab),
  };
}
