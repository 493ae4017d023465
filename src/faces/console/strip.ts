/** What stands above every screen: what is read, how much of it was lost, and the way to the other screens. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { Stats } from '../../contract/index.ts';
import { useFetched } from './asking.ts';
import { hashOf } from './route.ts';
import { hasKey, useKey } from './service.ts';
import { nextTheme, theme } from './theme.ts';
import { counted, shown, span, usesUtc, useUtc } from './words.ts';

const EVERY_MS = 5_000;

export const SCREENS: readonly (readonly [screen: string, title: string])[] = [
  ['overview', 'Overview'],
  ['calls', 'Calls'],
  ['findings', 'Findings'],
  ['streams', 'Streams'],
  ['trunks', 'Trunks'],
  ['registrations', 'Registrations'],
  ['security', 'Security'],
  ['health', 'Health'],
];

/** These belong to the list. */
const OF_CALLS = ['call', 'compare'];

type Props = { readonly screen: string; readonly onForget: () => void };

export function Strip({ screen, onForget }: Props): ComponentChild {
  const { value, error } = useFetched<Stats>('ask/health', EVERY_MS);
  return h(
    'header',
    { class: value?.capture_quality.degraded === true ? 'strip degraded' : 'strip' },
    h(
      'nav',
      { 'aria-label': 'Screens' },
      SCREENS.map(([name, title]) =>
        h(
          'a',
          {
            href: hashOf(name),
            'aria-current': name === (OF_CALLS.includes(screen) ? 'calls' : screen) ? 'page' : undefined,
          },
          title,
        ),
      ),
    ),
    h(
      'div',
      { class: 'facts', role: 'status', 'aria-live': 'off' },
      error !== undefined && value === undefined ? shown(error) : null,
      value === undefined
        ? null
        : factsOf(value).map((fact) => h('span', { class: fact.isBad ? 'bad' : '' }, fact.text)),
    ),
    h(Settings, { onForget }),
  );
}

type Fact = { readonly text: string; readonly isBad?: boolean };

function factsOf(stats: Stats): Fact[] {
  const { capture_quality: lost, caveats } = stats;
  const dropped = lost.kernel_dropped_packets + lost.interface_dropped_packets + lost.queue_dropped_packets;
  const facts: Fact[] = [
    { text: shown(stats.capture_name ?? stats.source) },
    { text: `up ${span(Math.max(60, stats.uptime_sec ?? 0))}` },
    { text: counted(stats.dialogs.total, 'dialog') },
    { text: `${stats.dialogs.active} active` },
    { text: dropped === 0 ? '0 dropped' : `\u26a0 ${counted(dropped, 'packet')} dropped`, isBad: dropped > 0 },
  ];
  if (lost.degraded && dropped === 0) facts.push({ text: '\u26a0 capture is not complete: see Health', isBad: true });
  for (const { port, messages } of stats.unanalysed_busiest_ports.slice(0, 2))
    facts.push({ text: `\u26a0 port ${port}: ${counted(messages, 'message')}, not analysed`, isBad: true });
  if (caveats.encrypted_sip_flows > 0)
    facts.push({ text: `\u26a0 ${counted(caveats.encrypted_sip_flows, 'TLS flow')} without keys`, isBad: true });
  if (caveats.uprobe_processes > 0)
    facts.push({ text: `probes in ${counted(caveats.uprobe_processes, 'process', 'processes')}` });
  if (!stats.source_exhausted && stats.source === 'file') facts.push({ text: 'still reading' });
  return facts;
}

function Settings({ onForget }: Pick<Props, 'onForget'>): ComponentChild {
  const [name, setName] = useState(theme());
  const zone = usesUtc() ? 'UTC' : 'local time';
  return h(
    'div',
    { class: 'settings' },
    h(
      'button',
      {
        type: 'button',
        title: 'Times in UTC or in local time',
        onClick: () => {
          useUtc(!usesUtc());
          onForget();
        },
      },
      zone,
    ),
    h(
      'button',
      { type: 'button', title: 'System, light or dark colours', onClick: () => setName(nextTheme()) },
      `\u25d0 ${name}`,
    ),
    hasKey()
      ? h(
          'button',
          {
            type: 'button',
            title: 'Forget the key in this tab',
            onClick: () => {
              useKey('', false);
              onForget();
            },
          },
          'Forget key',
        )
      : null,
  );
}
