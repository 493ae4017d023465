/** The ladder of the page as SVG: who sent what to whom over all legs, the media, and a direction that never came. */
import type { AskLadder, AskStream, LadderMedia, LadderStep } from '../../contract/index.ts';
import { carriedCodecs } from '../../core/carried-codecs.ts';
import { whatIsNotShown } from '../../core/not-shown.ts';
import type { Steps } from '../../core/turns.ts';
import { clockAt } from '../../view/clock.ts';
import { labelOf, legName } from '../../view/ladder-text.ts';
import type { Geometry, LadderRow, MissingWay } from './ladder-geometry.ts';
import { geometryOf } from './ladder-geometry.ts';
import type { Markup } from './markup.ts';
import { cut, html, NOTHING } from './markup.ts';
import type { PageInput } from './page-input.ts';
import { paragraphs, percent, section } from './parts.ts';

const ROW_PX = 34;
const HEAD_PX = 30;
const TIME_PX = 88;
/** Colours of legs; further legs take them again. */
const LEG_COLOURS = 6;
/** Where the arrow of a message to itself ends, as a share of the width. */
const LOOP_SHARE = 0.09;

/** What a message of the page is called in its address: by the place of its call, and its number there. */
export function anchorOf({ call_ids }: AskLadder, { call_id, index }: Pick<LadderStep, 'call_id' | 'index'>): string {
  return `m${call_ids.indexOf(call_id)}-${index}`;
}

/** A step a row. `shown`: anchors of messages whose text is on the page. */
export function* ladderSection(
  { ladder, document, streams, isUtc }: PageInput,
  shown: ReadonlySet<string>,
): Steps<Markup> {
  const all = streams.flat();
  const geometry = geometryOf(ladder, document, streams[0] ?? []);
  const { rows, leastPx, beyond } = geometry;
  const height = HEAD_PX + rows.length * ROW_PX + 12;
  const drawn: Markup[] = [];
  const times: Markup[] = [];
  for (const [i, row] of rows.entries()) {
    const y = HEAD_PX + (i + 0.5) * ROW_PX + 6;
    drawn.push(rowMarkup(row, y, { ladder, geometry, streams: all, shown }));
    if (row.kind === 'step') times.push(html`<text x="0" y="${y + 4}">${clockAt(row.step.at, isUtc).time}</text>`);
    yield;
  }
  const several = ladder.call_ids.length > 1;
  const leftOut = [
    ...whatIsNotShown(ladder),
    ...(beyond.steps > 0 ? [`The ladder leaves out the last ${beyond.steps} messages.`] : []),
    ...(beyond.media > 0 ? [`The ladder leaves out ${beyond.media} streams.`] : []),
    ...(ladder.not_kept > 0 ? [`${ladder.not_kept} messages of the call were not kept.`] : []),
  ];
  return section(
    'ladder',
    'Ladder',
    paragraphs(leftOut, 'warn'),
    several ? legend(ladder) : NOTHING,
    html`<div class="scroll drawing" tabindex="0" role="region" aria-label="Messages and media in their order">
<svg class="times" width="${TIME_PX}" height="${height}" aria-hidden="true">${times}</svg>
<svg class="rows${several ? ' legs' : ''}" width="${leastPx}" height="${height}" role="group" aria-label="Ladder">
${lifelines(ladder, geometry, height)}
${drawn}
</svg>
</div>`,
  );
}

/** The letter and the colour of each call. */
function legend(ladder: AskLadder): Markup {
  const probable = new Map((ladder.probable_legs ?? []).map((leg) => [leg.call_id, leg]));
  const rows = ladder.call_ids.map((callId, i) => {
    const guess = probable.get(callId);
    const why = i === 0 ? 'this call' : guess === undefined ? 'another leg' : guessText(guess);
    return html`<li><b class="leg leg${i % LEG_COLOURS}">${legName(ladder, callId)}</b> <code>${cut(callId, 200)}</code> <span class="dim">${why}</span></li>`;
  });
  return html`<ul class="legend">${rows}</ul>`;
}

function guessText({ score, reason }: { readonly score: number; readonly reason: string }): string {
  return `probably another leg (${score} of 100): ${cut(reason, 300)}`;
}

function lifelines({ lifelines: lines }: AskLadder, { places, room }: Geometry, height: number): Markup {
  const { narrow, wide } = room(0, 1);
  return html`${lines.map(({ label, address }, i) => {
    const x = places[i] ?? 0;
    const isEdge = lines.length === 2;
    const anchor = !isEdge ? 'middle' : i === 0 ? 'start' : 'end';
    const at = percent(!isEdge ? x : i === 0 ? 0 : 1);
    const most = isEdge ? Math.floor(narrow * 0.6) : narrow;
    return html`<g class="lifeline"><title>${`${cut(label, 120)} ${cut(address, 60)}`.trim()}</title>
${fitting(label, most, isEdge ? wide * 0.6 : wide, html`x="${at}" y="15" text-anchor="${anchor}"`)}
<line x1="${percent(x)}" x2="${percent(x)}" y1="22" y2="${height}"/></g>`;
  })}`;
}

