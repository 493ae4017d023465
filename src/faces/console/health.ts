/** How much of the wire the answers are drawn from: what was lost and where, what is not analysed, whether frames reach disk. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Persistence, Stats } from '../../contract/index.ts';
import { Agents } from './agents.ts';
import { useFetched, whyOf } from './asking.ts';
import { documentParts } from './document-text.ts';
import { Waiting } from './parts.ts';
import { sentence } from './sentence.ts';
import { tell } from './service.ts';
import { Table } from './table.ts';
import { shown, span } from './words.ts';

const EVERY_MS = 5_000;

/** A row of `/console/losses.json`: keys that begin so are told in these words. */
type LossHelp = { readonly key: string; readonly meaning: string; readonly remedy: string };

export function Health(): ComponentChild {
  const stats = useFetched<Stats>('ask/health', EVERY_MS);
  const { value } = stats;
  return h(
    'main',
    null,
    h('h1', null, 'Health'),
    value === undefined
      ? h(Waiting, { fetched: stats, what: 'Health' })
      : [
          h(Verdict, { stats: value }),
          value.agents === undefined ? null : h(Agents, { stats: value }),
          h(Losses, { stats: value }),
          h(NotAnalysed, { stats: value }),
          h(Source, { stats: value }),
        ],
    h(Writing, null),
  );
}

function Verdict({ stats: { capture_quality: quality, agents } }: { readonly stats: Stats }): ComponentChild {
  return quality.degraded
    ? h(
        'p',
        { class: 'note bad' },
        agents === undefined
          ? '\u26a0 Something was lost before it was analysed: calls may be missing or look worse than they were.'
          : '\u26a0 An agent lost something, or an agent or the store does not answer: calls may be missing.',
      )
    : h('p', { class: 'note' }, '\u2713 Nothing was lost before analysis.');
}

function Losses({ stats }: { readonly stats: Stats }): ComponentChild {
  const [help, setHelp] = useState<readonly LossHelp[]>([]);
  useEffect(() => {
    // It belongs to the page, so it is asked for without a key.
    fetch('losses.json')
      .then(async (response) => setHelp((await response.json()) as readonly LossHelp[]))
      .catch(() => undefined);
  }, []);
  const helpOf = (key: string): LossHelp | undefined =>
    help.find((row) => row.key === key) ??
    help.find((row) => row.key.endsWith('*') && key.startsWith(row.key.slice(0, -1)));
  const lost = Object.entries(stats.losses).filter(([, count]) => count > 0);
  return [
    h('h2', null, 'Losses by place'),
    lost.length === 0
      ? h('p', null, `All ${Object.keys(stats.losses).length} counters of losses are zero.`)
      : h(Table, {
          name: 'Losses by place',
          head: ['Counter', '#Count', '~What it says', '~What to do'],
          rows: lost.map(([key, count]) => [
            h('span', { class: 'mono' }, shown(key)),
            count,
            marked(helpOf(key)?.meaning ?? ''),
            marked(helpOf(key)?.remedy ?? ''),
          ]),
        }),
  ];
}

/** Words of the documents, with their code as code. */
function marked(text: string): ComponentChild {
  return documentParts(text).map((part, i) => (i % 2 === 1 ? h('code', { key: i, class: 'mono one' }, part) : part));
}

