/** Where the key presses of a call are in its audio file: a sentence for the note, and marks on the time line. */
import type { Audio } from './timeline.ts';
import type { Mark } from './wav.ts';

/** A key and when it went down; `from` is `<address>:<port>`. */
export type Press = {
  readonly key: string;
  readonly atUs: number;
  readonly by: 'rtp' | 'info';
  readonly from: string;
};

/** `; keys: 1 at 0.800 s from 192.0.2.1:4000, ...` in seconds of the file; empty without any. */
export function pressesText(presses: readonly Press[], startSec: number): string {
  const texts = presses.map(
    (p) => `${p.key} at ${(p.atUs / 1e6 - startSec).toFixed(3)} s from ${p.from}${p.by === 'info' ? ' (INFO)' : ''}`,
  );
  return texts.length === 0 ? '' : `; keys: ${texts.join(', ')}`;
}

/** Presses that lie within the file; a key by INFO may come before the first sample or after the last. */
export function marksOf(presses: readonly Press[], audio: Audio): Mark[] {
  const length = audio.channels[0]?.length ?? 0;
  return presses
    .map((p) => ({ at: Math.round((p.atUs / 1e6 - audio.startSec) * audio.sampleRate), label: `key ${p.key}` }))
    .filter(({ at }) => at >= 0 && at < length);
}
