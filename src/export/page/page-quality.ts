/** How the call sounded: its streams as a table and as lanes, and MOS, loss and jitter over time with the limits drawn. */
import { AUDIBLE } from '../../core/audible.ts';
import { carriedCodecs } from '../../core/carried-codecs.ts';
import { REPORT_HEAD, reportRows } from '../../core/report-text.ts';
import type { Steps } from '../../core/turns.ts';
import { legName } from '../../view/ladder-text.ts';
import type { Markup } from './markup.ts';
import { html } from './markup.ts';
import type { PageInput } from './page-input.ts';
import { lanes, timeAxis } from './page-media.ts';
import type { Point, StreamLine, StreamLines } from './page-streams.ts';
import { linesOf } from './page-streams.ts';
import { paragraphs, section, table } from './parts.ts';

type Measure = {
  readonly title: string;
  readonly unit: string;
  readonly limit: number;
  readonly limitWords: string;
  readonly range: (most: number) => readonly [low: number, high: number];
  readonly read: (point: Point) => number | null;
};

const MEASURES: readonly Measure[] = [
  {
    title: 'MOS',
    unit: '',
    limit: AUDIBLE.mos,
    limitWords: 'poor below',
    range: () => [1, 4.6],
    read: ({ mos }) => mos,
  },
  {
    title: 'Loss',
    unit: ' %',
    limit: AUDIBLE.lossPct,
    limitWords: 'heard from',
    range: (most) => [0, Math.max(2, Math.min(100, most * 1.15))],
    read: ({ lossPct }) => lossPct,
  },
  {
    title: 'Jitter',
    unit: ' ms',
    limit: AUDIBLE.jitterMs,
    limitWords: 'heard from',
    range: (most) => [0, Math.max(40, most * 1.15)],
    read: ({ jitterMs }) => jitterMs,
  },
];

const HEAD = ['', 'From', 'To', 'Codec', 'Packets', 'MOS', 'Loss', 'Jitter', 'DSCP'];
/** The plane of a picture: shares of its width are of 1000. */
const PLANE = { width: 1000, height: 110 } as const;

/** A step a picture. */
export function* qualitySection({ document, ladder, streams, isUtc }: PageInput): Steps<Markup> {
  const lines = linesOf(streams);
  yield;
  const reported = reportRows(document.phone_reports ?? []);
  const reports = reported.length === 0 ? html`` : table('Reported by phones and agents', REPORT_HEAD, reported);
  if (lines.all.length === 0)
    return section('quality', 'Media', html`<p>No RTP stream belongs to this call.</p>`, reports);
  const hasHost = lines.all.some(({ stream }) => stream.host !== undefined);
  const rows = lines.all.map((line, i) => streamRow(line, i < lines.drawn.length, hasHost, legOf));
  function legOf(leg: number): string {
    return ladder.call_ids.length > 1 ? ` ${legName(ladder, ladder.call_ids[leg] ?? '')}` : '';
  }
  const measured = lines.drawn.filter(({ points }) => points.length > 0);
  const pictures: Markup[] = [];
  for (const measure of measured.length === 0 ? [] : MEASURES) {
    pictures.push(picture(measure, lines, isUtc));
    yield;
  }
  const hasUnscored = measured.some(({ points }) => points.some(({ mos }) => mos === null));
  const merged = Math.max(...lines.drawn.map((line) => line.merged));
  return section(
    'quality',
    'Media',
    table('Streams', hasHost ? [...HEAD.slice(0, 1), 'Host', ...HEAD.slice(1)] : HEAD, rows),
    paragraphs([
      ...(lines.drawn.length < lines.all.length
        ? [`The pictures show ${lines.drawn.length} of ${lines.all.length} streams.`]
        : []),
      ...lines.drawn.flatMap(({ letter, stream }) =>
        stream.not_known === undefined ? [] : [`Loss of stream ${letter} is ${stream.not_known}.`],
      ),
    ]),
    reports,
    lanes(document, lines, isUtc),
    html`${pictures}`,
    measured.length === 0
      ? html`<p class="dim">No stream has a window of quality: all are too short.</p>`
      : html`<p class="dim">MOS is the estimate of ITU-T G.107 for the codec, with packet loss concealment and a jitter buffer of 60 ms.${hasUnscored ? ' Hatched times have no score.' : ''}${merged > 1 ? ` A point stands for up to ${merged} windows and shows the worst of them.` : ''}</p>`,
  );
}

