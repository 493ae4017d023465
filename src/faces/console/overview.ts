/** The first screen: how the host is doing now, against before, and the way from each mark to the calls behind it. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useMemo } from 'preact/hooks';
import type { AskOverview, OverviewSpan } from '../../contract/index.ts';
import { useOverview } from './overview-asking.ts';
import type { Between } from './overview-filters.ts';
import { callsOf, listOf } from './overview-filters.ts';
import { WhoCallsWhom } from './overview-pairs.ts';
import { OverviewPicture } from './overview-picture.ts';
import type { Axis } from './overview-plot.ts';
import { picturesOf } from './overview-series.ts';
import type { Asked } from './overview-span.ts';
import { addressOf, askedOf, isPulled, lengthWords, pathOf, SPANS } from './overview-span.ts';
import { beforesOf, Tiles } from './overview-tiles.ts';
import { CaptureLamp, NewestTroubles } from './overview-troubles.ts';
import { WorstTrunks } from './overview-trunks.ts';
import { spanWords } from './overview-words.ts';
import { Waiting } from './parts.ts';
import { useTheme } from './quality.ts';
import { go } from './window.ts';
import { moment, shown } from './words.ts';

export function Overview({ query }: { readonly query: URLSearchParams }): ComponentChild {
  const asked = askedOf(query);
  const found = useOverview(pathOf(asked));
  const { value } = found;
  const show = (next: Partial<Asked>): void => go('overview', '', addressOf({ ...asked, ...next }));
  return h(
    'main',
    { class: 'overview', 'aria-busy': found.isOld },
    h('h1', { class: 'hidden' }, 'Overview'),
    h(
      'div',
      { class: 'bar' },
      h(Spans, { asked, onShow: show }),
      h(
        'span',
        { role: 'status', 'aria-live': 'off', class: 'dim' },
        value?.span === undefined ? '' : `${spanWords(value.span.from, value.span.to, new Date().toISOString())} `,
      ),
      value === undefined ? null : h(CaptureLamp, { capture: value.capture }),
      value === undefined || found.error !== undefined
        ? null
        : h('span', { class: 'dim' }, found.isEnded ? 'files are read' : found.isOld ? 'loading\u2026' : '\u25cf live'),
    ),
    found.error === undefined && value !== undefined ? null : h(Waiting, { fetched: found, what: 'The overview' }),
    value === undefined ? null : h(Answer, { answer: value, asked, onShow: show }),
  );
}

type SpansProps = { readonly asked: Asked; readonly onShow: (next: Partial<Asked>) => void };

function Spans({ asked, onShow }: SpansProps): ComponentChild {
  const whole = { since: '', until: '' };
  const isOwn = isPulled(asked);
  return h(
    'span',
    { class: 'choice', role: 'group', 'aria-label': 'Span' },
    SPANS.map(([minutes, title]) =>
      h(
        'button',
        {
          key: minutes,
          type: 'button',
          'aria-pressed': !isOwn && asked.minutes === minutes,
          onClick: () => onShow({ ...whole, minutes }),
        },
        title,
      ),
    ),
    isOwn
      ? h(
          'button',
          { type: 'button', class: 'main', onClick: () => onShow(whole) },
          `\u21a9 Back to ${lengthWords(Number(asked.minutes) * 60)}`,
        )
      : null,
  );
}

type AnswerProps = {
  readonly answer: AskOverview;
  readonly asked: Asked;
  readonly onShow: (next: Partial<Asked>) => void;
};

function Answer({ answer, asked, onShow }: AnswerProps): ComponentChild {
  const { span, trunks, pairs, capture, is_counting: isCounting, kept_from: keptFrom } = answer;
  if (!isCounting)
    return h(
      'p',
      { class: 'note warn' },
      'This run does not count calls over time. ',
      h('a', { href: '#/calls' }, 'Show calls'),
    );
  return [
    capture.is_well
      ? null
      : h('p', { class: 'note bad' }, `\u26a0 ${shown(capture.reason ?? 'The capture is not complete.')}`),
    keptFrom === undefined ? null : h('p', { class: 'note' }, `Calls are counted from ${moment(keptFrom)} on.`),
    span === undefined
      ? h('p', { class: 'note' }, 'Nothing came yet. Calls appear here as soon as one begins.')
      : [
          h(Tiles, { answer, span }),
          h(Pale, { answer, span }),
          h(
            'div',
            { class: 'panels' },
            h(Pictures, { answer: { ...answer, span }, onPull: ({ from, to }) => onShow({ since: from, until: to }) }),
            trunks === undefined ? null : h(WorstTrunks, { trunks, by: asked.by, onBy: (by) => onShow({ by }) }),
            pairs === undefined ? null : h(WhoCallsWhom, { pairs }),
            h(NewestTroubles, { answer }),
          ),
        ],
  ];
}

/** What the pale lines are, and how a span is pulled. */
function Pale({ answer, span }: { readonly answer: AskOverview; readonly span: OverviewSpan }): ComponentChild {
  const befores = beforesOf(answer, span).map(
    ([name, then]) => `${name} (${then === answer.day_before ? 'dotted' : 'dashed'})`,
  );
  return h(
    'p',
    { class: 'hint dim' },
    befores.length === 0 ? '' : `Pale lines: ${befores.join(', ')}. `,
    'Pull over a picture to see that span; click it to see its calls. ',
    h('a', { href: listOf(callsOf(span)) }, 'All calls of the span'),
  );
}

type PicturesProps = {
  readonly answer: AskOverview & { readonly span: OverviewSpan };
  readonly onPull: (between: Between) => void;
};

function Pictures({ answer, onPull }: PicturesProps): ComponentChild {
  const themed = useTheme();
  const pictures = useMemo(() => picturesOf(answer), [answer.span]);
  const axis = useMemo(
    (): Axis => ({ starts: answer.span.cells.map(({ at }) => at), cellSec: answer.cell_sec }),
    [answer.span],
  );
  return pictures.map((picture) => h(OverviewPicture, { key: picture.name, picture, axis, themed, onPull }));
}
