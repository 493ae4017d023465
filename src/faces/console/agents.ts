/** Of a hub: which agents it knows, whether each answers, and what of their calls is not in the store. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AgentRun, AskSecurity, Stats } from '../../contract/index.ts';
import { Table } from './table.ts';
import { shown, span } from './words.ts';

const HEAD = ['Host', '~Answers', 'Last heartbeat', '#Calls stored', '#Calls missing', '~Lost', 'Version'];
const SPARE = ['Version', 'Calls stored'];

export function Agents({ stats: { agents = [], store_trouble: trouble } }: { readonly stats: Stats }): ComponentChild {
  return [
    trouble === undefined ? null : h('p', { class: 'note bad', role: 'alert' }, `\u26a0 ${shown(trouble)}`),
    h('h2', null, 'Agents'),
    agents.length === 0
      ? h('p', null, 'No agent has shipped anything, and [agents] of the hub is empty.')
      : h(Table, { name: 'Agents', head: HEAD, rows: agents.map(rowOf), spare: SPARE }),
  ];
}

function rowOf({
  host,
  reachable,
  why,
  delay_sec: late,
  stored,
  missing,
  losses,
  product,
}: AgentRun): ComponentChild[] {
  const lost = Object.entries(losses ?? {});
  return [
    shown(host),
    // An earlier run answers nothing any more.
    reachable === undefined ? 'earlier run' : reachable ? '\u2713 yes' : `\u26a0 no: ${shown(why ?? '')}`,
    late === undefined ? 'none in the store' : `${span(late)} ago`,
    stored ?? '',
    missing ?? '',
    shown(lost.map(([reason, count]) => `${reason} ${count}`).join(', ')),
    shown(product ?? ''),
  ];
}

/** The hosts whose answer is not among those of the others. */
export function MissingHosts({ missing = [] }: { readonly missing: AskSecurity['missing'] }): ComponentChild {
  if (missing.length === 0) return null;
  return h(
    'div',
    { class: 'note warn', role: 'status' },
    h('p', null, 'These agents did not answer:'),
    h(
      'ul',
      null,
      missing.map(({ host, why }) => h('li', { key: host }, shown(why))),
    ),
  );
}
