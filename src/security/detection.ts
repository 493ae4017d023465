/**
 * The detection of scanners, floods and fraud as one run has it: what is watched, and where alerts go.
 */

import { networkInterfaces } from 'node:os';
import type { Config } from '../config/config.ts';
import { looksForScanners } from '../config/run-kind.ts';
import { securityPeersOf } from '../config/trunks.ts';
import type { Cidr } from '../core/cidr.ts';
import { parseCidr } from '../core/cidr.ts';
import { failure } from '../core/errors.ts';
import { parseIpv4, parseIpv6 } from '../core/ip.ts';
import { compilePattern } from '../core/pattern.ts';
import type { Observer } from '../ingest/observer.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import { HepAllow } from '../sources/hep/allow.ts';
import type { NativeBinding } from '../sources/native.ts';
import type { Packet } from '../sources/packet.ts';
import { type ClockStep, NEVER_SET } from '../store/clock-steps.ts';
import type { AlertKind, SecurityAlert } from './alert.ts';
import { ALERT_KINDS } from './alert.ts';
import { FraudWatch, parseNight } from './fraud-watch.ts';
import { ScannerAnswers } from './outputs/scanner-answers.ts';
import { alertText, fail2banLine } from './outputs/security-line.ts';
import { Syslog } from './outputs/syslog.ts';
import { ScannerWatch } from './scanner-watch.ts';
import type { IsSharedNetwork } from './source-key.ts';

/** Characters of a User-Agent that are matched. @cap */
const MAX_AGENT_CHARS = 512;

/** Sources kept for the report; the latest alert of each kind stands for the source. @cap */
const MAX_REPORTED = 1000;

const WIRE = 0;
/** Room for a list of some hundred names: each request is matched once. */
const NAME_LIMITS = { maxProgram: 10_000, maxRepeats: 1_000, ignoresCase: true };

/** Lines of data for another program, counted; `line` has no line end. */
export type DataLines = { readonly write: (line: string) => void; readonly written: number; readonly lost: number };

/** Where alerts go; the pid stands in every line. */
export type SecuritySinks = {
  readonly pid: number;
  /** Data: lines for fail2ban. */
  readonly out: DataLines;
  /** Lines for people. */
  readonly say: (line: string) => void;
  readonly native: NativeBinding;
};

export class Security implements Observer {
  readonly #reported = new Map<string, SecurityAlert>();
  readonly #watch: ScannerWatch;
  readonly #fraud: FraudWatch | null = null;
  readonly #config: Config;
  readonly #sinks: SecuritySinks;
  /** --fraud alone asks for nothing about scanners. */
  readonly #looksForScanners: boolean;
  readonly answers: ScannerAnswers | null = null;
  readonly syslog: Syslog | null = null;
  /** Alerts by kind; they never fall. */
  readonly alerts: Record<AlertKind, number> = { scanner: 0, 'reg-flood': 0, fraud: 0 };
  /** Steps of the clock by which the alerts have their time: who bans compares that with its own. */
  clockSteps: readonly ClockStep[] = NEVER_SET;

