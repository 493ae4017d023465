/**
 * Watches who sends requests and what becomes of them, and reports scanners and registration floods with the evidence.
 *
 * Capture time only. What a request asked for is judged by its outcome: a refusal, a challenge that is not followed, or
 * silence of a server that answers others. A busy trunk and a restarting office are not attackers, for most of what
 * they ask is granted.
 */

import * as METHOD from '../core/methods.ts';
import { METHOD_NAMES } from '../core/words.ts';
import { isChallenge } from '../protocols/sip/message.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import { decodeText } from '../protocols/sip/text.ts';
import type { Packet } from '../sources/packet.ts';
import type { AlertKind, Behaviour, SecurityAlert } from './alert.ts';
import {
  BEHAVIOUR_RULES,
  ESTABLISHED_FACTOR,
  holds,
  isInjection,
  isRefusal,
  MALFORMED,
  MALFORMED_WINDOW_US,
  PREFIX_WINDOW_US,
  PREFIXES,
} from './behaviour-rules.ts';
import { isAckBroken, isBroken } from './broken-message.ts';
import { Credentials } from './credentials.ts';
import { KnownDialogs } from './known-dialogs.ts';
import { KnownServers } from './known-servers.ts';
import { EMPTY_COUNT, LONGEST_WINDOW_US, OUTCOME, type WindowCount } from './outcome-ring.ts';
import { PassedOn } from './passed-on.ts';
import { type Probe, ProbeTable } from './probe-table.ts';
import { ReportPace } from './report-pace.ts';
import { dialledParts, hasStaleNonce, hasToolInFrom, RequestTarget } from './request-target.ts';
import { isScannerName } from './scanner-names.ts';
import { type IsSharedNetwork, type SourceKey, sourceAddress, sourceKey, sourceNetwork } from './source-key.ts';
import { type SourceRecord, SourceTable } from './source-table.ts';
import { addressHash, attemptKey, TransactionKeys } from './transaction.ts';

/** Prefixes of numbers that are kept of what a source dialled. @cap */
const MAX_DIALLED_PREFIXES = 16;

/**
 * Sources that the detection of scanners remembers; of each share of strangers and peers the longest silent one goes.
 *
 * @cap memory 60 MiB, security_evicted: with `--kill-scanner`: sources, with 16 outcomes each
 */
const SECURITY_SOURCES = 20_000;

/**
 * Requests that the detection keeps until their outcome is known, and those seen lately; one source has an eighth.
 *
 * @cap memory 30 MiB, security_evicted: with `--kill-scanner`: requests whose outcome is open, those that wait, those seen
 */
const SECURITY_PROBES = 32_768;

/** User-Agents whose verdict is remembered, and bytes of one that are looked at. @cap */
const SECURITY_NAMES = 1_024;
const SECURITY_NAME_BYTES = 512;

/** Silence this long is an outcome, and a challenge this old will not be followed. */
const GRACE_US = 2e6;
const ANSWERED_US = 60e6;
/** Rules are looked at after every refusal of the first 64, then after so many more that the work for each stays equal. */
const JUDGED_SHARE = 64;

export type ScannerWatchOptions = {
  readonly onAlert: (alert: SecurityAlert) => void;
  /** Whether a User-Agent is one of the operator's own list. */
  readonly isUnwantedName?: (userAgent: string) => boolean;
  /** Addresses (as text) that are never reported: our own, and declared peers. */
  readonly isExempt?: (address: string) => boolean;
  /** Whether a network of IPv6 holds one of those, so that it must not be banned as a whole. */
  readonly isShared?: IsSharedNetwork;
  readonly maxSources?: number;
  readonly maxProbes?: number;
};

export class ScannerWatch {
  readonly #isUnwantedName: (userAgent: string) => boolean;
  readonly #isShared: IsSharedNetwork | null;
  readonly #sources: SourceTable;
  readonly #probes: ProbeTable;
  readonly #dialogs = new KnownDialogs();
  readonly #servers = new KnownServers();
  readonly #passedOn = new PassedOn();
  readonly #pace: ReportPace;
  /** Verdicts by the name itself: most are seen again and again. */
  readonly #names = new Map<string, boolean>();
  readonly #counted: WindowCount = { ...EMPTY_COUNT };
  readonly #keys = new TransactionKeys();
  readonly #target = new RequestTarget();
  readonly #credentials = new Credentials();
  #nowUs = 0;
  /** When the outcome became known that is being judged: silence does so at its end, whenever the next message comes. */
  #knownUs = 0;

