/**
 * The tables of the port as screens: what is wrong with calls, who registers, who attacks.
 */
import type { AskAlert, AskRegistration } from '../../contract/index.ts';
import type { TerminalPort } from '../../explore/port.ts';
import type { CallsQuestion } from '../../explore/question.ts';
import { ALL_CALLS } from '../../explore/question.ts';
import { secondText } from '../../view/clock.ts';
import { LOOK } from './cells.ts';
import type { TableParts, TableRow } from './table-view.ts';

export type TablePort = Pick<TerminalPort, 'findings' | 'registrations' | 'security' | 'trunks'>;

export type Zoned = { readonly isUtc: boolean };

/** Which calls a table is of, how that was typed, and how it is shown; '' is all. */
export type TableOf = { readonly filter: CallsQuestion['filter']; readonly text: string; readonly label: string };

const asked = ({ filter }: TableOf): CallsQuestion => ({ ...ALL_CALLS, filter });
const titled = (title: string, { label }: TableOf): string => (label === '' ? title : `${title}   of ${label}`);
const lacking = (what: string, { label }: TableOf): string => (label === '' ? what : `${what} The filter is ${label}.`);

/** For tables that know no filter: it is said where there is one. */
export function heedsNone({ label }: TableOf): Pick<TableParts, 'note'> {
  return label === '' ? {} : { note: `This table is of all dialogs: the filter (${label}) does not hold here.` };
}

export type TableEvents = {
  /** Shows the calls of a filter in the list. */
  filter(text: string): void;
  open(callId: string): void;
  /** Shows the table of trunks, and another one, on top. */
  trunks(): void;
  table(parts: TableParts): void;
};

/** What stands in no column of its own. */
function evidenceOf({ behaviour, count, methods, codes, targets, user_agent }: AskAlert): string {
  const tally = (list: AskAlert['codes']): string => list.map(({ name, count }) => `${name} x${count}`).join(', ');
  const parts = [`${behaviour} x${count}`, tally(methods), tally(codes), targets.join(' '), user_agent ?? ''];
  return parts.filter((part) => part !== '').join('; ');
}

/** Within the calls that the table is of. */
function both({ text }: TableOf, more: string): string {
  return text === '' ? more : `(${text}) ${more}`;
}

function named(name: string | undefined, address: string): string {
  return name === undefined ? address : `${name} ${address}`;
}

const MOMENT = { title: 'Newest', width: 19, least: 8, isEndKept: true } as const;
const COUNT = { title: 'Calls', width: 7, isRight: true } as const;

export function findingsTable(port: TablePort, { filter, trunks }: TableEvents, shown: Zoned, of: TableOf): TableParts {
  return {
    title: titled('Findings: what is wrong with calls', of),
    columns: [COUNT, { title: 'Finding or code', width: 0 }, MOMENT],
    enter: 'Show the calls that have it.',
    empty: lacking('No call has a finding, and none failed.', of),
    saved: {
      table: 'findings',
      async rows() {
        const { findings, codes, trunks_down: down, trunks_troubled: troubled } = await port.findings(asked(of));
        return [...findings, ...codes, ...down, ...troubled];
      },
    },
    async read() {
      const found = await port.findings(asked(of));
      const down = found.trunks_down.map(
        ({ trunk, direction, since }): TableRow => ({
          texts: [
            '',
            `trunk ${trunk} (${direction}) is down, first request without an answer:`,
            secondText(since, shown.isUtc),
          ],
          look: LOOK.red,
          open: trunks,
        }),
      );
      const troubled = found.trunks_troubled.map(
        ({ trunk, direction, trouble, text, since }): TableRow => ({
          texts: [
            '',
            `trunk ${trunk} (${direction}) ${text}`,
            since === undefined ? '' : secondText(since, shown.isUtc),
          ],
          look: trouble === 'refusing' ? LOOK.red : LOOK.yellow,
          open: trunks,
        }),
      );
      const findings = found.findings.map(
        ({ finding, calls, newest_at }): TableRow => ({
          texts: [String(calls), finding, secondText(newest_at, shown.isUtc)],
          open: () => filter(both(of, `finding:${finding}`)),
        }),
      );
      const codes = found.codes.map(
        ({ code, reason, calls }): TableRow => ({
          texts: [String(calls), `${code} ${reason}`, ''],
          open: () => filter(both(of, `code:${code}`)),
        }),
      );
      return [...down, ...troubled, ...findings, ...codes];
    },
  };
}

/** What the registrar said, for how long, and where the user is reached. */
function answerOf({ code, reason, expires_granted_sec: sec, contacts }: AskRegistration): string {
  const parts = [code, reason, sec === undefined ? undefined : `for ${sec} s`, contacts.join(' ')];
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

export function registrationsTable(port: TablePort, { open }: TableEvents, shown: Zoned, of: TableOf): TableParts {
  return {
    title: titled('Registrations: who registers, from where, and who fails', of),
    columns: [
      { title: 'User', width: 20, least: 8 },
      { title: 'From', width: 30, least: 20 },
      { title: 'State', width: 11, least: 10 },
      { title: 'Tries', width: 6, least: 5, isRight: true },
      { title: 'Failed', width: 6, isRight: true },
      { title: 'Last', width: 19, least: 8, isEndKept: true },
      { title: 'Answer, contact', width: 0 },
    ],
    enter: 'Show the newest registration of the user.',
    empty: lacking('Nobody registered.', of),
    saved: { table: 'registrations', rows: async () => (await port.registrations(asked(of))).registrations },
    async read() {
      const found = await port.registrations(asked(of));
      return (
        found?.registrations.map((r) => ({
          texts: [
            r.user,
            named(r.name, r.src),
            r.state,
            String(r.attempts),
            String(r.failed),
            secondText(r.last_at, shown.isUtc),
            answerOf(r),
          ],
          open: () => open(r.call_id),
        })) ?? null
      );
    },
  };
}

export function securityTable(port: TablePort, { filter }: TableEvents, shown: Zoned, of: TableOf): TableParts {
  let isWatching = true;
  return {
    title: 'Attackers that were reported',
    ...heedsNone(of),
    columns: [
      MOMENT,
      { title: 'From', width: 30, least: 20 },
      { title: 'Kind', width: 12 },
      { title: 'What', width: 0 },
    ],
    enter: 'Show what came from there.',
    saved: { table: 'attackers', rows: async () => (await port.security()).alerts },
    get empty() {
      return isWatching ? 'Nobody was reported.' : 'Nothing looks for attackers: add --kill-scanner or --fraud.';
    },
    async read() {
      const found = await port.security();
      isWatching = found.is_watching;
      return found.alerts.map((a) => ({
        texts: [secondText(a.at, shown.isUtc), named(a.name, a.net ?? a.source), a.kind, evidenceOf(a)],
        open: () => filter(`ip:${a.net ?? a.source}`),
      }));
    },
  };
}