  /** Throws ServiceError for an invalid network. `isLive`: this host's own addresses are never reported. */
  constructor(config: Config, sinks: SecuritySinks, isLive: boolean) {
    this.#config = config;
    this.#looksForScanners = looksForScanners(config);
    this.#sinks = sinks;
    const peers = securityPeersOf(config);
    const pattern = config.killUa === null ? null : compileName(config.killUa);
    this.#watch = new ScannerWatch({
      onAlert: (alert) => this.#onAlert(alert),
      isUnwantedName: (name) => pattern !== null && pattern(name.slice(0, MAX_AGENT_CHARS)),
      ...exemptions(peers, isLive),
    });
    if (config.fraud) {
      const night = config.fraudNight === null ? null : parseNight(config.fraudNight);
      if (config.fraudNight !== null && night === null) {
        throw failure('FRAUD_NIGHT_INVALID', {});
      }
      this.#fraud = new FraudWatch({
        onAlert: (alert) => this.#onAlert(alert),
        isExempt: exemptions(peers, false).isExempt,
        ...(night === null ? {} : { night }),
      });
    }
    const { native } = sinks;
    if (config.alert === 'syslog') {
      const socket = { open: native.openSyslog, send: native.sendSyslog, close: native.closeSocket };
      this.syslog = new Syslog(socket, config.syslogSocket, sinks.pid, sinks.say);
    }
    if (config.killResponse === null) return;
    if (config.device.length === 0) {
      // Of a file nobody waits for an answer any more, and what was mirrored may name anybody.
      sinks.say('--kill-response: calltap answers only what comes over an interface (-d); it sends nothing');
      return;
    }
    this.answers = new ScannerAnswers(native, config.killResponse, sinks.say);
    if (this.answers.openError === 0) return;
    throw failure('SECURITY_NOT_PERMITTED', { errno: this.answers.openError });
  }

  /** Sources remembered now, and records that the caps shed. */
  get sources(): number {
    return this.#watch.sources;
  }
  get evicted(): number {
    return this.#watch.evicted + (this.#fraud?.evicted ?? 0);
  }

  /**
   * What was mirrored may be forged by whoever sends HEP: it counts only when asked for. What is of another time is over,
   * whoever did it, and would move the time of everybody else.
   */
  #isWatched({ origin, clock, toldUs, arrivedUs }: Packet): boolean {
    if (origin === WIRE) return true;
    return this.#config.securityMirrored && clock?.isOtherTime(toldUs, arrivedUs) !== true;
  }

  /** One scanned message. */
  onMessage(buf: Buffer, _start: number, _end: number, scan: SipScan, carrier: Packet): void {
    if (!this.#isWatched(carrier)) return;
    this.#fraud?.onMessage(buf, scan, carrier);
    if (!this.#looksForScanners) return;
    this.#watch.onMessage(buf, scan, carrier);
    const { answers } = this;
    if (answers === null || carrier.origin !== WIRE || !scan.isRequest) return;
    if (this.#watch.isScanner(carrier)) answers.answer(buf, scan, carrier);
  }

  /** A whole message that is meant to be SIP and cannot be read. */
  onUnreadable(carrier: Packet): void {
    if (!this.#isWatched(carrier)) return;
    if (this.#looksForScanners) this.#watch.onMalformed(carrier);
  }

  close(): void {
    this.answers?.close();
    this.syslog?.close();
  }

  onTick(nowUs: number): void {
    this.#watch.tick(nowUs);
  }

  onFinish(): void {
    this.#watch.finish();
  }

  /** The latest alert of each source and kind, first reported first. */
  get reported(): Iterable<SecurityAlert> {
    return this.#reported.values();
  }

  /** Lines for fail2ban, written and lost. */
  get lines(): Omit<DataLines, 'write'> {
    return this.#sinks.out;
  }

  /** Alerts as label and count, for the metrics. */
  counts(): (readonly [label: string, value: number])[] {
    return ALERT_KINDS.map((kind) => [kind, this.alerts[kind]] as const);
  }

  #onAlert(alert: SecurityAlert): void {
    this.alerts[alert.kind]++;
    const who = `${alert.kind} ${alert.net ?? alert.source}`;
    if (this.#reported.has(who) || this.#reported.size < MAX_REPORTED) this.#reported.set(who, alert);
    if (this.#config.fail2ban) {
      const line = fail2banLine(alert, this.#sinks.pid, this.clockSteps);
      if (line !== null) this.#sinks.out.write(line);
    }
    const text = alertText(alert);
    this.#sinks.say(`alert: ${text}`);
    this.syslog?.send(alert.kind === 'fraud' ? 'alert' : 'warning', text);
  }
}

/** Matched anywhere in the name, without regard to case. */
function compileName(source: string): (name: string) => boolean {
  const found = compilePattern(source, NAME_LIMITS);
  if (!found.ok) throw failure('SECURITY_PATTERN_INVALID', { reason: found.reason });
  return found.value;
}

/** What is never reported: declared peers, and on a live host its own addresses; nor a network that holds one of them. */
function exemptions(
  peers: readonly Cidr[],
  isLive: boolean,
): { readonly isExempt: (address: string) => boolean; readonly isShared: IsSharedNetwork } {
  const networks = [...peers];
  if (isLive) {
    for (const list of Object.values(networkInterfaces())) {
      for (const { address, internal } of list ?? []) {
        // What comes over loopback was made here on purpose; no firewall acts on it.
        const parsed = internal ? null : parseCidr(address);
        if (parsed?.ok === true) networks.push(parsed.value);
      }
    }
  }
  const exempt = new HepAllow(networks);
  const ofSix = networks.filter((net) => net.version === 6);
  return {
    isExempt: (address) => {
      if (networks.length === 0) return false;
      const bytes = new Uint8Array(16);
      const four = parseIpv4(address);
      if (four >= 0) new DataView(bytes.buffer).setUint32(0, four);
      else bytes.set(parseIpv6(address) ?? bytes);
      return exempt.allows(bytes, four >= 0 ? 4 : 6);
    },
    // A peer that declared the whole network or more is exempt as such.
    isShared: (b, off, bits) =>
      ofSix.some((net) => {
        if (net.bits <= bits) return false;
        for (let i = 0; i < bits >> 3; i++) if (b[off + i] !== net.address[i]) return false;
        return true;
      }),
  };
}