  constructor(options: ScannerWatchOptions) {
    this.#pace = new ReportPace(options.onAlert);
    this.#isUnwantedName = options.isUnwantedName ?? (() => false);
    this.#isShared = options.isShared ?? null;
    this.#sources = new SourceTable(options.maxSources ?? SECURITY_SOURCES, options.isExempt ?? (() => false));
    this.#probes = new ProbeTable(options.maxProbes ?? SECURITY_PROBES);
  }

  /** Sources remembered, and what the caps shed. */
  get sources(): number {
    return this.#sources.size;
  }
  get evicted(): number {
    const known = this.#dialogs.evicted + this.#servers.evicted + this.#passedOn.evicted;
    return this.#sources.evicted + this.#probes.evicted + known;
  }

  /** One scanned message at buf[..]; `c` says who sent it to whom. */
  onMessage(buf: Buffer, scan: SipScan, c: Packet): void {
    this.tick(c.tsUs);
    if (scan.isRequest) this.#onRequest(buf, scan, c);
    else this.#onResponse(buf, scan, c);
  }

  /** A whole message that is meant to be SIP and cannot be read, or that nobody answers. */
  onMalformed(c: Packet, method: number = METHOD.OTHER): void {
    this.tick(c.tsUs);
    if (this.#servers.isServer(addressHash(c.addresses, c.srcOff, c.ipVersion))) return;
    this.#noteMalformed(this.#sender(c), method, c.tsUs);
  }

  /** Whether the sender was reported as a scanner within the last minute of capture time, and may be answered. */
  isScanner(c: Packet): boolean {
    const record = this.#sources.find(this.#key(c, c.srcOff));
    const last = record?.reported.get('scanner');
    return last !== undefined && record?.isEstablished === false && this.#nowUs - last.atUs < ANSWERED_US;
  }

  /** Time continues: silence becomes an outcome, and reports that waited are due. */
  tick(nowUs: number): void {
    if (nowUs > this.#nowUs) this.#nowUs = nowUs;
    this.#probes.expire(this.#nowUs - GRACE_US, (probe) => this.#onSilence(probe));
    this.#knownUs = this.#nowUs;
    this.#pace.tick(this.#nowUs);
  }

  /** The capture is over: what is still open gets no other outcome. */
  finish(): void {
    this.#probes.expire(Number.POSITIVE_INFINITY, (probe) => {
      if (probe.challenge !== 0 || this.#nowUs - probe.tsUs >= GRACE_US) this.#onSilence(probe);
    });
    this.#pace.finish();
  }

  #key(c: Packet, off: number): SourceKey {
    return sourceKey(c.addresses, off, c.ipVersion, this.#isShared);
  }

  /** Who asks. */
  #sender(c: Packet): SourceRecord {
    const address = sourceAddress(c.addresses, c.srcOff, c.ipVersion);
    const source = this.#sources.use(this.#key(c, c.srcOff), address);
    source.address = address;
    return source;
  }

