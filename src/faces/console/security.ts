/** Who attacks, with what evidence, and what the peer that bans keeps out. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { AskAlert, AskSecurity } from '../../contract/index.ts';
import { MissingHosts } from './agents.ts';
import { useFetched } from './asking.ts';
import { Waiting } from './parts.ts';
import { Peer } from './peer.ts';
import { hashOf } from './route.ts';
import { sentence } from './sentence.ts';
import { Table } from './table.ts';
import { clock, counted, moment, shown } from './words.ts';

const EVERY_MS = 10_000;
const HEAD = ['Source', '~Behaviour', '#Requests', '~Methods', '~Codes', '~Targets', '~User-Agent', 'First', 'Last'];
const SPARE = ['User-Agent', 'First', 'Targets', 'Codes', 'Methods'];
const TARGETS = 4;

export function Security(): ComponentChild {
  const found = useFetched<AskSecurity>('ask/security', EVERY_MS);
  return h(
    'main',
    null,
    h('h1', null, 'Security'),
    found.value === undefined ? h(Waiting, { fetched: found, what: 'Alerts' }) : h(Alerts, { found: found.value }),
    h(MissingHosts, { missing: found.value?.missing ?? [] }),
    h(Peer, null),
  );
}

function Alerts({ found: { alerts, is_watching } }: { readonly found: AskSecurity }): ComponentChild {
  if (!is_watching) {
    return h(
      'p',
      { class: 'note warn' },
      sentence('Nobody looks for attackers: start with --kill-scanner (it only detects), --fraud or --alert syslog.'),
    );
  }
  if (alerts.length === 0) return h('p', { class: 'note' }, 'No source behaved like an attacker.');
  return [
    h('p', { role: 'status' }, counted(alerts.length, 'alert')),
    h(Table, { name: 'Attackers', head: HEAD, rows: alerts.map(rowOf), spare: SPARE }),
  ];
}

function rowOf(alert: AskAlert): ComponentChild[] {
  const tallies = (all: AskAlert['methods']): ComponentChild =>
    all.map(({ name, count }, i) => [i === 0 ? '' : ', ', h('span', { class: 'one' }, shown(`${name} ${count}`))]);
  const more = alert.targets.length - TARGETS;
  return [
    h('a', { href: hashOf('calls', '', { q: `ip:${alert.net ?? alert.source}` }) }, shown(alert.net ?? alert.source)),
    h('span', { title: shown(alert.text) }, sentence(`\u26a0 ${alert.behaviour}${seenBy(alert)}`)),
    alert.count,
    tallies(alert.methods),
    tallies(alert.codes),
    shown(`${alert.targets.slice(0, TARGETS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`),
    sentence(alert.user_agent ?? ''),
    clock(alert.first_at, 0),
    moment(alert.at),
  ];
}

/** Of a hub: whose agent saw it. */
function seenBy({ host }: AskAlert): string {
  return host === undefined ? '' : `, seen by ${shown(host)}`;
}
