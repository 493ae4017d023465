/** Hears a call: all of it, its worst window, or a span; tells where the sound is, for the cursor in the charts. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { whyOf } from './asking.ts';
import type { Worst } from './quality-data.ts';
import { fetchFrom, ofCall } from './service.ts';
import { clock, shown } from './words.ts';

type Props = {
  readonly callId: string;
  /** When the first packet came, in seconds of the epoch: spans are counted from there. */
  readonly firstSec: number;
  readonly lengthSec: number;
  readonly worst: Worst | null;
  readonly onPlayed: (sec: number | null) => void;
};

type Heard = { readonly url: string; readonly fromSec: number };

export function Audio({ callId, firstSec, lengthSec, worst, onPlayed }: Props): ComponentChild {
  const [heard, setHeard] = useState<Heard | null>(null);
  const [said, setSaid] = useState('');
  const from = useRef<HTMLInputElement>(null);
  const to = useRef<HTMLInputElement>(null);
  useEffect(() => () => void (heard === null ? undefined : URL.revokeObjectURL(heard.url)), [heard]);
  const hear = (fromSec: number, toSec: number): void => {
    setSaid('Fetching\u2026');
    const path = ofCall(callId, `/audio?from=${fromSec.toFixed(3)}&to=${toSec.toFixed(3)}`);
    const fetched = async (): Promise<void> => {
      const response = await fetchFrom(path);
      const url = URL.createObjectURL(await response.blob());
      setHeard({ url, fromSec });
      setSaid(
        response.headers.get('x-service-audio-partial') === 'true' ? 'Not all of it was kept or can be decoded.' : '',
      );
    };
    fetched().catch((error: unknown) => setSaid(whyOf(error)));
  };
  const worstSpan = worst === null ? null : [worst.window.fromSec - firstSec, worst.window.toSec - firstSec];
  const seconds = (input: { readonly current: HTMLInputElement | null }): number => Number(input.current?.value ?? 0);
  return h(
    'div',
    { class: 'audio' },
    h(
      'div',
      { class: 'bar' },
      h('button', { type: 'button', onClick: () => hear(0, lengthSec + 1) }, '\u25b6 Hear all'),
      worst === null || worstSpan === null
        ? null
        : h(
            'button',
            { type: 'button', onClick: () => hear(Math.max(0, worstSpan[0] ?? 0), worstSpan[1] ?? 0) },
            `\u25b6 Hear the worst window (${worst.line.letter}, ${clock(new Date(worst.window.fromSec * 1000).toISOString(), 0)})`,
          ),
      h('label', null, 'From ', h('input', { ref: from, type: 'number', min: 0, step: 0.5, value: 0 }), ' s'),
      h(
        'label',
        null,
        'to ',
        h('input', { ref: to, type: 'number', min: 0, step: 0.5, value: Math.ceil(lengthSec) }),
        ' s',
      ),
      h('button', { type: 'button', onClick: () => hear(seconds(from), seconds(to)) }, '\u25b6 Hear the span'),
    ),
    h('p', { role: 'status', class: 'said' }, shown(said)),
    heard === null
      ? null
      : h('audio', {
          key: heard.url,
          controls: true,
          autoplay: true,
          src: heard.url,
          'aria-label': 'Sound of the call',
          onTimeUpdate: (event: Event) =>
            onPlayed(firstSec + heard.fromSec + (event.target as HTMLAudioElement).currentTime),
          onEnded: () => onPlayed(null),
        }),
  );
}
