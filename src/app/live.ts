/**
 * Live capture and the HEP listener: opened, started, told of, and stopped by a signal.
 */
import type { Config } from '../config/config.ts';
import { TRANSPORT } from '../core/words.ts';
import { hep3Length } from '../decode/hep/hep.ts';
import { sayClocks } from '../faces/cli/hep-clock-lines.ts';
import { HepStrangers } from '../faces/cli/hep-strangers.ts';
import { standardError } from '../faces/cli/standard-streams.ts';
import { HepAuth } from '../sources/hep/auth.ts';
import type { NativeHep } from '../sources/hep/listener.ts';
import { HepListener } from '../sources/hep/listener.ts';
import type { HepArrival } from '../sources/hep/tcp.ts';
import { LiveSource } from '../sources/live/live-source.ts';
import type { CapabilityName } from '../sources/live/privileges.ts';
import { givePrivilegesUp } from '../sources/live/privileges.ts';
import { loadNative } from '../sources/native.ts';
import type { Carrier } from '../store/messages/fingerprint.ts';
import { emptyCarrier } from '../store/messages/fingerprint.ts';
import type { CaptureSession, SessionOptions } from './capture-session.ts';
import { CaptureSession as Session, TICK_MS } from './capture-session.ts';
import type { StopSignal } from './stop-signal.ts';
import { openTlsCapture } from './tls-capture.ts';

/** Probes are attached for life: to what is started later, in containers, and to libraries that were deleted. */
const TLS_CAPABILITIES: readonly CapabilityName[] = ['bpf', 'perfmon', 'sys_ptrace', 'dac_read_search', 'sys_admin'];

/** Opens what needs privileges. Throws ServiceError. */
export function openLiveSession(config: Config, options: SessionOptions): CaptureSession {
  const auth = config.hepAuth === null ? null : new HepAuth(config.hepAuth);
  if (config.devices.length === 0) return withProbes(new Session(options, auth), config);
  const live = new LiveSource({
    ...options,
    interfaces: config.devices,
    // With a listener, HEP is what it receives: the same packets on their way to it would come in twice.
    hep: options.hep && config.hepListen === null,
    isPromiscuous: config.promisc,
    retainsPayload: options.audioBytes > 0,
    writesFrames: config.output !== null,
    bestFilter: 'ebpf',
  });
  return withProbes(new Session({ ...options, live }, auth), config);
}

function withProbes(session: CaptureSession, config: Config): CaptureSession {
  if (config.uprobe.length === 0) return session;
  try {
    session.tls = openTlsCapture(session, config);
    session.clocks.mayPair = true;
  } catch (error) {
    session.close();
    throw error;
  }
  return session;
}

/**
 * Captures until a signal came; `ready` is called once it does. Throws ServiceError when a listener or an output
 * cannot be opened, and says nothing before.
 */
export async function capture(
  session: CaptureSession,
  config: Config,
  ready: () => void,
  { came }: StopSignal,
): Promise<void> {
  const { live } = session;
  session.isLive = true;
  sayClocks(session.clocks);
  try {
    const listener = config.hepListen === null ? null : await openListener(session, config, config.hepListen);
    // Everything that needs privileges is open. What is written is written by the user that may write it again later.
    const who = givePrivilegesUp(config.user, [
      ...(live?.needsBpf === true ? (['bpf'] as const) : []),
      ...(session.tls === null ? [] : TLS_CAPABILITIES),
    ]);
    const output = await session.outputs.open([]);
    standardError.write(`${who}\n`);
    if (listener !== null) {
      listener.begin(output?.id ?? null);
      for (const url of [listener.url, listener.tcpUrl]) standardError.write(`hep listening on ${url}\n`);
    }
    if (live !== null) {
      if (output !== null) live.setOutput(output.id);
      startLive(live);
    }
    await session.tls?.start();
    ready();
    session.clock.at(Date.now() * 1000);
    const clock = setInterval(() => session.tick(session.clock.at(Date.now() * 1000)), TICK_MS);
    await came;
    clearInterval(clock);
    session.tls?.close();
    await Promise.all([live?.stop(), session.listener?.close()]);
  } finally {
    await session.listener?.close();
  }
  session.ingest.finish(session.ingest.nowUs);
}

function startLive(live: LiveSource): void {
  live.onStatus(({ text }) => standardError.write(`${text}\n`));
  live.start();
  const filter = live.filter();
  const why = filter.why === '' ? '' : ` (${filter.why})`;
  standardError.write(`capturing on ${live.interfaces.join(', ')}, filter: ${filter.mode}${why}\n`);
}

async function openListener(
  session: CaptureSession,
  config: Config,
  address: { readonly host: string; readonly port: number },
): Promise<HepListener> {
  const strangers = new HepStrangers();
  const listener = await HepListener.open({
    ...address,
    allow: config.hepAllow,
    key: config.hepAuth,
    ratePerSec: config.hepRateLimit,
    sourceId: 1,
    native: nativeHep(),
    lengthAt: hep3Length,
    onRecords: (batch, count) => session.onMirrored(batch, count),
    onPacket: (b, start, end, arrival) => {
      session.outputs.file?.writeDatagram(b, start, end, arrival);
      return session.hep.onDatagram(b, start, end, carrierOf(arrival));
    },
    onStranger: (what, arrival) => {
      const line = strangers.line(what, arrival, Date.now());
      if (line !== null) standardError.write(line);
    },
  });
  session.listener = listener;
  return listener;
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

/** A packet that came by TCP, as the datagrams' records describe one. */
function carrierOf(a: HepArrival): Carrier {
  const addresses = new Uint8Array(32);
  addresses.set(a.src, 0);
  addresses.set(a.dst, 16);
  const c = emptyCarrier(addresses);
  c.tsUs = a.tsUs;
  c.arrivedUs = a.tsUs;
  c.origin = 1;
  c.transport = TRANSPORT.TCP;
  c.ipVersion = a.ipVersion;
  c.srcPort = a.srcPort;
  c.dstPort = a.dstPort;
  return c;
}