function NotAnalysed({ stats }: { readonly stats: Stats }): ComponentChild {
  const { caveats } = stats;
  const ports = [
    ...stats.unanalysed_busiest_ports.map(({ port, messages }) => [port, messages, 'SIP', `--portrange ${port}`]),
    ...stats.unanalysed_websocket_ports.map(({ port, messages }) => [
      port,
      messages,
      'WebSocket',
      `--ws-portrange ${port}`,
    ]),
  ];
  const facts = [
    ['TLS flows without keys', caveats.encrypted_sip_flows, 'a probe (--uprobe) or a HEP sender reads them'],
    ['encrypted media streams', caveats.encrypted_media_streams, 'they have no audio'],
    ['dialogs evicted', caveats.dialogs_evicted, 'raise --max-dialogs'],
    ['dialogs refused', caveats.dialogs_refused, 'raise --max-dialogs'],
    ['messages evicted', caveats.messages_evicted, 'raise --message-log-bytes'],
    ['streams evicted', caveats.streams_evicted, 'raise --max-streams'],
    ['libraries refused by probes', caveats.uprobe_refused, 'calltap --uprobe-list says why'],
    ['processes whose TLS no probe sees', caveats.uprobe_unseen_processes, 'calltap --uprobe-list says why'],
  ] as const;
  const seen = facts.filter(([, count]) => count > 0);
  return [
    h('h2', null, 'Not analysed'),
    ports.length === 0 && seen.length === 0 ? h('p', null, 'All SIP that was seen is analysed.') : null,
    ports.length === 0
      ? null
      : h(Table, { name: 'Ports that are not analysed', head: ['Port', '#Messages', 'What', 'Option'], rows: ports }),
    seen.length === 0
      ? null
      : h(Table, {
          name: 'What is missing',
          head: ['~What', '#Count', '~What to do'],
          rows: seen.map(([what, count, remedy]) => [what, count, sentence(remedy)]),
        }),
  ];
}

function Source({ stats }: { readonly stats: Stats }): ComponentChild {
  const { timing, caveats } = stats;
  const ms = (value: number | null): string => (value === null ? 'none' : `${value} ms`);
  const rows: (readonly [string, ComponentChild])[] = [
    ['Source', shown(`${stats.source} ${stats.capture_name ?? ''}`)],
    ['Up', span(stats.uptime_sec ?? 0)],
    ['Host', shown(stats.capture_identity?.node ?? '')],
    ['Dialogs', `${stats.dialogs.total}, ${stats.dialogs.active} active, ${stats.dialogs.failed} failed`],
    ['Streams', `${stats.streams.total}, ${stats.streams.orphaned} without a call`],
    ['Post-dial delay', `p50 ${ms(timing.pdd_p50_ms)}, p95 ${ms(timing.pdd_p95_ms)}, p99 ${ms(timing.pdd_p99_ms)}`],
    ['Probes', `${caveats.uprobe_libraries} TLS libraries in ${caveats.uprobe_processes} processes`],
    ['Writing to', shown(stats.writing_to ?? 'no file')],
  ];
  return [h('h2', null, 'Source'), h(Table, { name: 'Source', head: ['What', '~Value'], rows })];
}

/** Whether captured frames are written to the file of `-O`; an operator may pause that. */
function Writing(): ComponentChild {
  const writing = useFetched<Persistence>('v1/persistence');
  const [said, setSaid] = useState('');
  const { value } = writing;
  const turn = async (enabled: boolean): Promise<void> => {
    try {
      await tell<Persistence>('v1/persistence', { enabled });
      setSaid('');
      writing.again();
    } catch (error) {
      setSaid(whyOf(error));
    }
  };
  const words = (): string => {
    if (value?.authorized !== true)
      return 'This run has no file to write to: nothing that is captured reaches disk. Start calltap with -O FILE to keep it.';
    return value.enabled
      ? 'calltap writes captured frames to the file of -O.'
      : 'Writing is paused: frames that pass now are analysed, but will not be in the file of -O.';
  };
  return h(
    'section',
    { 'aria-label': 'Writing to disk' },
    h('h2', null, 'Writing to disk'),
    value === undefined ? h(Waiting, { fetched: writing, what: 'The state of writing' }) : h('p', null, words()),
    value?.authorized === true
      ? h(
          'button',
          { type: 'button', onClick: () => void turn(!value.enabled) },
          value.enabled ? 'Pause writing' : 'Write again',
        )
      : null,
    h('p', { role: 'status', class: 'said' }, shown(said)),
  );
}
