/** The tabs of a call. The address holds which one is shown, so that links and the Back button lead to it. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { hashOf } from './route.ts';

const TABS = ['ladder', 'quality', 'messages', 'findings'] as const;
export type Tab = (typeof TABS)[number];

const TITLES: Readonly<Record<Tab, string>> = {
  ladder: 'Ladder',
  quality: 'Quality',
  messages: 'Messages',
  findings: 'Findings',
};

/** Where in the screen of a call one is. */
export type CallPlace = { readonly callId: string; readonly hasLegs: boolean; readonly tab: Tab };

/** The ladder where an address names no tab. */
export function tabOf(name: string | null): Tab {
  return TABS.find((tab) => tab === name) ?? 'ladder';
}

/** The tab that this key leads to: they are counted from 1. */
export function tabOfKey(key: string): Tab | undefined {
  return /^\d$/.test(key) ? TABS[Number(key) - 1] : undefined;
}

export function callHash({ callId, hasLegs, tab }: CallPlace): string {
  return hashOf('call', callId, { legs: hasLegs ? '1' : '', tab: tab === 'ladder' ? '' : tab });
}

type Props = {
  readonly place: CallPlace;
  /** What stands beside a title: a count, or the worst score. */
  readonly notes: Readonly<Partial<Record<Tab, string>>>;
};

export function Tabs({ place, notes }: Props): ComponentChild {
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = by === undefined ? undefined : TABS.at((TABS.indexOf(place.tab) + by) % TABS.length);
    if (next === undefined) return;
    event.preventDefault();
    document.getElementById(`tab-${next}`)?.focus();
    location.hash = callHash({ ...place, tab: next });
  };
  return h(
    'div',
    { class: 'tabs', role: 'tablist', 'aria-label': 'Parts of the call', onKeyDown },
    TABS.map((tab, i) =>
      h(
        'a',
        {
          key: tab,
          id: `tab-${tab}`,
          role: 'tab',
          href: callHash({ ...place, tab }),
          title: `Key ${i + 1}`,
          'aria-selected': tab === place.tab,
          'aria-controls': 'panel',
          tabIndex: tab === place.tab ? 0 : -1,
        },
        TITLES[tab],
        notes[tab] === undefined ? null : h('span', { class: 'dim' }, ` ${notes[tab]}`),
      ),
    ),
  );
}
