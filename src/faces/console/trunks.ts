/** Whether trunks are up, whether they answer and how they sound, for a span of time; one of them by minute. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { AskTrunk, AskTrunks, TrunkFigures } from '../../contract/index.ts';
import { trunkFilter } from '../../query/write.ts';
import { useFetched } from './asking.ts';
import { SpanBar, State, Waiting } from './parts.ts';
import { hashOf } from './route.ts';
import { Table } from './table.ts';
import { clock, counted, delay, fixed, moment, shown, span } from './words.ts';

const SPANS = [
  ['', 'All'],
  ['60', 'Last hour'],
  ['5', 'Last 5 minutes'],
] as const;
const EVERY_MS = 5_000;
/** Trunks whose trouble stands above the table. */
const TROUBLED_SHOWN = 10;
const FIGURES = [
  '#Answered',
  '#ASR',
  '#NER',
  '#ACD',
  '#PDD p95',
  '#MOS p05',
  '#Loss',
  '~Codes',
  '#OPTIONS',
  '#Round trip',
];
/** Of FIGURES, what has no room in a narrow window. */
const SPARE = ['Round trip', 'OPTIONS', 'ACD', 'Codes', 'Loss', 'PDD p95', 'NER'];
const SPARE_OF_ALL = [...SPARE.slice(0, 4), 'Since', 'Registered', 'Talking', ...SPARE.slice(4)];

type Props = { readonly trunk: string; readonly direction: string };

export function Trunks({ trunk, direction }: Props): ComponentChild {
  const [minutes, setMinutes] = useState<string>('');
  const query = new URLSearchParams({
    ...(minutes === '' ? {} : { minutes }),
    ...(trunk === '' ? {} : { trunk, series: 'true' }),
  });
  const found = useFetched<AskTrunks>(`ask/trunks?${query}`, EVERY_MS);
  return h(
    'main',
    null,
    h('h1', null, trunk === '' ? 'Trunks' : shown(`Trunk ${trunk} (${direction})`)),
    h(SpanBar, {
      spans: SPANS,
      chosen: minutes,
      onChoose: setMinutes,
      note: 'A call belongs to the minute of its INVITE; in files, times are counted from their end.',
    }),
    found.value === undefined
      ? h(Waiting, { fetched: found, what: 'Trunks' })
      : trunk === ''
        ? h(AllTrunks, { found: found.value })
        : h(OneTrunk, { of: found.value.trunks.find((t) => t.direction === direction) ?? null }),
  );
}

function AllTrunks({ found }: { readonly found: AskTrunks }): ComponentChild {
  const { trunks, is_counting: isCounting, rows_folded: folded } = found;
  if (trunks.length === 0)
    return h(
      'p',
      { class: 'note' },
      isCounting ? 'Nothing came from a trunk, or went to one.' : 'This run counts no trunks.',
    );
  return [
    h(
      'p',
      { role: 'status' },
      `${counted(trunks.length, 'trunk and direction', 'trunks and directions')}, `,
      `${trunks.filter(({ state }) => state === 'down').length} down, `,
      `${trunks.filter(({ state }) => state === 'refusing').length} refusing`,
      folded === 0 ? '' : `; ${counted(folded, 'address', 'addresses')} without calls are in the row "other"`,
    ),
    trunks
      .filter(({ troubles }) => troubles.length > 0)
      .slice(0, TROUBLED_SHOWN)
      .map((t) => h(Troubles, { of: t })),
    h(Table, {
      name: 'Trunks',
      spare: SPARE_OF_ALL,
      head: ['Trunk', 'Calls', 'State', 'Since', '#Talking', '#Registered', ...FIGURES],
      rows: trunks.map((t) => [
        h('a', { href: hashOf('trunks', t.trunk, { direction: t.direction }) }, shown(t.trunk)),
        t.direction === 'in' ? 'from it' : 'to it',
        h(State, { state: t.state }),
        t.since === undefined ? '' : moment(t.since),
        t.talking,
        registered(t),
        ...figures(t.figures),
      ]),
    }),
  ];
}

function OneTrunk({ of }: { readonly of: AskTrunk | null }): ComponentChild {
  if (of === null) return h('p', { class: 'note' }, 'Nothing came from this trunk, or went to it.');
  const { last_outage: last } = of;
  return [
    h(
      'p',
      { role: 'status' },
      h(State, { state: of.state }),
      of.since === undefined ? '' : ` since ${moment(of.since)}`,
      of.outages === 0 ? '' : `; ${counted(of.outages, 'outage')} before`,
      last === undefined ? '' : `, the last from ${moment(last.from)} to ${clock(last.to, 0)}`,
      '. ',
      h('a', { href: hashOf('calls', '', { q: trunkFilter(of.trunk) }) }, 'Show its calls'),
    ),
    h(Troubles, { of }),
    h(Table, {
      name: 'By minute',
      head: ['Minute', ...FIGURES],
      spare: SPARE,
      rows: [
        ['all', ...figures(of.figures)],
        ...(of.minutes ?? []).map((minute) => [
          h('a', { href: hashOf('calls', '', { q: trunkFilter(of.trunk, minute.at) }) }, moment(minute.at)),
          ...figures(minute),
        ]),
      ],
    }),
  ];
}

/** What is wrong with a trunk, a line each: red where calls are lost. */
function Troubles({ of: { trunk, direction, troubles } }: { readonly of: AskTrunk }): ComponentChild {
  return troubles.map(({ trouble, text, since }) =>
    h(
      'p',
      { key: trouble, class: `note ${trouble === 'down' || trouble === 'refusing' ? 'bad' : 'warn'}` },
      '\u26a0 ',
      h('a', { href: hashOf('trunks', trunk, { direction }) }, shown(`trunk ${trunk} (${direction})`)),
      shown(` ${text}`),
      since === undefined ? '' : `, since ${moment(since)}`,
    ),
  );
}

function registered({ registered: held, registrations_failing: failing = 0 }: AskTrunk): ComponentChild {
  if (held === undefined) return '';
  return failing === 0 ? held : h('b', { class: 'bad' }, `${held}, \u26a0 ${failing} fail`);
}

const percent = (value: number | undefined): string => (value === undefined ? '' : `${value.toFixed(1)} %`);

/** Cells for FIGURES: counts stand beside ratios. */
function figures(f: TrunkFigures): ComponentChild[] {
  return [
    `${f.answered} of ${f.attempts}`,
    percent(f.asr_pct),
    percent(f.ner_pct),
    f.acd_sec === undefined ? '' : span(f.acd_sec),
    delay(f.pdd_ms?.p95),
    fixed(f.mos?.p05, 2),
    percent(f.loss_pct),
    f.codes.map(({ code, calls }, i) => [i === 0 ? '' : ', ', h('span', { class: 'one' }, `${code} \u00d7${calls}`)]),
    f.options_asked === 0 ? '' : `${f.options_answered} of ${f.options_asked}`,
    delay(f.options_round_trip_ms),
  ];
}
