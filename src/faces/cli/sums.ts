/**
 * Calls summed up on the command line (`--show`): what is wrong with them, who registers, who attacks, how trunks do.
 */
import type {
  AskFindings,
  AskOverview,
  AskRegistration,
  AskRegistrations,
  AskSecurity,
  AskTrunks,
} from '../../contract/index.ts';
import { counted } from '../../core/counted.ts';
import { take } from '../../core/take.ts';
import { layout, paint, safeText } from '../../core/terminal-text.ts';
import type { Explorer } from '../../explore/port.ts';
import { zonedSecondText } from '../../view/clock.ts';
import type { Asked } from './asked.ts';
import { overviewLines, wholeOverview } from './overview-lines.ts';
import type { Lines } from './print-lines.ts';
import { rowLines } from './rows.ts';
import type { TrunkColumn } from './trunk-columns.ts';
import { TRUNK_COLUMNS, trunkColor } from './trunk-columns.ts';
import type { WireTable } from './wire-columns.ts';

type Sum = (explorer: Explorer, asked: Asked) => Promise<Lines>;

/** An answer of the port, and how it is printed. */
type SumOf<D> = {
  ask(explorer: Explorer, asked: Asked): D | Promise<D>;
  /** For people; the same shape with fewer rows is what --limit leaves. */
  lines(document: D, style: Asked['style'], explorer: Explorer): Iterable<string>;
  rows(document: D): Iterable<object>;
  /** JSON has no rows, but the document. */
  readonly isWhole?: true;
  /** `document` with its first rows. */
  first(document: D, limit: number): D;
};

function sum<D>(table: WireTable, { ask, lines, rows, isWhole, first }: SumOf<D>): Sum {
  return async (explorer, asked) => {
    const document = await ask(explorer, asked);
    const { form, limit, style } = asked;
    if (form === 'text') return lines(first(document, limit), style, explorer);
    if (isWhole === true && form === 'json') return [JSON.stringify(document)];
    return rowLines(table, take(rows(document), limit), form);
  };
}

/** The lines of each sum, by the value of `--show`. */
export const SUMS: Readonly<Record<string, Sum>> = {
  findings: sum<AskFindings>('findings', {
    ask: (explorer, { question }) => explorer.findings(question),
    lines: findingsLines,
    rows: ({ findings, codes, trunks_down, trunks_troubled }) => [
      ...findings,
      ...codes,
      ...trunks_down,
      ...trunks_troubled,
    ],
    first: (d, limit) => ({ ...d, findings: d.findings.slice(0, limit), codes: d.codes.slice(0, limit) }),
  }),
  registrations: sum<AskRegistrations>('registrations', {
    ask: (explorer, { question }) => explorer.registrations(question),
    lines: registrationLines,
    rows: ({ registrations }) => registrations,
    first: (d, limit) => ({ ...d, registrations: d.registrations.slice(0, limit) }),
  }),
  attackers: sum<AskSecurity>('attackers', {
    ask: (explorer) => explorer.security(),
    lines: attackerLines,
    rows: ({ alerts }) => alerts,
    first: (d, limit) => ({ ...d, alerts: d.alerts.slice(0, limit) }),
  }),
  trunks: sum<AskTrunks>('trunks', {
    ask: (explorer) => explorer.trunks({}),
    lines: trunkLines,
    rows: ({ trunks }) => trunks,
    first: (d, limit) => ({ ...d, trunks: d.trunks.slice(0, limit) }),
  }),
  overview: sum<AskOverview>('overview', {
    ask: wholeOverview,
    lines: overviewLines,
    rows: ({ span }) => span?.cells ?? [],
    isWhole: true,
    first: ({ span, ...d }, limit) =>
      span === undefined ? d : { ...d, span: { ...span, cells: span.cells.slice(0, limit) } },
  }),
};

const plain = (text: string): string => text;

function* findingsLines(found: AskFindings, { isUtc }: Asked['style']): Generator<string> {
  const { calls, trunks_down: down, trunks_troubled: troubled, findings, codes } = found;
  for (const { trunk, direction, since } of down)
    yield `Trunk ${safeText(trunk)} (${direction}) is down since ${zonedSecondText(since, isUtc)}`;
  for (const { trunk, direction, text, since } of troubled)
    yield `Trunk ${safeText(trunk)} (${direction}) ${safeText(text)}${since === undefined ? '' : `, since ${zonedSecondText(since, isUtc)}`}`;
  yield counted(calls, 'dialog');
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

function* registrationLines({ total, registrations }: AskRegistrations, { isUtc }: Asked['style']): Generator<string> {
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

function* attackerLines({ is_watching, alerts }: AskSecurity, { isUtc }: Asked['style']): Generator<string> {
  if (!is_watching) yield 'Nobody watches for attackers; add --kill-scanner or --fraud.';
  else if (alerts.length === 0) yield 'No attacker was found.';
  for (const { at, text } of alerts) yield `${zonedSecondText(at, isUtc)}  ${safeText(text)}`;
}

/** One line a trunk and direction. */
function* trunkLines({ trunks }: AskTrunks, { isUtc, color }: Asked['style']): Generator<string> {
  yield `${trunks.length} trunks and directions`;
  if (trunks.length === 0) return;
  yield '';
  const columns: readonly TrunkColumn[] = Object.values(TRUNK_COLUMNS);
  const rows = trunks.map((trunk) => columns.map((column) => column.text(trunk, (at) => zonedSecondText(at, isUtc))));
  const numbers = columns.flatMap(({ isRight }, i) => (isRight ? [i] : []));
  const head = columns.map(({ title }) => title);
  const colors = trunks.map(trunkColor);
  const marked = [TRUNK_COLUMNS.trunk, TRUNK_COLUMNS.state, TRUNK_COLUMNS.trouble];
  yield* layout(head, rows, new Set(numbers), (text, row, c) => {
    const column = columns[c];
    return paint(text, column !== undefined && marked.includes(column) ? (colors[row] ?? null) : null, color);
  });
}
