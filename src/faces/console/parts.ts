/** Small parts that screens share: a state with its sign, findings, a link to a call, an answer that is not there. */
import type { ComponentChild, ComponentChildren } from 'preact';
import { h } from 'preact';
import type { Fetched } from './asking.ts';
import { hashOf } from './route.ts';
import { shown, signOf } from './words.ts';

export function State({ state }: { readonly state: string }): ComponentChild {
  const [sign, tone] = signOf(state);
  return h('span', { class: `state ${tone}` }, h('span', { 'aria-hidden': 'true' }, `${sign} `), state);
}

/** A finding as a link to the calls that have it. */
export function Finding({ name }: { readonly name: string }): ComponentChild {
  return h('a', { class: 'chip', href: hashOf('calls', '', { q: `finding:${name}` }) }, name);
}

export function CallLink({
  callId,
  children,
}: {
  readonly callId: string;
  readonly children?: ComponentChildren;
}): ComponentChild {
  return h('a', { class: 'mono', href: hashOf('call', callId) }, children ?? shown(callId));
}

/** What stands in the place of an answer: that it is coming, or why there is none and what to do. */
export function Waiting({
  fetched,
  what,
}: {
  readonly fetched: Fetched<unknown>;
  readonly what: string;
}): ComponentChild {
  if (fetched.error !== undefined) {
    return h(
      'div',
      { class: 'note bad', role: 'alert' },
      h('p', null, `${what}: ${shown(fetched.error)}`),
      h('button', { type: 'button', onClick: fetched.again }, 'Try again'),
    );
  }
  return fetched.value === undefined
    ? h('p', { class: 'note', role: 'status' }, `Loading ${what.toLowerCase()}\u2026`)
    : null;
}

/** Buttons of which one is chosen: how much time is looked at. `spans` are values with their titles. */
export function SpanBar({
  spans,
  chosen,
  onChoose,
  note,
}: {
  readonly spans: readonly (readonly [value: string, title: string])[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
  readonly note: string;
}): ComponentChild {
  return h(
    'div',
    { class: 'bar', role: 'group', 'aria-label': 'Span' },
    spans.map(([value, title]) =>
      h(
        'button',
        { key: value, type: 'button', 'aria-pressed': chosen === value, onClick: () => onChoose(value) },
        title,
      ),
    ),
    h('span', { class: 'dim' }, note),
  );
}