/** A text as it fits on a narrow page, and on a wide one where that is another. */
function fitting(text: string, narrow: number, wide: number, place: Markup): Markup {
  const [short, long] = [cut(text, narrow), cut(text, Math.floor(wide))];
  if (short === long) return html`<text ${place}>${short}</text>`;
  return html`<text class="narrow" ${place}>${short}</text><text class="wide" ${place}>${long}</text>`;
}

type Drawing = {
  readonly ladder: AskLadder;
  readonly geometry: Geometry;
  readonly streams: readonly AskStream[];
  readonly shown: ReadonlySet<string>;
};

function rowMarkup(row: LadderRow, y: number, drawing: Drawing): Markup {
  if (row.kind === 'step') return stepMarkup(row.step, y, drawing);
  if (row.kind === 'media') return mediaMarkup(row.media, y, drawing);
  return missingMarkup(row.way, y, drawing.geometry);
}

function stepMarkup(step: LadderStep, y: number, { ladder, geometry, shown }: Drawing): Markup {
  const leg = ladder.call_ids.indexOf(step.call_id);
  const letter = ladder.call_ids.length > 1 ? `${legName(ladder, step.call_id)} ` : '';
  const again = step.notes.length > 0 ? ` (${step.notes[0]})` : '';
  const label = `${letter}${step.index} ${labelOf(step)}${again}`;
  const isLoop = step.from === step.to;
  const from = geometry.places[step.from] ?? 0;
  const to = isLoop ? from + LOOP_SHARE : (geometry.places[step.to] ?? 0);
  const { narrow, wide } = geometry.room(step.from, step.to);
  const place = isLoop
    ? html`x="${percent(to)}" dx="4" y="${y}" text-anchor="start"`
    : html`x="${percent((from + to) / 2)}" y="${y - 3}" text-anchor="middle"`;
  const text = fitting(label, narrow, wide, place);
  const anchor = anchorOf(ladder, step);
  const title = `${cut(step.summary, 300)}, ${cut(step.src, 60)} to ${cut(step.dst, 60)}${step.notes.length > 0 ? `, ${step.notes.join(', ')}` : ''}`;
  return html`<g class="step ${toneOf(step)} leg${leg % LEG_COLOURS}"><title>${title}</title>
${shown.has(anchor) ? html`<a href="#${anchor}">${text}</a>` : text}
${arrow(from, to, y + 3)}</g>`;
}

/** What kind of message it is, for its colour; its words say the same. */
function toneOf({ summary, notes }: LadderStep): string {
  if (notes.some((note) => note === 'again' || note === 'duplicate' || note === 'copy')) return 'again';
  const code = /^(\d)\d\d /.exec(summary)?.[1];
  if (code === undefined) return 'request';
  return code < '3' ? 'good' : code === '3' ? 'warn' : 'bad';
}

function mediaMarkup(media: LadderMedia, y: number, { geometry, streams }: Drawing): Markup {
  const [from, to] = [geometry.places[media.from] ?? 0, geometry.places[media.to] ?? 0];
  const stream = streams.find(({ ssrc, src, dst }) => ssrc === media.ssrc && src === media.src && dst === media.dst);
  const codec = stream === undefined ? (media.codec ?? 'RTP') : carriedCodecs(stream);
  const loss = media.not_known === undefined ? `loss ${media.loss_pct.toFixed(1)} %` : 'loss not known';
  const words = [
    `\u266a ${media.type === undefined ? '' : `${media.type} `}${codec}`,
    loss,
    ...(media.mos === undefined ? [] : [`MOS ${media.mos.toFixed(2)}`]),
    ...(media.one_way === true ? ['one way'] : []),
  ].join(', ');
  const { narrow, wide } = geometry.room(media.from, media.to);
  const place = html`x="${percent((from + to) / 2)}" y="${y - 4}" text-anchor="middle"`;
  return html`<g class="flow"><title>${`${media.src} to ${media.dst}: ${cut(words, 200)}, ${media.packets} packets, SSRC ${media.ssrc}`}</title>
${fitting(words, narrow, wide, place)}
${arrow(from, to === from ? from + LOOP_SHARE : to, y + 3)}</g>`;
}

function missingMarkup({ from, to }: MissingWay, y: number, { places }: Geometry): Markup {
  const [a, b] = [places[from] ?? 0, places[to] ?? 0];
  return html`<g class="missing"><title>No RTP came this way</title>
<text x="${percent((a + b) / 2)}" y="${y - 3}" text-anchor="middle">no RTP</text>
${arrow(a, b, y + 3)}</g>`;
}

function arrow(from: number, to: number, y: number): Markup {
  const side = to > from ? 1 : -1;
  return html`<line x1="${percent(from)}" x2="${percent(to)}" y1="${y}" y2="${y}"/><svg class="tip" x="${percent(to)}" y="${y}"><path d="M0 0l${-side * 9} -4.5v9z"/></svg>`;
}