  #onRequest(buf: Buffer, scan: SipScan, c: Packet): void {
    if (scan.method === METHOD.ACK) {
      if (!c.isSnapped && isAckBroken(buf, scan)) this.onMalformed(c, METHOD.ACK);
      return;
    }
    const source = this.#sender(c);
    const isServer = this.#servers.isServer(addressHash(c.addresses, c.srcOff, c.ipVersion));
    const keys = this.#keys;
    const credentials = this.#credentials;
    const { target, caller, user } = this.#readTarget(buf, scan);
    keys.read(buf, scan, c);
    credentials.read(buf, scan);
    if (this.#probes.isRepeat(keys.request(buf, scan, target, credentials.guess), c.tsUs)) return;
    const isPassedOn = this.#passedOn.isPassedOn(buf, scan, c, isServer);
    if (scan.method === METHOD.CANCEL && this.#probes.hasBranch(keys.canceled)) return;
    if (scan.toTagStart >= 0 && scan.method !== METHOD.REGISTER && this.#dialogs.accepts(buf, scan, target)) return;
    const attempt = attemptKey(buf, scan, c, target);
    const hasCredentials = scan.hasAuthorization;
    const before = hasCredentials ? this.#probes.takeChallenged(attempt) : null;
    const probe: Probe = {
      exact: keys.exact,
      branch: keys.branch,
      message: keys.message,
      attempt,
      source,
      tsUs: c.tsUs,
      method: scan.method,
      hasCredentials,
      user,
      target,
      caller: credentials.account === 0 ? caller : credentials.account,
      host: addressHash(c.addresses, c.dstOff, c.ipVersion),
      guess: credentials.guess,
      input: credentials.input,
      isPassedOn,
      isServer,
      isNamed: false,
      isBroken: !c.isSnapped && isBroken(buf, scan),
      before: before?.hasCredentials === true ? before : null,
      challenge: 0,
      isRinging: false,
      isFollowed: false,
      isSettled: false,
    };
    this.#probes.add(probe);
    if (isPassedOn) return;
    source.noteTarget(user);
    source.userAgent = decodeText(
      buf,
      scan.userAgentStart,
      Math.min(scan.userAgentEnd, scan.userAgentStart + SECURITY_NAME_BYTES),
    );
    const isTool = hasToolInFrom(buf, scan) || this.#isScannerName(source.userAgent);
    probe.isNamed = isTool || isInjection(user);
    // Of a peer a name alone says nothing: anybody can send it under his address.
    if (!probe.isNamed || source.isEstablished || isServer) return;
    const since = (source.reported.get('scanner')?.offences ?? 0) + 1;
    this.#report(source, 'scanner', isTool ? 'known-tool' : 'injection', scan.method, c.tsUs, since, c.tsUs, true);
  }

  #readTarget(buf: Buffer, scan: SipScan): RequestTarget {
    this.#target.read(buf, scan);
    return this.#target;
  }

  #onResponse(buf: Buffer, scan: SipScan, c: Packet): void {
    const { status } = scan;
    this.#keys.read(buf, scan, c);
    // Only an answer to what was asked proves anything: a forged one makes nobody a peer.
    const probe = this.#probes.find(this.#keys);
    if (probe === undefined) return;
    this.#dialogs.onResponse(buf, scan);
    if (status < 200) {
      if (status > 100) probe.isRinging = true;
      this.#probes.keepWaiting(probe);
      return;
    }
    this.#probes.noteFinal(probe);
    this.#noteAnswer(probe, scan, c);
    if (probe.isSettled) return;
    if (isChallenge(status)) {
      // A nonce that grew old is renewed; nothing was wrong with the password.
      if (probe.hasCredentials && hasStaleNonce(buf, scan)) this.#settle(probe, status, false);
      else this.#probes.challenge(probe, status);
      // Of two refused attempts of one call the first is certain now.
      if (probe.before !== null) this.#settle(probe.before, probe.before.challenge, true);
      probe.before = null;
      return;
    }
    const refused = isRefusal(status) && !probe.isRinging;
    if (probe.before !== null) this.#settle(probe.before, probe.before.challenge, refused);
    probe.before = null;
    this.#settle(probe, status, refused);
  }

