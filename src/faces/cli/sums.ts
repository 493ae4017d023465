/**
 * Calls summed up on the command line (`--show`): what is wrong with them, who registers, who attacks, how trunks do.
 */
import type { AskFindings, AskRegistration, AskRegistrations, AskSecurity, AskTrunks } from '../../contract/index.ts';
import { layout, safeText } from '../../core/terminal-text.ts';
import type { Explorer } from '../../explore/port.ts';
import { zonedSecondText } from '../../view/clock.ts';
import type { Asked } from './asked.ts';
import type { TrunkColumn } from './trunk-columns.ts';
import { TRUNK_COLUMNS } from './trunk-columns.ts';

type Sum = (explorer: Explorer, asked: Asked) => Promise<Iterable<string>>;

/** The lines of each sum, by the value of `--show`. */
export const SUMS: Readonly<Record<string, Sum>> = {
  findings: async (explorer, { question, style }) => findingsLines(await explorer.findings(question), style.isUtc),
  registrations: async (explorer, { question, style }) =>
    registrationLines(await explorer.registrations(question), style.isUtc),
  attackers: async (explorer, { style }) => attackerLines(explorer.security(), style.isUtc),
  trunks: async (explorer, { style }) => trunkLines(await explorer.trunks({}), style.isUtc),
};

const plain = (text: string): string => text;

function* findingsLines({ calls, trunks_down: down, findings, codes }: AskFindings, isUtc: boolean): Generator<string> {
  for (const { trunk, direction, since } of down)
    yield `Trunk ${safeText(trunk)} (${direction}) is down since ${zonedSecondText(since, isUtc)}`;
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

function* registrationLines({ total, registrations }: AskRegistrations, isUtc: boolean): Generator<string> {
  yield `${total} users and addresses`;
  if (registrations.length === 0) return;
  yield '';
  const rows = registrations.map((r) => [
    zonedSecondText(r.last_at, isUtc),
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

function* attackerLines({ is_watching, alerts }: AskSecurity, isUtc: boolean): Generator<string> {
  if (!is_watching) yield 'Nobody watches for attackers; add --kill-scanner or --fraud.';
  else if (alerts.length === 0) yield 'No attacker was found.';
  for (const { at, text } of alerts) yield `${zonedSecondText(at, isUtc)}  ${safeText(text)}`;
}

/** One line a trunk and direction. */
function* trunkLines({ trunks }: AskTrunks, isUtc: boolean): Generator<string> {
  yield `${trunks.length} trunks and directions`;
  if (trunks.length === 0) return;
  yield '';
  const columns: readonly TrunkColumn[] = Object.values(TRUNK_COLUMNS);
  const rows = trunks.map((trunk) => columns.map((column) => column.text(trunk, (at) => zonedSecondText(at, isUtc))));
  const numbers = columns.flatMap(({ isRight }, i) => (isRight ? [i] : []));
  const head = columns.map(({ title }) => title);
  yield* layout(head, rows, new Set(numbers), plain);
}
