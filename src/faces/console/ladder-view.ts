/** The ladder as SVG: a list of messages of which one is current; a click or a key makes another one so. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AskLadder, LadderMedia, LadderStep } from '../../contract/index.ts';
import { whatIsNotShown } from '../../core/not-shown.ts';
import type { LadderRow, Picture } from './ladder.ts';
import { pictureOf, ROW_PX, stepKey, toneOf } from './ladder.ts';
import { useWideWindow } from './window.ts';
import { clock, fixed, shown } from './words.ts';

const STEPS_AT_FIRST = 400;
/** Width of a character of the labels, about. */
const CHAR_PX = 6.6;

type Props = {
  readonly ladder: AskLadder;
  readonly current: string;
  readonly marked: string;
  readonly onCurrent: (step: LadderStep) => void;
  readonly onMark: () => void;
};

export function LadderView({ ladder, current, marked, onCurrent, onMark }: Props): ComponentChild {
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
  const picture = pictureOf(ladder, size, most, hasMedia);
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const step = by === undefined ? undefined : ladder.steps[Math.max(0, at + by)];
    if (step !== undefined) onCurrent(step);
    else if (event.key === ' ') onMark();
    else return;
    event.preventDefault();
  };
  return h(
    'section',
    { class: 'ladder', 'aria-label': 'Messages' },
    h(
      'div',
      { class: 'bar' },
      h('button', { type: 'button', 'aria-pressed': isDelta, onClick: () => setDelta(!isDelta) }, 'Time between'),
      ladder.media.length === 0
        ? null
        : h('button', { type: 'button', 'aria-pressed': hasMedia, onClick: () => setMedia(!hasMedia) }, 'Media'),
      ladder.not_kept === 0 ? null : h('span', { class: 'bad' }, `${ladder.not_kept} messages are not kept any more`),
      (ladder.probable_legs ?? []).map(({ call_id, score, reason }) =>
        h(
          'span',
          { key: call_id },
          `${String.fromCharCode(65 + (ladder.call_ids.indexOf(call_id) % 26))}? is probably another leg (${score} of 100): ${shown(reason)}.`,
        ),
      ),
      ladder.leg_notes === undefined ? null : h('span', { class: 'bad' }, ladder.leg_notes.map(shown).join(' ')),
    ),
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
        onKeyDown,
      },
      h(
        'svg',
        { width: picture.width, height: picture.height, role: 'presentation' },
        h(Lifelines, { ladder, picture }),
        picture.rows.map((row) =>
          row.kind === 'media'
            ? h(Media, { key: row.media.ssrc + row.media.src, row, picture })
            : h(Step, {
                key: stepKey(row.step),
                row,
                picture,
                id: `step-${row.index}`,
                time: isDelta ? `+${row.step.delta_sec.toFixed(3)}` : clock(row.step.at, isWide ? 6 : 0),
                leg: legOf(ladder, row.step),
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
  /** Of several legs the letter of this one. */
  readonly leg: string;
  readonly isCurrent: boolean;
  readonly isMarked: boolean;
  readonly onCurrent: () => void;
};

function Step({ row: { step, y }, picture, id, time, leg, isCurrent, isMarked, onCurrent }: StepProps): ComponentChild {
  const [a, b] = [picture.xs[step.from] ?? 0, picture.xs[step.to] ?? 0];
  const label = `${isMarked ? '\u25c6 ' : ''}${leg}${labelOf(step)}`;
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
    h('text', { x: 4, y: y + 4, class: 'time' }, time),
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

function Media({
  row: { media, y, toY },
  picture,
}: {
  readonly row: LadderRow & { readonly kind: 'media' };
  readonly picture: Picture;
}): ComponentChild {
  const [a, b] = [picture.xs[media.from] ?? 0, picture.xs[media.to] ?? 0];
  const side = b > a ? 1 : -1;
  const words = mediaWords(media);
  return h(
    'g',
    { class: 'media', role: 'presentation' },
    h(
      'title',
      null,
      `${shown(media.src)} to ${shown(media.dst)}: ${words}, ${media.packets} packets, SSRC ${media.ssrc}`,
    ),
    h('rect', { x: a + side * 5 - 2, y, width: 4, height: Math.max(6, toY - y), class: 'span' }),
    h('line', { x1: a + side * 5, x2: b - side * 9, y1: y + 8, y2: y + 8, class: 'bar' }),
    h('path', { d: `M${b} ${y + 8}l${-side * 10} -6v12z` }),
    h('text', { x: (a + b) / 2, y: y + 1, 'text-anchor': 'middle' }, cut(words, Math.abs(b - a) - 16)),
  );
}

function mediaWords({ codec, loss_pct, mos, type, one_way }: LadderMedia): string {
  const scored = mos === undefined ? (type === undefined ? 'no MOS' : '') : `MOS ${fixed(mos, 2)}`;
  const what = [type, codec ?? 'RTP'].filter((word) => word !== undefined).join(' ');
  const way = one_way === true ? 'one way' : '';
  return ['\u266a', shown(what), ` loss ${loss_pct.toFixed(1)} % `, scored, way]
    .filter((word) => word !== '')
    .join(' ');
}

function labelOf(step: LadderStep): string {
  const again = step.notes.includes('again') ? ' (again)' : step.notes.includes('copy') ? ' (copy)' : '';
  return `${step.index} ${shown(step.summary)}${step.has_sdp ? ' (SDP)' : ''}${again}`;
}

/** `B ` for a message of the second leg, `B? ` where it is only probable; the call that one looks at has none. */
function legOf({ call_ids, probable_legs = [] }: AskLadder, { call_id }: LadderStep): string {
  const i = call_ids.indexOf(call_id);
  const mark = probable_legs.some((leg) => leg.call_id === call_id) ? '?' : '';
  return i <= 0 ? '' : `${String.fromCharCode(65 + (i % 26))}${mark} `;
}

/** Text for this many pixels. */
function cut(text: string, px: number): string {
  const most = Math.max(4, Math.floor(px / CHAR_PX));
  return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}
