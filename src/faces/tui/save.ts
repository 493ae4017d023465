/**
 * Writes one call, a list or a table to files of the working directory, in each format. What is there already is never written
 * over, and a Call-ID becomes a name of harmless characters.
 */
import { mkdir, unlink } from 'node:fs/promises';
import { createFileAsync } from '../../core/create-file.ts';
import { errnoOf } from '../../core/errors.ts';
import { callIdFileName } from '../../core/file-name.ts';
import type { TerminalPort } from '../../explore/port.ts';
import type { CallsQuestion } from '../../explore/question.ts';
import { Refusal } from '../../explore/refusal.ts';
import { callCsv } from '../cli/call-csv.ts';
import { COLUMNS } from '../cli/columns.ts';
import { rowLines } from '../cli/rows.ts';
import type { WireTable } from '../cli/wire-columns.ts';
import { whyMissing } from './answered.ts';

export type SavePort = Pick<TerminalPort, 'capture' | 'text' | 'html' | 'call' | 'sipp' | 'audio'>;

export const FORMATS = [
  { key: 'a', name: 'anonymized.pcapng', help: 'anonymized, for somebody else' },
  { key: 'A', name: 'anonymized.html', help: 'as page' },
  { key: 'p', name: 'pcapng', help: 'pcapng' },
  { key: 'm', name: 'md', help: 'Markdown' },
  { key: 't', name: 'txt', help: 'report' },
  { key: 'h', name: 'html', help: 'page' },
  { key: 'l', name: 'ladder.txt', help: 'ladder' },
  { key: 'j', name: 'json', help: 'JSON' },
  { key: 'x', name: 'sipp', help: 'SIPp' },
  { key: 'w', name: 'wav', help: 'WAV' },
] as const;
/** Of lists and tables: as the command line prints them. */
export const TABLE_FORMATS = [
  { key: 'C', form: 'csv', help: 'CSV' },
  { key: 'J', form: 'json', help: 'JSON' },
] as const;
export type TableForm = (typeof TABLE_FORMATS)[number]['form'];

export type Format = (typeof FORMATS)[number]['name'];

const NAMES_TRIED = 1_000;
/** Dialogs that a page asks for, and characters that are written at a time. */
const PAGE = 500;
const PIECE = 64 * 1024;

/** What was written, or why nothing was. */
export type Saved = { readonly said: string; readonly isSaved: boolean };
export type SaveStyle = { readonly isUtc: boolean; readonly showsSecrets: boolean };

/** The files of a call. */
export async function saveCall(
  port: SavePort,
  callIds: readonly string[],
  format: Format,
  { isUtc, showsSecrets }: SaveStyle,
): Promise<Saved> {
  const [first = ''] = callIds;
  const name = callIdFileName(first);
  return saved(async (written) => {
    if (format === 'pcapng' || format === 'anonymized.pcapng') {
      const isAnonymized = format === 'anonymized.pcapng';
      const { file, bytes, lack, report = [] } = await port.capture(callIds, isAnonymized);
      // The Call-ID is in the name of the other one.
      const path = await writeNew(isAnonymized ? 'anonymized.pcapng' : `${name}.pcapng`, file);
      const what = [`: ${bytes} bytes${lack === '' ? '' : `, without ${lack}`}`, ...report].join('; ');
      return written(path, what);
    }
    if (format === 'json') {
      const document = await port.call(first);
      return written(await writeNew(`${name}.json`, [`${JSON.stringify(document, null, 2)}\n`]));
    }
    if (format === 'sipp') {
      const { uac, uas } = await port.sipp(first, showsSecrets);
      const folder = await newFolder(`${name}-sipp`);
      await writeNew(`${folder}/uac.xml`, [uac]);
      await writeNew(`${folder}/uas.xml`, [uas]);
      return written(`${folder}/uac.xml and uas.xml`);
    }
    if (format === 'wav') {
      const { wav, isPartial } = await port.audio(first);
      const path = await writeNew(`${name}.wav`, [Buffer.from(wav)]);
      return written(path, isPartial ? ': a part of the call' : '');
    }
    if (format === 'html' || format === 'anonymized.html') {
      const isAnonymized = format === 'anonymized.html';
      const page = await port.html(callIds, { notes: [], isUtc, isAnonymized });
      return written(await writeNew(isAnonymized ? 'anonymized.html' : `${name}.html`, [page]));
    }
    const layout = format === 'md' ? 'markdown' : format === 'txt' ? 'text' : 'ladder';
    const lines = await port.text(callIds, layout, { width: null, color: false, isUtc });
    return written(await writeNew(`${name}.${format}`, [`${[...lines].join('\n')}\n`]));
  });
}