function streamRow(
  { letter, leg, stream }: StreamLine,
  isDrawn: boolean,
  hasHost: boolean,
  legOf: (leg: number) => string,
): (string | Markup)[] {
  const dscp = stream.dscp === undefined ? '' : String(stream.dscp);
  const later = stream.dscp_last === undefined || stream.dscp_last === stream.dscp ? '' : ` \u2192 ${stream.dscp_last}`;
  const index = isDrawn ? (letter.charCodeAt(0) - 97) % 4 : 0;
  const name = isDrawn ? html`<b class="letter q${index}">${letter}</b>` : html`<b>${letter}</b>`;
  return [
    html`${name}${legOf(leg)}`,
    ...(hasHost ? [stream.host ?? ''] : []),
    stream.src,
    stream.dst,
    carriedCodecs(stream),
    String(stream.packets),
    stream.mos === undefined ? '\u2013' : stream.mos.toFixed(2),
    stream.not_known !== undefined ? 'not known' : `${stream.loss_pct.toFixed(2)} %`,
    `${stream.jitter_ms.toFixed(1)} ms`,
    `${dscp}${later}`,
  ];
}

/** One measure of all drawn streams over time. */
function picture(measure: Measure, lines: StreamLines, isUtc: boolean): Markup {
  const { title, unit, limit, limitWords, read } = measure;
  let most = 0;
  for (const { points } of lines.drawn) for (const point of points) most = Math.max(most, read(point) ?? 0);
  const [low, high] = measure.range(most);
  const yOf = (value: number): number => PLANE.height * (1 - (clamp(value, low, high) - low) / (high - low));
  const ticks = [low, (low + high) / 2, high];
  const label = `${title} over time: ${lines.drawn.map((line) => spanOf(line, measure)).join('; ')}`;
  const digits = high < 5 ? 1 : 0;
  return html`<figure><figcaption>${title}${unit === '' ? '' : ` in${unit}`} <span class="dim">\u2013 ${limitWords} ${limit}${unit}</span></figcaption>
<div class="picture"><svg class="ticks" width="38" height="${PLANE.height + 16}" aria-hidden="true">${ticks.map((value) => html`<text x="34" y="${round(yOf(value) + 12)}" text-anchor="end">${value.toFixed(digits)}</text>`)}</svg>
<svg class="fluid plot" height="${PLANE.height + 16}" role="img" aria-label="${label}"><svg y="8" width="100%" height="${PLANE.height}" viewBox="0 0 ${PLANE.width} ${PLANE.height}" preserveAspectRatio="none">
${ticks.map((value) => html`<path class="grid" d="M0 ${round(yOf(value))}H${PLANE.width}"/>`)}
${title === 'MOS' ? lines.drawn.map((line) => unscored(line, lines)) : []}
${lines.drawn.map((line, i) => html`<path class="line q${i % 4}" d="${path(line, lines, read, yOf)}"/>`)}
<path class="limit" d="M0 ${round(yOf(limit))}H${PLANE.width}"/></svg></svg></div>
${timeAxis(lines, isUtc)}</figure>`;
}

/** Steps from point to point; a gap where nothing was measured. */
function path(line: StreamLine, lines: StreamLines, read: Measure['read'], yOf: (value: number) => number): string {
  let d = '';
  let endSec = Number.NEGATIVE_INFINITY;
  for (const point of line.points) {
    const value = read(point);
    if (value === null) {
      endSec = Number.NEGATIVE_INFINITY;
      continue;
    }
    const [x, y] = [xOf(point.fromSec, lines), round(yOf(value))];
    d += point.fromSec > endSec + 0.05 ? `M${x} ${y}` : `V${y}`;
    d += `H${xOf(point.toSec, lines)}`;
    endSec = point.toSec;
  }
  return d;
}

function unscored({ points }: StreamLine, lines: StreamLines): Markup {
  const without = points.filter(({ mos }) => mos === null);
  return html`${without.map(({ fromSec, toSec }) => {
    const [x, end] = [xOf(fromSec, lines), xOf(toSec, lines)];
    return html`<rect class="unscored" x="${x}" width="${round(Math.max(0, end - x))}" y="0" height="${PLANE.height}"/>`;
  })}`;
}

/** What a line shows, for who does not see it. */
function spanOf({ letter, points }: StreamLine, { read, unit }: Measure): string {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const point of points) {
    const value = read(point);
    if (value === null) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return least > most
    ? `stream ${letter} without figures`
    : `stream ${letter} ${least.toFixed(2)} to ${most.toFixed(2)}${unit}`;
}

function xOf(sec: number, { fromSec, toSec }: StreamLines): number {
  return round(PLANE.width * clamp((sec - fromSec) / (toSec - fromSec), 0, 1));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
