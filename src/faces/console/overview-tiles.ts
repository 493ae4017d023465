/** The figures of the whole span as a row of tiles, each with what changed since the span before and since a day before. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AskOverview, OverviewSpan } from '../../contract/index.ts';
import type { OverviewTile } from '../../core/overview-words.ts';
import { OVERVIEW_TILES } from '../../core/overview-words.ts';
import type { Scale, Worse } from './overview-change.ts';
import { changeOf } from './overview-change.ts';
import { callsOf, listOf } from './overview-filters.ts';
import type { Unit } from './overview-series.ts';
import { LOSS_LIMIT_PCT, MOS_LIMIT } from './overview-series.ts';
import { secondsBetween, shortLength } from './overview-span.ts';
import { spanWords, written } from './overview-words.ts';

type Read = (span: OverviewSpan) => number | undefined;

type Tile = {
  readonly help: string;
  readonly read: Read;
  readonly unit: Unit;
  readonly scale: Scale;
  readonly worse: Worse;
  /** Chooses its calls; undefined where a list would not show them. */
  readonly filter?: string;
  readonly sort?: string;
  readonly isBad?: (value: number) => boolean;
};

const lastOf: Read = ({ cells }) => cells.at(-1)?.talking;

const TILES: Readonly<Record<OverviewTile, Tile>> = {
  Attempts: {
    help: 'calls that began',
    read: ({ figures }) => figures.attempts,
    unit: 'calls',
    scale: 'share',
    worse: 'neither',
    filter: '',
  },
  Answered: {
    help: 'with a 2xx',
    read: ({ figures }) => figures.answered,
    unit: 'calls',
    scale: 'share',
    worse: 'neither',
    filter: 'code:2xx',
  },
  Failed: {
    help: 'in the state Failed',
    read: ({ figures }) => figures.failed,
    unit: 'calls',
    scale: 'share',
    worse: 'up',
    filter: 'state:Failed',
  },
  ASR: {
    help: 'answered of all attempts',
    read: ({ figures }) => figures.asr_pct,
    unit: 'percent',
    scale: 'points',
    worse: 'down',
  },
  NER: {
    help: 'ended by people, not by the network',
    read: ({ figures }) => figures.ner_pct,
    unit: 'percent',
    scale: 'points',
    worse: 'down',
  },
  'PDD median': {
    help: 'half of the calls rang by then',
    read: ({ figures }) => figures.pdd_ms?.p50,
    unit: 'delay',
    scale: 'share',
    worse: 'up',
  },
  'PDD p95': {
    help: '95 % of the calls rang by then',
    read: ({ figures }) => figures.pdd_ms?.p95,
    unit: 'delay',
    scale: 'share',
    worse: 'up',
    filter: '',
    sort: '-pdd',
  },
  'MOS p05': {
    help: '95 % of the ended calls were better',
    read: ({ figures }) => figures.mos?.p05,
    unit: 'mos',
    scale: 'plain',
    worse: 'down',
    filter: '',
    sort: 'mos',
    isBad: (value) => value < MOS_LIMIT,
  },
  Loss: {
    help: 'RTP packets of ended calls that never came',
    read: ({ figures }) => figures.loss_pct,
    unit: 'loss',
    scale: 'plain',
    worse: 'up',
    filter: '',
    sort: '-loss',
    isBad: (value) => value > LOSS_LIMIT_PCT,
  },
  Talking: {
    help: 'calls that talked at the end of the span',
    read: lastOf,
    unit: 'calls',
    scale: 'share',
    worse: 'neither',
  },
};

type Props = { readonly answer: AskOverview; readonly span: OverviewSpan };

export function Tiles({ answer, span }: Props): ComponentChild {
  return h(
    'dl',
    { class: 'tiles' },
    OVERVIEW_TILES.map((name) => h(One, { key: name, name, answer, span })),
  );
}

function One({ name, answer, span }: Props & { readonly name: OverviewTile }): ComponentChild {
  const tile = TILES[name];
  const value = tile.read(span);
  const isBad = value !== undefined && tile.isBad?.(value) === true;
  const text = value === undefined ? 'none' : `${isBad ? '\u26a0 ' : ''}${written(tile.unit, value)}`;
  const isLink = tile.filter !== undefined && value !== undefined;
  return h(
    'div',
    { class: `tile ${value === undefined ? 'empty' : isBad ? 'bad' : ''}`, title: tile.help },
    h('dt', null, name),
    h('dd', { class: 'value' }, isLink ? h('a', { href: listOf(callsOf(span, tile.filter), tile.sort) }, text) : text),
    beforesOf(answer, span).map(([ago, then]) => h(Before, { key: ago, name, ago, now: value, then })),
  );
}

/** The spans to compare with, by name; one of a day ago is named once. */
export function beforesOf(answer: AskOverview, span: OverviewSpan): [name: string, then: OverviewSpan][] {
  const { span_before: before, day_before: dayBefore } = answer;
  const found: [string, OverviewSpan][] = [];
  if (before !== undefined && before.from !== dayBefore?.from)
    found.push([`${shortLength(secondsBetween(span.from, span.to))} ago`, before]);
  if (dayBefore !== undefined) found.push(['1d ago', dayBefore]);
  return found;
}

type BeforeProps = {
  readonly name: OverviewTile;
  /** `1d ago`. */
  readonly ago: string;
  readonly now: number | undefined;
  readonly then: OverviewSpan;
};

function Before({ name, ago, now, then }: BeforeProps): ComponentChild {
  const tile = TILES[name];
  const value = tile.read(then);
  const change = changeOf(now, value, tile.scale, tile.worse);
  if (change === null || value === undefined) return h('dd', { class: 'change' }, '\u2013 ', h('small', null, ago));
  const was = `${name} ${spanWords(then.from, then.to)}: ${written(tile.unit, value)}`;
  return h(
    'dd',
    { class: `change ${change.isWorse ? 'bad' : ''}`, title: was },
    h('span', { 'aria-hidden': 'true' }, `${change.sign} `),
    h('span', { class: 'hidden' }, signWords(change.sign)),
    `${change.text} `,
    h('small', null, ago),
  );
}

function signWords(sign: string): string {
  return sign === '=' ? 'the same ' : sign === '\u25b2' ? 'up ' : 'down ';
}
