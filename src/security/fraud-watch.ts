/**
 * Watches outgoing calls for the shapes of toll fraud: spikes, number sequences, bursts of short calls, calls abroad at
 * night. Each account is compared with itself; an account is a caller (From user) at one source address.
 *
 * These are hints for a person: an alert bans nobody. Capture time only.
 */

import { hashRange } from '../core/hash.ts';
import * as METHOD from '../core/methods.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import type { Packet } from '../sources/packet.ts';
import type { Behaviour, SecurityAlert } from './alert.ts';
import { PassedOn } from './passed-on.ts';
import { RecentMap } from './recent-map.ts';
import { callerOf, RequestTarget } from './request-target.ts';
import { type SourceKey, sourceAddress, sourceKey, sourceNetwork } from './source-key.ts';
import { attemptKey, dialogKey, TransactionKeys } from './transaction.ts';

/** Characters of a caller that the fraud watch keeps. @cap */
const MAX_CALLER_CHARS = 64;

/**
 * Accounts and calls that the detection of fraud remembers; the longest silent one goes.
 *
 * @cap memory 38 MiB, security_evicted: with `--fraud`
 */
const FRAUD_ACCOUNTS = 10_000;
const FRAUD_CALLS = 32_768;

const BUCKET_US = 300e6;
/** A spike needs this much history, so many calls, and so many times the usual. */
const HISTORY_BUCKETS = 6;
const SPIKE_CALLS = 30;
const SPIKE_FACTOR = 5;
const SEQUENCE = 8;
const SEQUENCE_US = 600e6;
const SHORT_US = 10e6;
const SHORT_CALLS = 10;
const SHORT_SHARE = 0.7;
const SHORT_WINDOW_US = 600e6;
const NIGHT_CALLS = 5;
const NIGHT_WINDOW_US = 3600e6;
/** Toll is paid for calls to telephone numbers, visual separators included (RFC 3966); a call to a name costs none. */
const TELEPHONE_NUMBER = /^[+*#]{0,8}[0-9][0-9*#().-]{2,60}$/;
/** Numbers are one after the other by their last digits: what is dialled in front of them may change. */
const LAST_DIGITS = 9;
/** An account is reported again for the same behaviour after this long. */
const AGAIN_US = 600e6;
const KEPT = 64;

type Dialled = { readonly tsUs: number; readonly number: string };
type Call = { readonly account: Account; branch: number; answeredUs: number };

class Account {
  readonly key: SourceKey;
  /** Where it called from last. */
  source = '';
  readonly caller: string;
  firstUs = 0;
  bucket = 0;
  inBucket = 0;
  before = 0;
  /** The latest, as many as a sequence needs. */
  readonly dialled: Dialled[] = [];
  /** When calls ended; a short one as a negative number. */
  readonly ended: number[] = [];
  readonly abroad: number[] = [];
  readonly reported = new Map<Behaviour, number>();

  constructor(key: SourceKey, caller: string) {
    this.key = key;
    this.caller = caller;
  }
}

/** Hours of local time from `from` until `to`, as 22-6; null when it is no such text. */
export function parseNight(text: string): { readonly from: number; readonly to: number } | null {
  const match = /^([0-9]{1,2})-([0-9]{1,2})$/.exec(text.trim());
  if (match === null) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return from > 23 || to > 23 || from === to ? null : { from, to };
}

export type FraudWatchOptions = {
  readonly onAlert: (alert: SecurityAlert) => void;
  readonly night?: { readonly from: number; readonly to: number };
  readonly isExempt?: (address: string) => boolean;
  readonly maxAccounts?: number;
  readonly maxCalls?: number;
};

export class FraudWatch {
  readonly #options: FraudWatchOptions;
  readonly #accounts: RecentMap<Account, string>;
  /** Calls by caller, Call-ID, From tag and number: what a challenged or repeated INVITE has in common. */
  readonly #attempts: RecentMap<Call>;
  /** The same by the transaction that a response belongs to, and, once answered, by their dialog. */
  readonly #unanswered: RecentMap<Call>;
  readonly #answered: RecentMap<Call>;
  readonly #passedOn = new PassedOn();
  readonly #keys = new TransactionKeys();
  readonly #target = new RequestTarget();

  constructor(options: FraudWatchOptions) {
    this.#options = options;
    this.#accounts = new RecentMap(options.maxAccounts ?? FRAUD_ACCOUNTS);
    const maxCalls = options.maxCalls ?? FRAUD_CALLS;
    this.#attempts = new RecentMap(maxCalls);
    this.#unanswered = new RecentMap(maxCalls);
    this.#answered = new RecentMap(maxCalls);
  }

  get accounts(): number {
    return this.#accounts.size;
  }

  get evicted(): number {
    const calls = this.#attempts.evicted + this.#unanswered.evicted + this.#answered.evicted;
    return this.#accounts.evicted + calls + this.#passedOn.evicted;
  }

  onMessage(buf: Buffer, scan: SipScan, c: Packet): void {
    if (scan.isRequest) {
      if (scan.method === METHOD.INVITE && scan.toTagStart < 0) this.#onInvite(buf, scan, c);
      else if (scan.method === METHOD.BYE) this.#onEnd(dialogKey(buf, scan), c.tsUs);
    } else if (scan.cseqMethod === METHOD.INVITE && scan.status >= 200) this.#onFinal(buf, scan, c);
  }

  #onInvite(buf: Buffer, scan: SipScan, c: Packet): void {
    this.#target.read(buf, scan);
    const number = this.#target.user.replace(/;.*$/, '');
    if (!TELEPHONE_NUMBER.test(number)) return;
    const fromTag = hashRange(buf, scan.fromTagStart, scan.fromTagEnd);
    const attempt = attemptKey(buf, scan, c, this.#target.target ^ fromTag);
    this.#keys.read(buf, scan, c);
    const { branch } = this.#keys;
    const known = this.#attempts.get(attempt);
    if (known !== undefined && (known.branch === branch || Number.isNaN(known.answeredUs))) {
      // A retransmission, or the answer to a challenge.
      known.branch = branch;
      this.#unanswered.set(branch, known);
      return;
    }
    // The first leg counts, not what a proxy makes of it.
    if (this.#passedOn.isPassedOn(buf, scan, c, false)) return;
    const account = this.#account(buf, scan, c);
    const call = { account, branch, answeredUs: Number.NaN };
    this.#attempts.set(attempt, call);
    this.#unanswered.set(branch, call);
    keep(account.dialled, { tsUs: c.tsUs, number }, SEQUENCE);
    this.#count(account, c.tsUs);
    if (isSequence(account.dialled, c.tsUs))
      this.#report(account, 'sequential-numbers', SEQUENCE, c.tsUs - SEQUENCE_US, c.tsUs);
    if (this.#isNight(c.tsUs) && /^(?:\+|00|011)[0-9]{7,}$/.test(number)) {
      keep(account.abroad, c.tsUs, KEPT);
      const count = account.abroad.filter((t) => c.tsUs - t <= NIGHT_WINDOW_US).length;
      if (count >= NIGHT_CALLS) this.#report(account, 'off-hours', count, c.tsUs - NIGHT_WINDOW_US, c.tsUs);
    }
  }

  #onFinal(buf: Buffer, scan: SipScan, c: Packet): void {
    this.#keys.read(buf, scan, c);
    const known = this.#unanswered.get(this.#keys.branch);
    if (known === undefined) return;
    this.#unanswered.delete(this.#keys.branch);
    if (scan.status >= 300) return;
    if (Number.isNaN(known.answeredUs)) known.answeredUs = c.tsUs;
    const key = dialogKey(buf, scan);
    if (key !== 0) this.#answered.set(key, known);
  }

  #onEnd(dialog: number, tsUs: number): void {
    const known = this.#answered.get(dialog);
    if (known === undefined) return;
    this.#answered.delete(dialog);
    const { account, answeredUs } = known;
    keep(account.ended, tsUs - answeredUs < SHORT_US ? -tsUs : tsUs, KEPT);
    const recent = account.ended.filter((ended) => tsUs - Math.abs(ended) <= SHORT_WINDOW_US);
    const short = recent.filter((ended) => ended < 0).length;
    if (short >= SHORT_CALLS && short > recent.length * SHORT_SHARE) {
      this.#report(account, 'short-calls', short, tsUs - SHORT_WINDOW_US, tsUs);
    }
  }

  /** Calls of five minutes against the account's own average before. */
  #count(account: Account, tsUs: number): void {
    const bucket = Math.floor((tsUs - account.firstUs) / BUCKET_US);
    if (bucket > account.bucket) {
      account.before += account.inBucket;
      account.bucket = bucket;
      account.inBucket = 0;
    }
    account.inBucket++;
    if (bucket < HISTORY_BUCKETS) return;
    const usual = account.before / bucket;
    if (account.inBucket >= SPIKE_CALLS && account.inBucket > usual * SPIKE_FACTOR) {
      this.#report(account, 'volume-spike', account.inBucket, tsUs - BUCKET_US, tsUs);
    }
  }

  #account(buf: Buffer, scan: SipScan, c: Packet): Account {
    const source = sourceKey(c.addresses, c.srcOff, c.ipVersion, null);
    const caller = callerOf(buf, scan, MAX_CALLER_CHARS);
    const key = `${source} ${caller}`;
    const known = this.#accounts.get(key);
    const account = known ?? new Account(source, caller);
    account.source = sourceAddress(c.addresses, c.srcOff, c.ipVersion);
    if (known === undefined) account.firstUs = c.tsUs;
    this.#accounts.set(key, account);
    return account;
  }

  #isNight(tsUs: number): boolean {
    const { night } = this.#options;
    if (night === undefined) return false;
    const hour = new Date(tsUs / 1000).getHours();
    return night.from < night.to ? hour >= night.from && hour < night.to : hour >= night.from || hour < night.to;
  }

  #report(account: Account, behaviour: Behaviour, count: number, firstUs: number, atUs: number): void {
    if (atUs - (account.reported.get(behaviour) ?? Number.NEGATIVE_INFINITY) < AGAIN_US) return;
    if (this.#options.isExempt?.(account.source) === true) return;
    account.reported.set(behaviour, atUs);
    this.#options.onAlert({
      kind: 'fraud',
      behaviour,
      source: account.source,
      net: sourceNetwork(account.key),
      atUs,
      method: 'INVITE',
      userAgent: '',
      evidence: {
        firstUs: Math.max(firstUs, account.firstUs),
        lastUs: atUs,
        count,
        methods: new Map([['INVITE', count]]),
        codes: new Map(),
        targets: [`caller ${account.caller}`, ...account.dialled.slice(-4).map((d) => d.number)],
      },
    });
  }
}

function keep<T>(list: T[], item: T, most: number): void {
  if (list.length >= most) list.shift();
  list.push(item);
}

/** The latest numbers go up or down by one, each, whatever stands between or in front of their last digits. */
function isSequence(dialled: readonly Dialled[], nowUs: number): boolean {
  if (dialled.length < SEQUENCE || nowUs - (dialled[0]?.tsUs ?? 0) > SEQUENCE_US) return false;
  const digits = dialled.map((d) => d.number.replace(/[^0-9]/g, ''));
  if (digits.some((d) => d.length < 4)) return false;
  const numbers = digits.map((d) => Number(d.slice(-LAST_DIGITS)));
  const step = (numbers[1] ?? 0) - (numbers[0] ?? 0);
  if (step !== 1 && step !== -1) return false;
  return numbers.every((n, i) => i === 0 || n - (numbers[i - 1] ?? 0) === step);
}