/** Rows of a table, with the names of the wire. */
export function saveTable(table: WireTable, form: TableForm, rows: () => Promise<Iterable<object>>): Promise<Saved> {
  return saved(async (written) =>
    written(await writeNew(`${table}.${form}`, inPieces(rowLines(table, await rows(), form)))),
  );
}

/** All dialogs of a question, page by page, in its order. */
export function saveList(
  port: Pick<TerminalPort, 'page'>,
  question: CallsQuestion,
  form: TableForm,
  isUtc: boolean,
): Promise<Saved> {
  return saved(async (written) =>
    written(await writeNew(`dialogs.${form}`, inPieces(listLines(port, question, form, isUtc)))),
  );
}

/** A number of the row says nothing beside an order of one's own. */
const LIST_COLUMNS = [...COLUMNS.keys()].filter((key) => key !== 'row');

async function* listLines(
  port: Pick<TerminalPort, 'page'>,
  question: CallsQuestion,
  form: TableForm,
  isUtc: boolean,
): AsyncGenerator<string> {
  let cursor = '';
  for (let isFirst = true; isFirst || cursor !== ''; isFirst = false) {
    const page = await port.page(question, PAGE, cursor);
    if (form === 'json') for (const call of page.calls) yield JSON.stringify(call);
    else {
      const [heading = '', ...lines] = callCsv(page.calls, LIST_COLUMNS, isUtc);
      if (isFirst) yield heading;
      yield* lines;
    }
    cursor = page.next_cursor ?? '';
  }
}

/** Lines as they are written: many at a time. */
async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

async function saved(write: (written: (path: string, more?: string) => Saved) => Promise<Saved>): Promise<Saved> {
  try {
    return await write((path, more = '') => ({ said: `${path}${more}`, isSaved: true }));
  } catch (error) {
    const said =
      error instanceof Refusal
        ? whyMissing(error)
        : `cannot write it: ${errnoOf(error) ?? (error instanceof Error ? error.message : String(error))}`;
    return { said, isSaved: false };
  }
}

/** `name`, else `name-2` and so on in front of its ending: the first that is not there yet. */
async function firstFree<T>(name: string, make: (path: string) => Promise<T>): Promise<{ path: string; made: T }> {
  const [, stem = name, ending = ''] = /^(.*?)((?:\.ladder)?\.[a-z]+)$/.exec(name) ?? [];
  for (let n = 1; ; n++) {
    const path = n === 1 ? name : `${stem}-${n}${ending}`;
    try {
      return { path, made: await make(path) };
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST' || n === NAMES_TRIED) throw error;
    }
  }
}

async function writeNew(
  name: string,
  chunks: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
): Promise<string> {
  const { path, made } = await firstFree(name, createFileAsync);
  try {
    for await (const chunk of chunks) await made.writeFile(chunk);
  } catch (error) {
    // Half of a capture is none.
    await unlink(path);
    throw error;
  } finally {
    await made.close();
  }
  return path;
}

async function newFolder(name: string): Promise<string> {
  return (await firstFree(name, (free) => mkdir(free, 0o700))).path;
}
