/** The ladder as SVG: a list of messages of which one is current; a click or a key makes another one so. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AskLadder, AskStream, LadderMedia, LadderStep } from '../../contract/index.ts';
import { whatIsNotShown } from '../../core/not-shown.ts';
import type { Leg } from './call-legs.ts';
import { Legs, legOf } from './call-legs.ts';
import type { LadderRow, Picture } from './ladder.ts';
import { missingBars, pictureOf, ROW_PX, stepKey, toneOf } from './ladder.ts';
import { cut, Media, Missing } from './ladder-media.ts';
import type { MissingMedia } from './missing-media.ts';
import { usePageKeys } from './page-keys.ts';
import { useWideWindow } from './window.ts';
import { clock, shown } from './words.ts';

const STEPS_AT_FIRST = 400;

type Props = {
  readonly ladder: AskLadder;
  /** Of the call that one looks at. */
  readonly streams: readonly AskStream[];
  readonly missing: readonly MissingMedia[];
  readonly current: string;
  readonly marked: string;
  readonly onCurrent: (step: LadderStep) => void;
  readonly onMark: () => void;
};

export function LadderView({ ladder, streams, missing, current, marked, onCurrent, onMark }: Props): ComponentChild {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  const [most, setMost] = useState(STEPS_AT_FIRST);
  const [hasMedia, setMedia] = useState(true);
  const [isDelta, setDelta] = useState(false);
  const isWide = useWideWindow();
  useEffect(() => {
    const at = box.current;
    if (at === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(280, at.clientWidth - 2)));
    observer.observe(at);
    return () => observer.disconnect();
  }, []);
  const at = ladder.steps.findIndex((step) => stepKey(step) === current);
  useEffect(() => {
    box.current?.querySelector(`#step-${at}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [at]);
  const size = isWide ? { width, timeWidth: 104, leastColumn: 150 } : { width, timeWidth: 74, leastColumn: 132 };
  const absent = missingBars(ladder, missing);
  const picture = pictureOf({ ...ladder, missing: absent }, size, most, hasMedia);
  usePageKeys((key) => {
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[key];
    const step = by === undefined ? undefined : ladder.steps[Math.max(0, at + by)];
    if (step !== undefined) onCurrent(step);
    else if (key === ' ') onMark();
    else return false;
    return true;
  });
  return h(
    'section',
    { class: 'ladder', 'aria-label': 'Messages' },
    h(
      'div',
      { class: 'bar' },
      h('button', { type: 'button', 'aria-pressed': isDelta, onClick: () => setDelta(!isDelta) }, 'Time between'),
      ladder.media.length + absent.length === 0
        ? null
        : h('button', { type: 'button', 'aria-pressed': hasMedia, onClick: () => setMedia(!hasMedia) }, 'Media'),
      ladder.not_kept === 0 ? null : h('span', { class: 'bad' }, `${ladder.not_kept} messages are not kept any more`),
      ladder.leg_notes === undefined ? null : h('span', { class: 'bad' }, ladder.leg_notes.map(shown).join(' ')),
    ),
    h(Legs, { ladder }),
    whatIsNotShown(ladder).map((sentence) => h('p', { key: sentence, class: 'note' }, sentence)),
    h(
      'div',
      {
        class: 'scroll drawing',
        ref: box,
        tabIndex: 0,
        role: 'listbox',
        'aria-label': 'Messages of the call; arrows move, the space bar marks one for comparison',
        'aria-activedescendant': at >= 0 ? `step-${at}` : undefined,
      },
      h(
        'svg',
        { width: picture.width, height: picture.height, role: 'presentation' },
        h(Lifelines, { ladder, picture }),
        picture.rows.map((row) =>
          row.kind === 'missing'
            ? h(Missing, { key: `missing ${row.missing.src}`, row, picture })
            : row.kind === 'media'
              ? h(Media, { key: row.media.ssrc + row.media.src, row, picture, stream: streamOf(streams, row.media) })
              : h(Step, {
                  key: stepKey(row.step),
                  row,
                  picture,
                  id: `step-${row.index}`,
                  time: isDelta ? `+${row.step.delta_sec.toFixed(3)}` : clock(row.step.at, isWide ? 6 : 0),
                  leg: legOf(ladder, row.step.call_id),
                  isCurrent: stepKey(row.step) === current,
                  isMarked: stepKey(row.step) === marked,
                  onCurrent: () => onCurrent(row.step),
                }),
        ),
      ),
    ),
    picture.beyond === 0
      ? null
      : h('button', { type: 'button', onClick: () => setMost(most * 4) }, `${picture.beyond} more messages: show`),
  );
}

function Lifelines({ ladder, picture }: { readonly ladder: AskLadder; readonly picture: Picture }): ComponentChild {
  const column = (picture.xs[1] ?? picture.width) - (picture.xs[0] ?? 0);
  return h(
    'g',
    { 'aria-hidden': 'true' },
    ladder.lifelines.map(({ label, address }, i) => {
      const x = picture.xs[i] ?? 0;
      return h(
        'g',
        { key: i, class: 'lifeline' },
        h('title', null, shown(`${label} ${address}`)),
        h('text', { x, y: 16, 'text-anchor': 'middle' }, cut(shown(label), column)),
        h('line', { x1: x, x2: x, y1: 24, y2: picture.height }),
      );
    }),
  );
}

type StepProps = {
  readonly row: LadderRow & { readonly kind: 'step' };
  readonly picture: Picture;
  readonly id: string;
  readonly time: string;
  /** Of several legs this one. */
  readonly leg: Leg | null;
  readonly isCurrent: boolean;
  readonly isMarked: boolean;
  readonly onCurrent: () => void;
};

function Step({ row: { step, y }, picture, id, time, leg, isCurrent, isMarked, onCurrent }: StepProps): ComponentChild {
  const [a, b] = [picture.xs[step.from] ?? 0, picture.xs[step.to] ?? 0];
  const label = `${isMarked ? '\u25c6 ' : ''}${leg === null ? '' : `${leg.letter} `}${labelOf(step)}`;
  // One that goes to where it came from: the label stands beside its lifeline.
  const isLoop = step.from === step.to;
  const [from, to] = isLoop ? [a, a + 40] : [a, b];
  const side = to > from ? 1 : -1;
  const line = y + 8;
  return h(
    'g',
    {
      id,
      role: 'option',
      class: `step ${toneOf(step)}${isCurrent ? ' current' : ''}`,
      'aria-selected': isCurrent,
      onClick: onCurrent,
    },
    h('rect', { x: 0, y: y - ROW_PX / 2, width: picture.width, height: ROW_PX, class: 'ground' }),
    leg === null ? null : h('rect', { x: 0, y: y - ROW_PX / 2, width: 4, height: ROW_PX, class: leg.colour }),
    h('text', { x: 8, y: y + 4, class: 'time' }, time),
    h(
      'text',
      {
        x: isLoop ? a + 46 : (a + b) / 2,
        y: y + 2,
        'text-anchor': isLoop ? 'start' : 'middle',
        class: 'label',
      },
      cut(label, isLoop ? 200 : Math.abs(b - a) - 12),
    ),
    // For who listens: the arrow says it to the eye.
    h(
      'text',
      { x: 4, y, opacity: 0, 'font-size': 1 },
      `${shown(step.src)} to ${shown(step.dst)} ${step.notes.join(' ')}`,
    ),
    h('line', { x1: from, x2: to - side * 2, y1: line, y2: line, class: 'arrow' }),
    h('path', { d: `M${to} ${line}l${-side * 8} -4v8z`, class: 'tip' }),
  );
}

function streamOf(streams: readonly AskStream[], { ssrc, src, dst }: LadderMedia): AskStream | undefined {
  return streams.find((one) => one.ssrc === ssrc && one.src === src && one.dst === dst);
}

function labelOf(step: LadderStep): string {
  const again = step.notes.includes('again') ? ' (again)' : step.notes.includes('copy') ? ' (copy)' : '';
  return `${step.index} ${shown(step.summary)}${step.has_sdp ? ' (SDP)' : ''}${again}`;
}
