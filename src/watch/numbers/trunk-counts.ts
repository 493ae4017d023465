/** What is counted of attempts by trunk: RFC 6076, and how much a trunk carries. */
import { hashBytes, mixHashes } from '../../core/hash.ts';
import * as METHOD from '../../core/methods.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Seats } from '../trunks/seats.ts';
import type { TrunkRow } from '../trunks/trunk-row.ts';
import type { AttemptColumns } from './attempt-columns.ts';
import { WORD } from './attempt-columns.ts';
import type { AttemptCounter, AttemptOutcome, HopInHand, Message, RegistrationOutcome } from './attempts.ts';
import { ATTEMPT_OUTCOMES, REGISTRATION_OUTCOMES } from './attempts.ts';
import type { NumberHistogram } from './bounds.ts';
import { NUMBER_BOUNDS } from './bounds.ts';
import { RecentAttempts } from './recent-attempts.ts';
import { labelsOf, RowTable, TrunkHistogram } from './row-table.ts';

/** Histograms by trunk, of these names. */
export class TrunkHistograms<Name extends NumberHistogram> {
  readonly names: readonly Name[];
  readonly #seats: Seats;
  readonly #byName: ReadonlyMap<Name, TrunkHistogram>;

  constructor(seats: Seats, names: readonly Name[], hasExemplars: boolean) {
    this.names = names;
    this.#seats = seats;
    this.#byName = new Map(names.map((name) => [name, new TrunkHistogram(NUMBER_BOUNDS[name], hasExemplars)]));
  }

  observe(name: Name, rows: readonly TrunkRow[], value: number, d: Dialog): void {
    this.observeUnder(name, labelsOf(this.#seats, rows), value, d);
  }

  observeUnder(name: Name, labels: readonly string[], value: number, d: Dialog): void {
    this.#byName.get(name)?.observe(labels, value, d);
  }

  of(name: Name): TrunkHistogram | undefined {
    return this.#byName.get(name);
  }
}

const DELAYS = [
  'calltap_registration_delay_seconds',
  'calltap_srd_seconds',
  'calltap_srd_failed_seconds',
  'calltap_sdd_seconds',
  'calltap_sdt_seconds',
  'calltap_pdd_seconds',
  'calltap_ring_seconds',
  'calltap_first_response_seconds',
  'calltap_options_seconds',
] as const;

/** The metrics of RFC 6076, and what is like them. */
export class Rfc6076 implements AttemptCounter {
  readonly outcomes: RowTable<AttemptOutcome>;
  readonly registrations: RowTable<RegistrationOutcome>;
  readonly ends: RowTable<'completed' | 'byesFailed'>;
  readonly delays: TrunkHistograms<(typeof DELAYS)[number]>;

  constructor(seats: Seats, hasExemplars: boolean) {
    this.outcomes = new RowTable(seats, ATTEMPT_OUTCOMES);
    this.registrations = new RowTable(seats, REGISTRATION_OUTCOMES);
    this.ends = new RowTable(seats, ['completed', 'byesFailed']);
    this.delays = new TrunkHistograms(seats, DELAYS, hasExemplars);
  }

  onFirstResponse({ rows }: HopInHand, sec: number, d: Dialog): void {
    this.delays.observe('calltap_first_response_seconds', rows, sec, d);
  }

  onRinging({ rows }: HopInHand, sec: number, d: Dialog): void {
    this.delays.observe('calltap_pdd_seconds', rows, sec, d);
  }

  onProgress({ rows }: HopInHand, sec: number, isFailure: boolean, d: Dialog): void {
    this.delays.observe(isFailure ? 'calltap_srd_failed_seconds' : 'calltap_srd_seconds', rows, sec, d);
  }

  onPickedUp({ rows }: HopInHand, sec: number, d: Dialog): void {
    this.delays.observe('calltap_ring_seconds', rows, sec, d);
  }

  onSettled({ rows }: HopInHand, outcome: AttemptOutcome): void {
    for (const row of rows) this.outcomes.add(row, outcome);
  }

  onRegistered({ rows }: HopInHand, sec: number, d: Dialog): void {
    this.delays.observe('calltap_registration_delay_seconds', rows, sec, d);
  }

  onRegistrationSettled({ rows }: HopInHand, outcome: RegistrationOutcome): void {
    for (const row of rows) this.registrations.add(row, outcome);
  }

  onHangUp({ rows }: HopInHand, talkSec: number, d: Dialog): void {
    this.delays.observe('calltap_sdt_seconds', rows, talkSec, d);
  }

  onCompleted({ rows }: HopInHand, sec: number, d: Dialog): void {
    for (const row of rows) this.ends.add(row, 'completed');
    this.delays.observe('calltap_sdd_seconds', rows, sec, d);
  }

  onByeFailed({ rows }: HopInHand): void {
    for (const row of rows) this.ends.add(row, 'byesFailed');
  }

  onPing(rows: readonly TrunkRow[], sec: number, d: Dialog): void {
    this.delays.observe('calltap_options_seconds', rows, sec, d);
  }
}

/** Calls shorter than these are counted. */
export const SHORT_CALL_SECONDS = [5, 20, 60] as const;
type Under = `under${(typeof SHORT_CALL_SECONDS)[number]}`;

export class CallCounts implements AttemptCounter {
  readonly counts: RowTable<Under | 'withoutMedia' | 'oneWay' | 'repeated'>;
  /** Calls that a trunk may have at once, by its name. */
  readonly limits: ReadonlyMap<string, number>;
  readonly #columns: () => AttemptColumns;
  readonly #recent = new RecentAttempts();

  constructor(seats: Seats, limits: ReadonlyMap<string, number>, columns: () => AttemptColumns) {
    const under = SHORT_CALL_SECONDS.map((sec): Under => `under${sec}`);
    this.counts = new RowTable(seats, [...under, 'withoutMedia', 'oneWay', 'repeated']);
    this.limits = limits;
    this.#columns = columns;
  }

  onOpened({ hop, rows }: HopInHand, { c, d, scan }: Message): void {
    if (scan.method !== METHOD.INVITE) return;
    const columns = this.#columns();
    const pair = mixHashes(textHash(d.from), textHash(d.to));
    const serial = d.serial | 0;
    columns.set(hop, WORD.pair, pair);
    columns.set(hop, WORD.serial, serial);
    for (const row of rows) if (this.#recent.isRepeated(row, pair, serial, c.tsUs)) this.counts.add(row, 'repeated');
  }

  onSettled({ hop, rows }: HopInHand, outcome: AttemptOutcome, _code: number, atUs: number): void {
    if (outcome === 'answered') return;
    const columns = this.#columns();
    for (const row of rows) this.#recent.note(row, columns.get(hop, WORD.pair), columns.get(hop, WORD.serial), atUs);
  }

  onHangUp({ rows }: HopInHand, talkSec: number): void {
    for (const sec of SHORT_CALL_SECONDS)
      if (talkSec < sec) for (const row of rows) this.counts.add(row, `under${sec}`);
  }
}

function textHash(text: string): number {
  const bytes = Buffer.from(text);
  return hashBytes(bytes, 0, bytes.length);
}
