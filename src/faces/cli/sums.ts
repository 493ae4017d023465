/**
 * Calls summed up on the command line (`--show`): what is wrong with them, who registers, who attacks.
 */
import type { AskFindings, AskRegistration, AskRegistrations, AskSecurity, AskTrunks } from '../../contract/index.ts';
import { layout, safeText } from '../../core/terminal-text.ts';
import { clockOf } from '../../view/clock.ts';

const plain = (text: string): string => text;
const when = (at: string, isUtc: boolean): string => {
  const { date, time, zone } = clockOf(Date.parse(at) * 1000, isUtc);
  return `${date} ${time.slice(0, 8)}${zone}`;
};

export function* findingsLines({ calls, findings, codes }: AskFindings): Generator<string> {
  yield `${calls} calls`;
  if (findings.length > 0) {
    yield '';
    const rows = findings.map((f) => [f.finding, String(f.calls), safeText(f.call_ids[0] ?? '')]);
    yield* layout(['Finding', 'Calls', 'Newest'], rows, new Set([1]), plain);
  }
  if (codes.length > 0) {
    yield '';
    const rows = codes.map((c) => [
      String(c.code),
      safeText(c.reason) || '-',
      String(c.calls),
      safeText(c.call_ids[0] ?? ''),
    ]);
    yield* layout(['Code', 'Reason', 'Calls', 'Newest'], rows, new Set([2]), plain);
  }
}

/** How long the registration lasts, and how long it was to last. */
function granted({ expires_granted_sec, expires_asked_sec }: AskRegistration): string {
  if (expires_granted_sec === undefined) return '';
  return expires_asked_sec === undefined || expires_asked_sec === expires_granted_sec
    ? `${expires_granted_sec} s`
    : `${expires_granted_sec} of ${expires_asked_sec} s`;
}

export function* registrationLines({ total, registrations }: AskRegistrations, isUtc: boolean): Generator<string> {
  yield `${total} users and addresses`;
  if (registrations.length === 0) return;
  yield '';
  const rows = registrations.map((r) => [
    when(r.last_at, isUtc),
    safeText(r.user) || '-',
    r.name === undefined ? r.src : `${r.name} ${r.src}`,
    r.state,
    r.code === undefined ? '-' : String(r.code),
    `${r.failed} of ${r.attempts}`,
    granted(r) || '-',
    safeText(r.contacts.join(' ')) || '-',
    safeText(r.user_agent ?? '-'),
  ]);
  const head = ['Last', 'User', 'From', 'State', 'Code', 'Failed', 'Granted', 'Contact', 'User-Agent'];
  yield* layout(head, rows, new Set([4, 5]), plain);
  if (total > registrations.length) yield `${total - registrations.length} more are not shown.`;
}

export function* attackerLines({ is_watching, alerts }: AskSecurity, isUtc: boolean): Generator<string> {
  if (!is_watching) yield 'Nobody watches for attackers; add --kill-scanner or --fraud.';
  else if (alerts.length === 0) yield 'No attacker was found.';
  for (const { at, text } of alerts) yield `${when(at, isUtc)}  ${safeText(text)}`;
}

/** One line a trunk and direction: counts beside each ratio. */
export function* trunkLines({ trunks }: AskTrunks, isUtc: boolean): Generator<string> {
  yield `${trunks.length} trunks and directions`;
  if (trunks.length === 0) return;
  yield '';
  const figure = (n: number | undefined, places: number): string => (n === undefined ? '-' : n.toFixed(places));
  const rows = trunks.map(({ figures: f, ...t }) => [
    safeText(t.trunk),
    t.direction,
    t.state,
    t.since === undefined ? '-' : when(t.since, isUtc),
    f.options_asked === 0 ? '-' : `${f.options_answered} of ${f.options_asked}`,
    figure(f.options_round_trip_ms, 0),
    `${t.registered}/${t.registrations_failing}`,
    `${f.answered} of ${f.attempts}`,
    figure(f.asr_pct, 1),
    figure(f.ner_pct, 1),
    figure(f.acd_sec, 0),
    figure(f.pdd_ms?.p95, 0),
    figure(f.mos?.p05, 2),
    figure(f.loss_pct, 2),
    String(t.talking),
    f.codes.map(({ code, calls }) => `${code}:${calls}`).join(' ') || '-',
  ]);
  const head = [
    'Trunk',
    'Dir',
    'State',
    'Since',
    'OPTIONS',
    'RTT',
    'Reg/Fail',
    'Answered',
    'ASR',
    'NER',
    'ACD',
    'PDD95',
  ];
  yield* layout(
    [...head, 'MOS05', 'Loss', 'Now', 'Codes'],
    rows,
    new Set([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
    plain,
  );
}
