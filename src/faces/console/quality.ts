/** How a call sounded: its streams, their windows on one axis of time, and the sound itself. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AskStream, CallDocument } from '../../contract/index.ts';
import { AUDIBLE } from '../../core/audible.ts';
import { carriedCodecs } from '../../core/carried-codecs.ts';
import { REPORT_HEAD, reportRows } from '../../core/report-text.ts';
import { Audio } from './audio.ts';
import { MediaLanes } from './media-lanes.ts';
import type { MissingMedia } from './missing-media.ts';
import type { Measure } from './quality-chart.ts';
import { QualityChart } from './quality-chart.ts';
import type { Line } from './quality-data.ts';
import { DRAWN, linesOf, unscoredWhy, worstOf } from './quality-data.ts';
import { Table } from './table.ts';
import { clock, fixed, secondsOf, shown } from './words.ts';

const MEASURES: readonly Measure[] = [
  { title: 'MOS', unit: '', digits: 2, limit: AUDIBLE.mos, range: () => [1, 4.6], read: ({ mos }) => mos },
  {
    title: 'Loss',
    unit: '%',
    digits: 1,
    limit: AUDIBLE.lossPct,
    range: (max) => [0, Math.max(2, max * 1.15)],
    read: ({ lossPct }) => lossPct,
  },
  {
    title: 'Jitter',
    unit: 'ms',
    digits: 1,
    limit: AUDIBLE.jitterMs,
    range: (max) => [0, Math.max(AUDIBLE.jitterMs * 1.2, max * 1.15)],
    read: ({ jitterMs }) => jitterMs,
  },
];

const STREAM_HEAD = ['', 'From', 'To', 'Codec', '#Packets', '#MOS', '#Loss %', '#Jitter ms', '#DSCP', '~Not scored'];
const SPARE = ['DSCP', 'Packets', 'Codec'];
const WINDOW_HEAD = ['', 'From', '#Packets', '#MOS', '#Loss %', '#Jitter ms'];

/** Counts changes of the colours: what stands on a canvas is drawn anew then. */
export function useTheme(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const changed = (): void => setTurn((n) => n + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    addEventListener('themechange', changed);
    system.addEventListener('change', changed);
    return () => {
      removeEventListener('themechange', changed);
      system.removeEventListener('change', changed);
    };
  }, []);
  return turn;
}

type Props = {
  readonly call: CallDocument;
  readonly streams: readonly AskStream[];
  readonly missing: readonly MissingMedia[];
};

export function Quality({ call, streams, missing }: Props): ComponentChild {
  const [playedSec, setPlayed] = useState<number | null>(null);
  const themed = useTheme();
  const isOfMany = (call.hosts?.length ?? 0) > 1;
  const lines = useMemo(() => linesOf(streams), [streams]);
  const drawn = useMemo(() => lines.filter(({ windows }) => windows.length > 0).slice(0, DRAWN), [lines]);
  if (lines.length === 0)
    return h(
      'section',
      { 'aria-label': 'Quality' },
      h('p', { class: 'note' }, 'No RTP stream belongs to this call.'),
      h(Reports, { call }),
      missing[0] === undefined
        ? null
        : h(MediaLanes, { lines, missing, span: [secondsOf(missing[0].from), secondsOf(missing[0].to)] }),
    );
  // A hub has the streams of all hosts.
  let [firstSec, lastSec] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { stream } of lines) {
    firstSec = Math.min(firstSec, secondsOf(stream.first_seen));
    lastSec = Math.max(lastSec, secondsOf(stream.last_seen));
  }
  const worst = worstOf(drawn);
  return h(
    'section',
    { class: 'quality', 'aria-label': 'Quality' },
    h(Table, {
      name: 'Streams of the call',
      head: isOfMany ? ['', 'Host', ...STREAM_HEAD.slice(1)] : STREAM_HEAD,
      rows: lines.map((line) => streamRow(line, isOfMany)),
      spare: SPARE,
    }),
    h(Reports, { call }),
    h(MediaLanes, { lines: lines.slice(0, DRAWN), missing, span: [firstSec, Math.max(lastSec, firstSec + 1)] }),
    h(Audio, { callId: call.call_id, firstSec, lengthSec: lastSec - firstSec, worst, onPlayed: setPlayed }),
    drawn.length === 0
      ? h('p', { class: 'note' }, 'No stream has a window of quality: all are too short.')
      : h(
          'div',
          { class: 'charts' },
          MEASURES.map((measure) =>
            h(QualityChart, {
              key: measure.title,
              lines: drawn,
              measure,
              span: [firstSec, Math.max(lastSec, firstSec + 1)],
              playedSec,
              themed,
            }),
          ),
        ),
    h(
      'p',
      { class: 'dim' },
      'MOS is the estimate of ITU-T G.107 for the codec, with packet loss concealment and a jitter buffer of 60 ms. ',
      `Dashed red lines: listeners notice a MOS under ${AUDIBLE.mos}, loss from ${AUDIBLE.lossPct} %, jitter from ${AUDIBLE.jitterMs} ms. `,
      drawn.some((line) => unscoredWhy(line) !== '') ? 'Hatched windows have no score; the table says why. ' : '',
      worst === null ? '' : worstWords(worst.line, worst.window.fromSec, worst.window.mos),
    ),
    h(
      'details',
      null,
      h('summary', null, 'Windows as a table'),
      h(Table, { name: 'Windows of quality', head: WINDOW_HEAD, rows: drawn.flatMap(windowRows) }),
    ),
  );
}

/** What phones and agents say, beside what was measured. */
function Reports({ call }: { readonly call: CallDocument }): ComponentChild {
  const rows = reportRows(call.phone_reports ?? []);
  if (rows.length === 0) return null;
  return h(Table, {
    name: 'Reported by phones and agents',
    head: REPORT_HEAD,
    rows: rows.map((cells) => cells.map(shown)),
    spare: ['Discarded', 'Round trip', 'Form'],
  });
}

function worstWords({ letter }: Line, sec: number, mos: number | null): string {
  const at = clock(new Date(sec * 1000).toISOString(), 0);
  return `The worst window is that of ${letter} at ${at}${mos === null ? '' : `, MOS ${mos.toFixed(2)}`}.`;
}

function streamRow(line: Line, hasHost: boolean): ComponentChild[] {
  const { letter, stream } = line;
  const dscp = stream.dscp_last === undefined || stream.dscp_last === stream.dscp ? '' : ` \u2192 ${stream.dscp_last}`;
  return [
    h('b', null, letter),
    ...(hasHost ? [shown(stream.host ?? '')] : []),
    shown(stream.src),
    shown(stream.dst),
    shown(carriedCodecs(stream)),
    stream.packets,
    fixed(stream.mos, 2),
    stream.loss_pct.toFixed(1),
    stream.jitter_ms.toFixed(1),
    stream.dscp === undefined ? '' : `${stream.dscp}${dscp}`,
    unscoredWhy(line),
  ];
}

function windowRows({ letter, windows }: Line): ComponentChild[][] {
  return windows.map(({ fromSec, mos, lossPct, jitterMs, packets }) => [
    letter,
    clock(new Date(fromSec * 1000).toISOString(), 3),
    packets,
    fixed(mos ?? undefined, 2),
    lossPct.toFixed(1),
    jitterMs.toFixed(1),
  ]);
}
