/** Hands tables to the browser's downloads as CSV: one that is drawn as it is shown, and all dialogs of a filter. */
import type { AskCalls, Call } from '../../contract/index.ts';
import { FIELDS } from '../../core/call-fields.ts';
import { fieldData } from '../../core/call-text.ts';
import { csvLine } from '../../core/csv.ts';
import { ask } from './service.ts';

/** Dialogs of a file, and of a page of it. @cap */
const MAX_FILE_ROWS = 100_000;
const PAGE_ROWS = 1_000;

/** The browser reads the bytes until then. */
const KEPT_MS = 60_000;

export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

function downloadLines(lines: readonly string[], name: string): void {
  download(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), name);
}

/** The rows of a table of the page, each cell as its text. */
export function saveTable(table: HTMLTableElement, name: string): void {
  const lines = [...table.rows].map((row) => csvLine([...row.cells].map(({ textContent }) => textContent ?? '')));
  downloadLines(lines, `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.csv`);
}

const SHOWN = FIELDS.filter(({ key, title }) => key !== undefined && title !== undefined);

/** All fields of the dialogs of a filter, in its order. Rejects where the service does not answer. */
export async function saveCalls(q: string, sort: string): Promise<void> {
  const lines = [csvLine(SHOWN.map(({ key = '' }) => key))];
  const path = `ask/calls?${new URLSearchParams({ ...(q === '' ? {} : { q }), sort, limit: String(PAGE_ROWS) })}`;
  let from = '';
  do {
    const { calls, next_cursor: next = '' }: AskCalls = await ask<AskCalls>(path + from);
    lines.push(...calls.map(lineOf));
    from = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
  } while (from !== '' && lines.length < MAX_FILE_ROWS);
  downloadLines(lines, 'dialogs.csv');
}

function lineOf(call: Call): string {
  return csvLine(SHOWN.map((field) => fieldData(call, field)));
}
