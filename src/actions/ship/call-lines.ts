/**
 * The row of a call: its document, and the columns that are no part of it, as deploy/store/schema.sql has them. The store
 * reads all other columns out of the document.
 */
import { callWayAmong } from '../../analysis/call-way.ts';
import type { DialogFacts } from '../../analysis/dialog-facts.ts';
import type { Evidence } from '../../analysis/evidence.ts';
import type { FindingName } from '../../analysis/finding-names.ts';
import type { Opening } from '../../analysis/opening.ts';
import type { RtpStream } from '../../contract/index.ts';
import type { NamedField } from '../../core/call-fields.ts';
import { FIELDS } from '../../core/call-fields.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { bindingOf } from '../../view/ask-registrations.ts';
import { fieldsOf } from '../../view/call.ts';
import { toCallDocument } from '../../view/dialog-document.ts';
import { explained } from '../../view/explained.ts';
import { wellFormed } from './lines.ts';
import type { Said } from './said-reader.ts';

/** What is shipped of a call, as it was judged. */
export type JudgedCall = {
  readonly e: Evidence;
  readonly d: Dialog;
  readonly facts: DialogFacts;
  readonly findings: readonly FindingName[];
  readonly streams: RtpStream[];
  readonly opening: Opening;
  readonly said: Said;
};

/** Fields that the store reads out of the document, and those that no document has. */
export const STORED_FIELDS = FIELDS.filter(({ stored }) => stored !== undefined);
const OWN_FIELDS = STORED_FIELDS.filter(({ document }) => document === undefined);

/**
 * The line of the row. The store keeps an object that stands for a text as it is written: it is not quoted, and not read again.
 * Names are written one by one: V8 makes a dictionary of an object that gets so many, and takes ten times as long to write it.
 */
export function callLine(head: string, call: JudgedCall, document: string): string {
  let own = head;
  for (const [name, value] of columnsOf(call)) own += `"${name}":${JSON.stringify(value)},`;
  // The end is an object without its beginning.
  return wellFormed(`${own}"document":${document},${JSON.stringify(call.said).slice(1)}`);
}

/** The document of the call. */
export function documentText({ e, d, facts, streams }: JudgedCall): string {
  return JSON.stringify(toCallDocument(e, d, facts, streams));
}

/** Columns of a call that no field and no document has, beside what messages say. */
export const OTHER_COLUMNS = ['trunk_in', 'trunk_out', 'trunks', 'explanation', 'binding'] as const;
type OwnColumn = readonly [name: string, value: unknown];
type OtherColumn = readonly [name: (typeof OTHER_COLUMNS)[number], value: unknown];

/** Columns of these fields and of what no field has, but for what messages say. What is not known is absent. */
export function* columnsOf(
  { e, d, facts, findings, opening }: JudgedCall,
  fields: readonly NamedField[] = OWN_FIELDS,
): Generator<OwnColumn | OtherColumn> {
  const read = fieldsOf(e, d, facts);
  for (const { name, stored = '' } of fields) {
    // The message that opened the call may be gone by now, and findings were asked for already.
    const value = name === 'user_agent' ? opening.userAgent : name === 'findings' ? findings : read(name);
    if (!isNothing(value)) yield [stored, value];
  }
  const way = callWayAmong(d, facts.messages);
  const trunks = trunksOf(e, facts.messages);
  if (trunks.length > 0) {
    yield ['trunk_in', trunkAt(e, way?.src.host)];
    yield ['trunk_out', trunkAt(e, way?.dst.host)];
    yield ['trunks', trunks];
  }
  const wrong = explained(facts);
  if (wrong.length > 0) yield ['explanation', JSON.stringify(wrong)];
  if (d.methodText === 'REGISTER') yield ['binding', JSON.stringify(bindingOf(e, d))];
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Trunks that a shipped call names: a call that goes to more of them is a scan. @cap */
const TRUNKS_MAX = 16;
/** Addresses of one call whose trunk is not looked for again. @cap */
const HOSTS_MAX = 32;

/** '' without one. */
function trunkAt(e: Evidence, host = ''): string {
  return host === '' ? '' : (e.trunkAt(host) ?? '');
}

/** Of all hops that are kept. */
function trunksOf(e: Evidence, messages: DialogFacts['messages']): string[] {
  const hosts: string[] = [];
  const trunks: string[] = [];
  const meet = (host: string): void => {
    if (hosts.includes(host) || trunks.length >= TRUNKS_MAX) return;
    if (hosts.length < HOSTS_MAX) hosts.push(host);
    const trunk = trunkAt(e, host);
    if (trunk !== '' && !trunks.includes(trunk)) trunks.push(trunk);
  };
  for (const { src, dst } of messages) {
    meet(src.host);
    meet(dst.host);
  }
  return trunks;
}
