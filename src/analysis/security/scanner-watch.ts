/**
 * Watches who sends requests and what becomes of them, and reports scanners and registration floods with the evidence.
 *
 * Capture time only. What a request asked for is judged by its outcome: a refusal, a challenge that is not followed, or
 * silence of a server that answers others. A busy trunk and a restarting office are not attackers, for most of what
 * they ask is granted.
 */

import { type EndpointKey, endpointKey, endpointKeyAddress } from '../../core/ip.ts';
import { METHOD_NAMES } from '../../core/words.ts';
import { METHOD } from '../../sip/method.ts';
import type { SipScan } from '../../sip/scan.ts';
import { isChallenge } from '../../sip/status.ts';
import { decodeText } from '../../sip/text.ts';
import type { Carrier } from '../../store/fingerprint.ts';
import { hashRange } from '../../store/fingerprint.ts';
import type { AlertKind, Behaviour, SecurityAlert } from './alert.ts';
import { BEHAVIOUR_RULES, ESTABLISHED_FACTOR, isInjection, isRefusal, PREFIXES } from './behaviour-rules.ts';
import { LONGEST_WINDOW_US, OUTCOME, type WindowCount } from './outcome-ring.ts';
import { type Probe, ProbeTable, probeKey } from './probe-table.ts';
import { dialledParts, hasStaleNonce, hasToolInFrom, requestUser } from './request-target.ts';
import { isScannerName } from './scanner-names.ts';
import { type SourceRecord, SourceTable } from './source-table.ts';

/** Silence this long is an outcome, and a challenge this old will not be followed. */
const GRACE_US = 2e6;
/** A source that goes on is reported again, but not more often than this, or than so many offences. */
const AGAIN_US = 1e6;
const AGAIN_OFFENCES = 10;
const ANSWERED_US = 60e6;
const PREFIX_WINDOW_US = 60e6;
const MAX_PREFIXES = 16;
const MAX_NAMES = 4096;

/** Methods that reach for something from outside a dialog. */
const PROBES: ReadonlySet<number> = new Set([
  METHOD.OTHER,
  METHOD.INVITE,
  METHOD.REGISTER,
  METHOD.OPTIONS,
  METHOD.SUBSCRIBE,
  METHOD.PUBLISH,
  METHOD.MESSAGE,
  METHOD.REFER,
]);

export type ScannerWatchOptions = {
  readonly onAlert: (alert: SecurityAlert) => void;
  /** Whether a User-Agent is one of the operator's own list. */
  readonly isUnwantedName?: (userAgent: string) => boolean;
  /** Addresses (as text) that are never reported: our own, and declared peers. */
  readonly isExempt?: (address: string) => boolean;
  readonly maxSources?: number;
  readonly maxProbes?: number;
};

export class ScannerWatch {
  readonly #onAlert: (alert: SecurityAlert) => void;
  readonly #isUnwantedName: (userAgent: string) => boolean;
  readonly #isExempt: (address: string) => boolean;
  readonly #sources: SourceTable;
  readonly #probes: ProbeTable;
  /** Verdicts on User-Agents by keyed hash: most are seen again and again. */
  readonly #names = new Map<number, boolean>();
  readonly #counted: WindowCount = { refused: 0, total: 0, targets: 0, hosts: 0, firstUs: 0 };
  #nowUs = 0;

  constructor(options: ScannerWatchOptions) {
    this.#onAlert = options.onAlert;
    this.#isUnwantedName = options.isUnwantedName ?? (() => false);
    this.#isExempt = options.isExempt ?? (() => false);
    this.#sources = new SourceTable(options.maxSources ?? 20_000);
    this.#probes = new ProbeTable(options.maxProbes ?? 65_536);
  }

  /** Sources remembered, and what the caps shed. */
  get sources(): number {
    return this.#sources.size;
  }
  get evicted(): number {
    return this.#sources.evicted + this.#probes.evicted;
  }

