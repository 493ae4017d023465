/**
 * Metrics of the trunks that the configuration names and that have a seat; all others, and everybody without a name, are `other`:
 * an address is no label, as anybody can send from a new one.
 */
import { TRUNK_TROUBLES } from '../../core/trunk-bounds.ts';
import { OTHER_TRUNK } from '../../core/trunks.ts';
import type { SeatedFigure, Shown } from '../../watch/trunks/seated-figures.ts';
import { FINAL_CLASSES } from '../../watch/trunks/seated-figures.ts';
import type { TrunkDirection, TrunkRow } from '../../watch/trunks/trunk-row.ts';
import { TRUNK_DIRECTIONS } from '../../watch/trunks/trunk-row.ts';
import type { TrunkStore } from '../../watch/trunks/trunk-store.ts';
import type { Figures } from '../figures.ts';
import type { MetricFamily } from './family.ts';
import { familyOf } from './family.ts';

const COUNTERS = {
  calltap_trunk_attempts_total: 'attempts',
  calltap_trunk_talks_total: 'talks',
  calltap_trunk_talk_seconds_total: 'talkSec',
  calltap_trunk_retransmissions_total: 'retransmits',
  calltap_trunk_rtp_expected_total: 'expected',
  calltap_trunk_rtp_lost_total: 'lost',
  calltap_trunk_options_total: 'optionsAsked',
  calltap_trunk_options_answered_total: 'optionsAnswered',
  calltap_trunk_registrations_failed_total: 'registrationsFailed',
} as const satisfies Readonly<Record<string, SeatedFigure>>;

/** A sum, and of how many. */
const SUMMARIES = {
  calltap_trunk_pdd_seconds: ['pddSec', 'pddCalls'],
  calltap_trunk_mos: ['mosSum', 'mosCalls'],
} as const satisfies Readonly<Record<string, readonly [SeatedFigure, SeatedFigure]>>;

const GAUGES = {
  calltap_trunk_talking: (row: TrunkRow) => row.talking,
  calltap_trunk_registered: (row: TrunkRow) => row.registered,
  calltap_trunk_registrations_failing: (row: TrunkRow) => row.failing,
} as const;

/** The value of the label `trunk`, the direction, and the rows that are shown under them. */
export type Line = { readonly labels: readonly [string, TrunkDirection]; readonly rows: readonly TrunkRow[] };

/** A line a seat, and one a direction of all others. */
export function linesOf({ rows, seats }: TrunkStore): Line[] {
  const others: Record<TrunkDirection, TrunkRow[]> = { in: [], out: [] };
  const lines: Line[] = [];
  for (const row of rows) {
    if (seats.has(row)) lines.push({ labels: [row.name, row.direction], rows: [row] });
    else others[row.direction].push(row);
  }
  for (const direction of TRUNK_DIRECTIONS) lines.push({ labels: [OTHER_TRUNK, direction], rows: others[direction] });
  return lines;
}

export function* trunkFamilies({ trunks, evidence }: Figures): Generator<MetricFamily> {
  if (trunks === null) return;
  const { store } = trunks;
  const lines = linesOf(store);
  const shown = lines.map(({ labels, rows: [row] }): readonly [Line['labels'], Shown] => {
    const [name, direction] = labels;
    const isOther = name === OTHER_TRUNK || row === undefined;
    return [labels, isOther ? store.seated.others(direction) : store.seated.of(row)];
  });
  for (const [name, figure] of entriesOf(COUNTERS))
    yield familyOf(
      name,
      shown.map(([labels, one]) => ({ labels, value: one.figure(figure) })),
    );
  for (const [name, [sum, count]] of entriesOf(SUMMARIES))
    yield familyOf(
      name,
      shown.map(([labels, one]) => {
        return { labels, value: { counts: [], sum: one.figure(sum), count: one.figure(count) } };
      }),
    );
  for (const [name, of] of entriesOf(GAUGES))
    yield familyOf(
      name,
      lines.map(({ labels, rows }) => ({ labels, value: rows.reduce((sum, row) => sum + of(row), 0) })),
    );
  yield* stateFamilies(lines, evidence.capture.nowUs);
  const finals = shown.flatMap(([labels, one]) =>
    FINAL_CLASSES.map((digit) => ({ labels: [...labels, `${digit}xx`] as const, value: one.finals(digit) })),
  );
  yield familyOf('calltap_trunk_finals_total', finals);
}

/** Of several rows the worst. An address without a name has no state here: a phone that left is not down. */
function* stateFamilies(lines: readonly Line[], nowUs: number): Generator<MetricFamily> {
  const named = lines
    .map(({ labels, rows }) => ({ labels, rows: rows.filter((row) => row.isConfigured) }))
    .filter(({ rows }) => rows.length > 0);
  const states = named.map(({ labels, rows }) => ({ labels, states: rows.map((row) => row.stateAt(nowUs).state) }));
  yield familyOf(
    'calltap_trunk_up',
    states
      .filter((line) => line.states.some((state) => state !== 'unknown'))
      .map(({ labels, states: all }) => ({ labels, value: all.includes('down') ? 0 : 1 })),
  );
  const troubles = named.flatMap(({ labels, rows }) => {
    const found = new Set(rows.flatMap((row) => row.troublesAt(nowUs).map(({ trouble }) => trouble)));
    return TRUNK_TROUBLES.map((trouble) => ({
      labels: [...labels, trouble] as const,
      value: found.has(trouble) ? 1 : 0,
    }));
  });
  yield familyOf('calltap_trunk_trouble', troubles);
}

/** The keys are those of the record; Object.entries() widens them. */
function entriesOf<Name extends string, T>(record: Readonly<Record<Name, T>>): [Name, T][] {
  return Object.entries(record) as [Name, T][];
}
