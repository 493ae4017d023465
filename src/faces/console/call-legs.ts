/** The legs of a call by their letters and colours: A is the call that one looks at, `B?` another one that is only probable. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AskLadder } from '../../contract/index.ts';
import { CallLink } from './parts.ts';
import { shown } from './words.ts';

export type Leg = {
  /** `A`, `B`, or `B?`. */
  readonly letter: string;
  /** Of the style sheet: there are four colours. */
  readonly colour: string;
};

type Ids = { readonly call_ids: readonly string[]; readonly probable_legs?: AskLadder['probable_legs'] };

/** Null where there is one leg alone. */
export function legOf({ call_ids: ids, probable_legs: guesses = [] }: Ids, callId: string): Leg | null {
  const i = ids.indexOf(callId);
  if (ids.length < 2 || i < 0) return null;
  const mark = guesses.some((leg) => leg.call_id === callId) ? '?' : '';
  return { letter: `${String.fromCharCode(65 + (i % 26))}${mark}`, colour: `leg-${'abcd'[i % 4] ?? 'a'}` };
}

export function Legs({ ladder }: { readonly ladder: AskLadder }): ComponentChild {
  if (ladder.call_ids.length < 2) return null;
  return h(
    'ul',
    { class: 'legend', 'aria-label': 'Legs' },
    ladder.call_ids.map((callId) => {
      const leg = legOf(ladder, callId);
      const guess = ladder.probable_legs?.find((one) => one.call_id === callId);
      return h(
        'li',
        { key: callId },
        h('b', { class: `leg ${leg?.colour}` }, leg?.letter),
        ' ',
        h(CallLink, { callId }),
        ` ${wayOf(ladder, callId)}`,
        guess === undefined
          ? null
          : h('span', { class: 'dim' }, `; probably another leg (${guess.score} of 100): ${shown(guess.reason)}`),
      );
    }),
  );
}

/** Who opened the leg towards whom, as the ladder calls them. */
function wayOf({ steps, lifelines }: AskLadder, callId: string): string {
  const first = steps.find((step) => step.call_id === callId);
  const [from, to] = [lifelines[first?.from ?? -1]?.label, lifelines[first?.to ?? -1]?.label];
  return from === undefined || to === undefined ? '' : shown(`${from} \u2192 ${to}`);
}