  /** One scanned message at buf[..]; `c` says who sent it to whom. */
  onMessage(buf: Buffer, scan: SipScan, c: Carrier): void {
    if (c.tsUs > this.#nowUs) this.#nowUs = c.tsUs;
    this.tick(this.#nowUs);
    if (scan.isRequest) this.#onRequest(buf, scan, c);
    else this.#onResponse(buf, scan, c);
  }

  /** Whether a source was reported as a scanner within the last minute of capture time, and may be answered. */
  isScanner(key: EndpointKey): boolean {
    const record = this.#sources.find(key);
    const last = record?.reported.get('scanner');
    return last !== undefined && record?.isEstablished === false && this.#nowUs - last.atUs < ANSWERED_US;
  }

  /** Time goes on: silence becomes an outcome. */
  tick(nowUs: number): void {
    if (nowUs > this.#nowUs) this.#nowUs = nowUs;
    this.#probes.expire(this.#nowUs - GRACE_US, (probe) => this.#onSilence(probe));
  }

  /** The capture is over: what is still open gets no other outcome. */
  finish(): void {
    this.#probes.expire(Number.POSITIVE_INFINITY, (probe) => {
      if (probe.challenge !== 0 || this.#nowUs - probe.tsUs >= GRACE_US) this.#onSilence(probe);
    });
  }

  #onRequest(buf: Buffer, scan: SipScan, c: Carrier): void {
    if (scan.toTagStart >= 0 || !PROBES.has(scan.method)) return;
    const source = this.#sources.use(endpointKey(c.addresses, c.srcOff, c.ipVersion, 0));
    const call = hashRange(buf, scan.callIdStart, scan.callIdEnd);
    const key = probeKey(call, scan.cseq, scan.method);
    // A retransmission, or a proxy that passes on what another sent.
    if (this.#probes.isKnown(key)) return;
    const user = requestUser(buf, scan);
    source.noteTarget(user);
    const hasCredentials = scan.hasAuthorization;
    const before = this.#probes.takeChallenged(call, source);
    const host = endpointKey(c.addresses, c.dstOff, c.ipVersion, 0);
    this.#probes.add({
      key,
      call,
      source,
      tsUs: c.tsUs,
      method: scan.method,
      hasCredentials,
      user,
      host,
      isPeerKnown: this.#sources.find(host)?.answers === true,
      before: before?.hasCredentials === true ? before : null,
      challenge: 0,
      isRinging: false,
      isFollowed: false,
      isSettled: false,
    });
    source.userAgent = decodeText(buf, scan.userAgentStart, scan.userAgentEnd);
    if (this.#isScannerName(buf, scan, source.userAgent))
      this.#report(source, 'scanner', 'known-tool', scan.method, c.tsUs, 1);
    else if (isInjection(user)) this.#report(source, 'scanner', 'injection', scan.method, c.tsUs, 1);
  }

  #onResponse(buf: Buffer, scan: SipScan, c: Carrier): void {
    const status = scan.status;
    const call = hashRange(buf, scan.callIdStart, scan.callIdEnd);
    const probe = this.#probes.find(probeKey(call, scan.cseq, scan.cseqMethod));
    // Only an answer to what was asked proves anything: a forged one makes nobody a peer.
    if (
      probe === undefined ||
      probe.source.key !== endpointKey(c.addresses, c.dstOff, c.ipVersion, 0) ||
      probe.host !== endpointKey(c.addresses, c.srcOff, c.ipVersion, 0)
    )
      return;
    if (status < 200) {
      if (status > 100) this.#probes.keepRinging(probe);
      return;
    }
    this.#noteAnswer(probe.host, probe.source, scan);
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
    this.#settle(probe, status, refused);
  }

