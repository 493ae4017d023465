/** What is counted of attempts without their trunk: by finding, by status code, by the class of the phone, by country. */
import * as METHOD from '../../core/methods.ts';
import { CODE_VALUES } from '../../core/words.ts';
import { decodeText } from '../../protocols/sip/text.ts';
import { parseUri } from '../../protocols/sip/uri.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { TrunkDirection } from '../trunks/trunk-row.ts';
import type { AttemptColumns } from './attempt-columns.ts';
import { WORD } from './attempt-columns.ts';
import type { AttemptCounter, AttemptOutcome, HopInHand, Message, RegistrationOutcome } from './attempts.ts';
import { CodeSeats } from './codes.ts';
import { countryName, countryOf } from './countries.ts';
import type { Devices } from './devices.ts';

/** Counters by two labels of closed sets; `at` joins them. */
export class PairCounts {
  readonly #counts = new Map<string, { readonly labels: readonly [string, string]; n: number }>();

  add(one: string, two: string, by = 1): void {
    const key = `${one}\0${two}`;
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels: [one, two], n: by });
    else known.n += by;
  }

  get size(): number {
    return this.#counts.size;
  }

  has(one: string, two: string): boolean {
    return this.#counts.has(`${one}\0${two}`);
  }

  entries(): Iterable<{ readonly labels: readonly [string, string]; readonly n: number }> {
    return this.#counts.values();
  }
}

/** Pairs of a trunk, or a class, and a finding with counts of their own; others count as the finding `other`. @cap */
export const FINDING_PAIRS = 1_500;

/** Places that are kept for `other`: as many as there are trunks, or classes. */
const KEPT = 60;
const OTHER_FINDING = 'other';
/** Calls that ended in a second with too many to look at. */
export const NOT_JUDGED = 'not-judged';

/** Findings in calls that ended, by the trunk of the call or the class of the phone. */
export class FindingCounts {
  readonly pairs = new PairCounts();

  add(label: string, finding: string): void {
    const { pairs } = this;
    const isFull = !pairs.has(label, finding) && pairs.size >= FINDING_PAIRS - KEPT;
    pairs.add(label, isFull ? OTHER_FINDING : finding);
  }
}

export class SettledCodes implements AttemptCounter {
  readonly finals = new PairCounts();
  readonly registrations = new Map<RegistrationOutcome, number>();
  readonly #seats = new CodeSeats();

  onSettled({ rows }: HopInHand, _outcome: AttemptOutcome, code: number): void {
    if (code < 200 || code >= CODE_VALUES) return;
    const directions = new Set<TrunkDirection>(rows.map(({ direction }) => direction));
    for (const direction of directions) this.finals.add(direction, this.#seats.labelOf(code));
  }

  onRegistrationSettled(_at: HopInHand, outcome: RegistrationOutcome): void {
    this.registrations.set(outcome, (this.registrations.get(outcome) ?? 0) + 1);
  }
}

/** A device of a hop is kept as its number and one more: 0 is not known. */
const KNOWN = 1;

export class DeviceCounts implements AttemptCounter {
  readonly attempts = new PairCounts();
  readonly registrations = new PairCounts();
  readonly #devices: Devices;
  readonly #columns: () => AttemptColumns;

  constructor(devices: Devices, columns: () => AttemptColumns) {
    this.#devices = devices;
    this.#columns = columns;
  }

  onOpened({ hop }: HopInHand, { buf, scan }: Message): void {
    this.#columns().set(hop, WORD.device, this.#devices.classOf(buf, scan.userAgentStart, scan.userAgentEnd) + KNOWN);
  }

  /** Who answers says it where the request did not. */
  onAnswerOf(hop: number, buf: Buffer, { userAgentStart, userAgentEnd }: Message['scan']): void {
    const columns = this.#columns();
    if (columns.get(hop, WORD.device) !== 0) return;
    columns.set(hop, WORD.device, this.#devices.classOf(buf, userAgentStart, userAgentEnd) + KNOWN);
  }

  /** What the device of a hop is called. */
  nameAt(hop: number): string {
    return this.#devices.nameOf(this.#columns().get(hop, WORD.device) - KNOWN);
  }

  onSettled({ hop }: HopInHand, outcome: AttemptOutcome): void {
    this.attempts.add(this.nameAt(hop), outcome);
  }

  onRegistrationSettled({ hop }: HopInHand, outcome: RegistrationOutcome): void {
    this.registrations.add(this.nameAt(hop), outcome);
  }
}

export class CountryCounts implements AttemptCounter {
  readonly #countryCode: string | null;
  readonly #columns: () => AttemptColumns;
  readonly #counts = new Map<number, { attempts: number; answered: number; talkSec: number }>();

  /** `countryCode` of our own side; null where nobody said it. */
  constructor(countryCode: string | null, columns: () => AttemptColumns) {
    this.#countryCode = countryCode;
    this.#columns = columns;
  }

  *entries(): Iterable<{ country: string; attempts: number; answered: number; talkSec: number }> {
    for (const [country, counts] of this.#counts) yield { country: countryName(country), ...counts };
  }

  onOpened({ hop }: HopInHand, { buf, scan }: Message): void {
    if (scan.method !== METHOD.INVITE) return;
    const uri = parseUri(decodeText(buf, scan.uriStart, scan.uriEnd));
    const country = countryOf(uri.ok ? (uri.value.user ?? '') : '', this.#countryCode);
    this.#columns().set(hop, WORD.country, country);
    this.#of(country).attempts++;
  }

  onSettled({ hop }: HopInHand, outcome: AttemptOutcome): void {
    if (outcome === 'answered') this.#of(this.#columns().get(hop, WORD.country)).answered++;
  }

  onHangUp({ hop }: HopInHand, talkSec: number, _d: Dialog): void {
    this.#of(this.#columns().get(hop, WORD.country)).talkSec += talkSec;
  }

  #of(country: number): { attempts: number; answered: number; talkSec: number } {
    let counts = this.#counts.get(country);
    if (counts === undefined) {
      counts = { attempts: 0, answered: 0, talkSec: 0 };
      this.#counts.set(country, counts);
    }
    return counts;
  }
}
