/** Media in a ladder: a bar for what a stream carried, with its holds and own drops, and a dashed one for what never came. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AskStream, LadderMedia } from '../../contract/index.ts';
import { carriedCodecs } from '../../core/carried-codecs.ts';
import type { LadderRow, Picture } from './ladder.ts';
import { yAt } from './ladder.ts';
import { clock, fixed, shown } from './words.ts';

/** Width of a character of the labels, about. */
const CHAR_PX = 6.6;

/** Text for this many pixels. */
export function cut(text: string, px: number): string {
  const most = Math.max(4, Math.floor(px / CHAR_PX));
  return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}

type MediaProps = {
  readonly row: LadderRow & { readonly kind: 'media' };
  readonly picture: Picture;
  /** The same stream with its segments and spans, where it is one of the call that one looks at. */
  readonly stream: AskStream | undefined;
};

export function Media({ row: { media, y, toY }, picture, stream }: MediaProps): ComponentChild {
  const [a, b] = [picture.xs[media.from] ?? 0, picture.xs[media.to] ?? 0];
  const side = b > a ? 1 : -1;
  const words = mediaWords(media, stream);
  const bottom = Math.max(y + 6, toY);
  return h(
    'g',
    { class: 'media', role: 'presentation' },
    h(
      'title',
      null,
      `${shown(media.src)} to ${shown(media.dst)}: ${words}, ${media.packets} packets, SSRC ${media.ssrc}`,
    ),
    h('rect', { x: a + side * 5 - 2, y, width: 4, height: bottom - y, class: 'span' }),
    stream?.spans?.map(({ kind, from, to }) => {
      const [top, end] = [Math.max(y, yAt(picture, from)), Math.min(bottom, yAt(picture, to))];
      return h(
        'g',
        { key: from, class: kind },
        h('rect', { x: a + side * 5 - 4, y: top, width: 8, height: Math.max(6, end - top) }),
        h(
          'title',
          null,
          `${kind === 'held' ? 'on hold' : 'dropped by this capture'} ${clock(from, 3)} to ${clock(to, 3)}`,
        ),
      );
    }),
    h('line', { x1: a + side * 5, x2: b - side * 9, y1: y + 8, y2: y + 8, class: 'bar' }),
    h('path', { d: `M${b} ${y + 8}l${-side * 10} -6v12z` }),
    h('text', { x: (a + b) / 2, y: y + 1, 'text-anchor': 'middle' }, cut(words, Math.abs(b - a) - 16)),
  );
}

function mediaWords({ codec, loss_pct, mos, type, one_way }: LadderMedia, stream: AskStream | undefined): string {
  const scored = mos === undefined ? (type === undefined ? 'no MOS' : '') : `MOS ${fixed(mos, 2)}`;
  const carried = stream === undefined ? (codec ?? 'RTP') : carriedCodecs(stream);
  const what = [type, carried].filter((word) => word !== undefined).join(' ');
  const way = one_way === true ? 'one way' : '';
  return ['\u266a', shown(what), ` loss ${loss_pct.toFixed(1)} % `, scored, way]
    .filter((word) => word !== '')
    .join(' ');
}

type MissingProps = { readonly row: LadderRow & { readonly kind: 'missing' }; readonly picture: Picture };

export function Missing({ row: { missing, y }, picture }: MissingProps): ComponentChild {
  const [a, b] = [picture.xs[missing.from] ?? 0, picture.xs[missing.to] ?? 0];
  const side = b > a ? 1 : -1;
  const { src, dst, first_seen: from, last_seen: to } = missing;
  return h(
    'g',
    { class: 'absent' },
    h('title', null, `No RTP from ${shown(src)} to ${shown(dst)}, ${clock(from, 3)} to ${clock(to, 3)}`),
    h('line', { x1: a, x2: b - side * 10, y1: y + 8, y2: y + 8 }),
    h('path', { d: `M${b} ${y + 8}l${-side * 10} -6v12z` }),
    h('text', { x: (a + b) / 2, y: y + 1, 'text-anchor': 'middle' }, 'no RTP'),
  );
}