  #noteAnswer(answerer: EndpointKey, asker: SourceRecord, scan: SipScan): void {
    const record = this.#sources.use(answerer);
    if (record.answered === null) record.answered = asker.key;
    else if (record.answered !== asker.key) record.isServer = true;
    const isCall = scan.cseqMethod === METHOD.INVITE && scan.status < 300;
    if (!isCall && (scan.cseqMethod !== METHOD.REGISTER || scan.status >= 300)) return;
    for (const peer of isCall ? [asker, record] : [asker]) {
      peer.isEstablished = true;
      this.#sources.prove(peer);
    }
  }

  #onSilence(probe: Probe): void {
    if (probe.before !== null) this.#settle(probe.before, probe.before.challenge, true);
    this.#settle(probe, probe.challenge, true);
  }

  /** The outcome of a request is known: remembers it and, when it was refused, looks whether a rule holds. */
  #settle(probe: Probe, status: number, refused: boolean): void {
    if (probe.isSettled) return;
    probe.isSettled = true;
    const { source } = probe;
    const facts =
      (refused ? OUTCOME.REFUSED : 0) |
      (probe.hasCredentials ? OUTCOME.CREDENTIALS : 0) |
      (probe.method === METHOD.REGISTER ? OUTCOME.REGISTER : 0) |
      (refused && status === 0 && !probe.isPeerKnown ? OUTCOME.UNKNOWN_PEER : 0);
    source.outcomes.add(probe.tsUs, hashText(probe.user), hashText(String(probe.host)), status, facts, probe.method);
    if (refused) this.#judge(source, probe);
  }

  #judge(source: SourceRecord, probe: Probe): void {
    if (source.isServer) return;
    const factor = source.isEstablished ? ESTABLISHED_FACTOR : 1;
    const n = this.#counted;
    let found = '';
    for (const rule of BEHAVIOUR_RULES) {
      if (rule.kind === found) continue;
      source.outcomes.count(probe.tsUs - rule.windowUs, rule.wanted, rule.unwanted, n);
      if (n.refused * 2 <= n.total) continue;
      if (n.refused < rule.refused * factor || n.targets < rule.targets * factor || n.hosts < rule.hosts * factor)
        continue;
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
    if (dialled.prefixes.size < MAX_PREFIXES) dialled.prefixes.add(parts.prefix);
    const needed = PREFIXES * (source.isEstablished ? ESTABLISHED_FACTOR : 1);
    if (dialled.prefixes.size < needed) return;
    this.#report(source, 'scanner', 'prefix-probing', probe.method, probe.tsUs, dialled.prefixes.size, dialled.sinceUs);
  }

  #report(
    source: SourceRecord,
    kind: AlertKind,
    behaviour: Behaviour,
    method: number,
    atUs: number,
    count: number,
    firstUs = atUs,
  ): void {
    const last = source.reported.get(kind);
    if (last !== undefined) {
      last.offences++;
      if (atUs - last.atUs < AGAIN_US && last.offences < AGAIN_OFFENCES) return;
    }
    const address = endpointKeyAddress(source.key);
    if (this.#isExempt(address)) return;
    source.reported.set(kind, { atUs, offences: 0 });
    const methods = new Map<string, number>();
    const codes = new Map<number, number>();
    source.outcomes.forRefused(Math.max(firstUs, atUs - LONGEST_WINDOW_US), (id, code) => {
      const name = METHOD_NAMES[id] ?? 'OTHER';
      methods.set(name, (methods.get(name) ?? 0) + 1);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    });
    this.#onAlert({
      kind,
      behaviour,
      source: address,
      atUs,
      method: METHOD_NAMES[method] ?? 'OTHER',
      userAgent: source.userAgent,
      evidence: { firstUs, lastUs: atUs, count, methods, codes, targets: [...source.targets] },
    });
  }

  #isScannerName(buf: Buffer, scan: SipScan, userAgent: string): boolean {
    // SIPVicious leaves its name in From when its User-Agent was changed.
    if (hasToolInFrom(buf, scan)) return true;
    if (scan.userAgentStart < 0) return false;
    const hash = hashRange(buf, scan.userAgentStart, scan.userAgentEnd);
    const known = this.#names.get(hash);
    if (known !== undefined) return known;
    const verdict = isScannerName(userAgent) || this.#isUnwantedName(userAgent);
    if (this.#names.size >= MAX_NAMES) this.#names.clear();
    this.#names.set(hash, verdict);
    return verdict;
  }
}

/** A hash of text that is compared only with others of this process. */
function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h | 0;
}