  #noteAnswer(probe: Probe, scan: SipScan, c: Packet): void {
    this.#servers.onAnswer(probe.host, probe.source.key, c.tsUs);
    if (scan.status >= 300) return;
    if (scan.cseqMethod !== METHOD.INVITE && scan.cseqMethod !== METHOD.REGISTER) return;
    this.#sources.prove(probe.source);
    if (scan.cseqMethod === METHOD.REGISTER) return;
    const address = sourceAddress(c.addresses, c.srcOff, c.ipVersion);
    this.#sources.prove(this.#sources.use(this.#key(c, c.srcOff), address));
  }

  #onSilence(probe: Probe): void {
    this.#knownUs = Math.max(this.#knownUs, Math.min(this.#nowUs, probe.tsUs + GRACE_US));
    if (probe.before !== null) this.#settle(probe.before, probe.before.challenge, true);
    probe.before = null;
    this.#settle(probe, probe.challenge, true);
  }

  /** The outcome of a request is known: remembers it and, when it was refused, looks whether a rule holds. */
  #settle(probe: Probe, status: number, refused: boolean): void {
    if (probe.isSettled) return;
    probe.isSettled = true;
    if (probe.isPassedOn) return;
    const { source } = probe;
    const isSilence = refused && status === 0;
    // A server that answered nobody since is down, or was never seen to answer anyone.
    const isPeerKnown = !isSilence || this.#servers.answeredSince(probe.host, probe.tsUs);
    const facts =
      (refused ? OUTCOME.REFUSED : 0) |
      (probe.hasCredentials ? OUTCOME.CREDENTIALS : 0) |
      (probe.method === METHOD.REGISTER ? OUTCOME.REGISTER : 0) |
      (probe.isNamed ? OUTCOME.NAMED : 0) |
      (isPeerKnown ? 0 : OUTCOME.UNKNOWN_PEER);
    const { tsUs, target, caller, host, guess, input, method } = probe;
    source.outcomes.add({ tsUs, target, caller, host, guess, input, method, code: status, facts });
    this.#sources.noteOutcome(source, refused);
    if (!refused) return;
    if (probe.isBroken && !probe.isServer) this.#noteMalformed(source, method, tsUs);
    if (++source.unjudged * JUDGED_SHARE < source.outcomes.length) return;
    source.unjudged = 0;
    this.#judge(source, probe);
  }

  #judge(source: SourceRecord, probe: Probe): void {
    if (probe.isServer) return;
    const factor = source.isEstablished ? ESTABLISHED_FACTOR : 1;
    const n = this.#counted;
    let found = '';
    for (const rule of BEHAVIOUR_RULES) {
      if (rule.kind === found) continue;
      source.outcomes.count(probe.tsUs - rule.windowUs, rule.wanted, rule.unwanted, n);
      if (!holds(rule, n, factor)) continue;
      this.#report(source, rule.kind, rule.behaviour, probe.method, probe.tsUs, n.refused, n.firstUs);
      found = rule.kind;
    }
    if (probe.method === METHOD.INVITE && found === '') this.#judgePrefixes(source, probe);
  }

  /** The same number with one prefix after the other: a search for the way out to the telephone network. */
  #judgePrefixes(source: SourceRecord, probe: Probe): void {
    const parts = dialledParts(probe.user);
    if (parts === null) return;
    const { dialled } = source;
    if (dialled === null || dialled.tail !== parts.tail || probe.tsUs - dialled.sinceUs > PREFIX_WINDOW_US) {
      source.dialled = { tail: parts.tail, prefixes: new Set([parts.prefix]), sinceUs: probe.tsUs };
      return;
    }
    if (dialled.prefixes.size < MAX_DIALLED_PREFIXES) dialled.prefixes.add(parts.prefix);
    const needed = PREFIXES * (source.isEstablished ? ESTABLISHED_FACTOR : 1);
    if (dialled.prefixes.size < needed) return;
    const n = this.#counted;
    source.outcomes.count(dialled.sinceUs, 0, OUTCOME.UNKNOWN_PEER, n);
    if (n.refusedKinds <= n.granted) return;
    this.#report(source, 'scanner', 'prefix-probing', probe.method, probe.tsUs, dialled.prefixes.size, dialled.sinceUs);
  }

  #noteMalformed(source: SourceRecord, method: number, tsUs: number): void {
    const { malformed } = source;
    if (tsUs - malformed.sinceUs > MALFORMED_WINDOW_US) source.malformed = { sinceUs: tsUs, count: 0 };
    const { sinceUs } = source.malformed;
    const count = ++source.malformed.count;
    if (count < MALFORMED * (source.isEstablished ? ESTABLISHED_FACTOR : 1)) return;
    this.#report(source, 'scanner', 'malformed-flood', method, tsUs, count, sinceUs);
  }

  #report(
    source: SourceRecord,
    kind: AlertKind,
    behaviour: Behaviour,
    method: number,
    lastUs: number,
    count: number,
    firstUs: number,
    isName = false,
  ): void {
    const atUs = this.#knownUs;
    this.#pace.offend(source, kind, atUs, isName, () => {
      const methods = new Map<string, number>();
      const codes = new Map<number, number>();
      source.outcomes.forRefused(Math.max(firstUs, lastUs - LONGEST_WINDOW_US), (id, code) => {
        const name = METHOD_NAMES[id] ?? 'OTHER';
        methods.set(name, (methods.get(name) ?? 0) + 1);
        codes.set(code, (codes.get(code) ?? 0) + 1);
      });
      return {
        kind,
        behaviour,
        source: source.address,
        net: sourceNetwork(source.key),
        atUs,
        method: METHOD_NAMES[method] ?? 'OTHER',
        userAgent: source.userAgent,
        evidence: { firstUs, lastUs, count, methods, codes, targets: [...source.targets] },
      };
    });
  }

  #isScannerName(userAgent: string): boolean {
    if (userAgent === '') return false;
    const known = this.#names.get(userAgent);
    if (known !== undefined) return known;
    const verdict = isScannerName(userAgent) || this.#isUnwantedName(userAgent);
    if (this.#names.size >= SECURITY_NAMES) this.#names.clear();
    this.#names.set(userAgent, verdict);
    return verdict;
  }
}
