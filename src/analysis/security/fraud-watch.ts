/**
 * Watches outgoing calls for the shapes of toll fraud: spikes, number sequences, bursts of short calls, calls abroad at
 * night. Each account is compared with itself; an account is a caller (From user) at one source address.
 *
 * These are hints for a person: an alert bans nobody. Capture time only.
 */
import { endpointKey, endpointKeyAddress } from '../../core/ip.ts';
import { METHOD } from '../../sip/method.ts';
import type { SipScan } from '../../sip/scan.ts';
import { decodeText } from '../../sip/text.ts';
import type { Carrier } from '../../store/fingerprint.ts';
import { hashRange } from '../../store/fingerprint.ts';
import type { Behaviour, SecurityAlert } from './alert.ts';
import { requestUser } from './request-target.ts';

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
const TELEPHONE_NUMBER = /^[+*#]*[0-9][0-9*#().-]{2,}$/;
/** An account is reported again for the same behaviour after this long. */
const AGAIN_US = 600e6;
const KEPT = 64;

type Dialled = { readonly tsUs: number; readonly number: string };
type Call = { readonly account: Account; answeredUs: number };

class Account {
  readonly source: string;
  readonly caller: string;
  firstUs = 0;
  bucket = 0;
  inBucket = 0;
  before = 0;
  readonly dialled: Dialled[] = [];
  readonly ended: { readonly tsUs: number; readonly isShort: boolean }[] = [];
  readonly abroad: number[] = [];
  readonly reported = new Map<Behaviour, number>();

  constructor(source: string, caller: string) {
    this.source = source;
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
  readonly #accounts = new Map<string, Account>();
  readonly #calls = new Map<number, Call>();
  readonly #maxAccounts: number;
  readonly #maxCalls: number;
  evicted = 0;

  constructor(options: FraudWatchOptions) {
    this.#options = options;
    this.#maxAccounts = options.maxAccounts ?? 20_000;
    this.#maxCalls = options.maxCalls ?? 65_536;
  }

  get accounts(): number {
    return this.#accounts.size;
  }

  onMessage(buf: Buffer, scan: SipScan, c: Carrier): void {
    if (scan.callIdStart < 0) return;
    const call = hashRange(buf, scan.callIdStart, scan.callIdEnd) >>> 0;
    if (scan.isRequest) {
      if (scan.method === METHOD.INVITE && scan.toTagStart < 0) this.#onInvite(buf, scan, c, call);
      else if (scan.method === METHOD.BYE) this.#onEnd(call, c.tsUs);
    } else if (scan.cseqMethod === METHOD.INVITE && scan.status >= 200) {
      if (scan.status < 300) this.#onAnswer(call, c.tsUs);
      else if (scan.status !== 401 && scan.status !== 407) this.#calls.delete(call);
    }
  }

  #onInvite(buf: Buffer, scan: SipScan, c: Carrier, call: number): void {
    // The first leg counts: a proxy's and a retransmission carry the same Call-ID.
    if (this.#calls.has(call)) return;
    const number = requestUser(buf, scan).replace(/;.*$/, '');
    if (!TELEPHONE_NUMBER.test(number)) return;
    const from = decodeText(buf, scan.fromStart, Math.min(scan.fromEnd, scan.fromStart + 200));
    const caller = /sips?:([^@;>\s]{1,64})@/i.exec(from)?.[1] ?? '';
    const source = endpointKeyAddress(endpointKey(c.addresses, c.srcOff, c.ipVersion, 0));
    const account = this.#account(source, caller, c.tsUs);
    this.#calls.set(call, { account, answeredUs: Number.NaN });
    if (this.#calls.size > this.#maxCalls) this.#dropOldest(this.#calls);
    keep(account.dialled, { tsUs: c.tsUs, number });
    this.#count(account, c.tsUs);
    if (isSequence(account.dialled, c.tsUs))
      this.#report(account, 'sequential-numbers', SEQUENCE, c.tsUs - SEQUENCE_US, c.tsUs);
    if (this.#isNight(c.tsUs) && /^(?:\+|00|011)[0-9]{7,}$/.test(number)) {
      keep(account.abroad, c.tsUs);
      const count = account.abroad.filter((t) => c.tsUs - t <= NIGHT_WINDOW_US).length;
      if (count >= NIGHT_CALLS) this.#report(account, 'off-hours', count, c.tsUs - NIGHT_WINDOW_US, c.tsUs);
    }
  }

  #onAnswer(call: number, tsUs: number): void {
    const known = this.#calls.get(call);
    if (known !== undefined && Number.isNaN(known.answeredUs)) known.answeredUs = tsUs;
  }

  #onEnd(call: number, tsUs: number): void {
    const known = this.#calls.get(call);
    if (known === undefined || Number.isNaN(known.answeredUs)) return;
    this.#calls.delete(call);
    const { account, answeredUs } = known;
    keep(account.ended, { tsUs, isShort: tsUs - answeredUs < SHORT_US });
    const recent = account.ended.filter((e) => tsUs - e.tsUs <= SHORT_WINDOW_US);
    const short = recent.filter((e) => e.isShort).length;
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

  #account(source: string, caller: string, tsUs: number): Account {
    const key = `${source} ${caller}`;
    const known = this.#accounts.get(key);
    const account = known ?? new Account(source, caller);
    if (known === undefined) account.firstUs = tsUs;
    else this.#accounts.delete(key);
    this.#accounts.set(key, account);
    if (this.#accounts.size > this.#maxAccounts) this.#dropOldest(this.#accounts);
    return account;
  }

  #dropOldest(map: Map<unknown, unknown>): void {
    for (const key of map.keys()) {
      map.delete(key);
      this.evicted++;
      return;
    }
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

function keep<T>(list: T[], item: T): void {
  if (list.length >= KEPT) list.shift();
  list.push(item);
}

/** The latest numbers go up or down by one, each. */
function isSequence(dialled: readonly Dialled[], nowUs: number): boolean {
  const last = dialled.slice(-SEQUENCE);
  if (last.length < SEQUENCE || nowUs - (last[0]?.tsUs ?? 0) > SEQUENCE_US) return false;
  const digits = last.map((d) => /^\+?([0-9]{4,18})$/.exec(d.number)?.[1]);
  if (digits.includes(undefined)) return false;
  const numbers = digits.map((d) => BigInt(d ?? '0'));
  const step = (numbers[1] ?? 0n) - (numbers[0] ?? 0n);
  if (step !== 1n && step !== -1n) return false;
  return numbers.every((n, i) => i === 0 || n - (numbers[i - 1] ?? 0n) === step);
}
