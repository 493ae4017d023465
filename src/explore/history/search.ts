/**
 * Calls of a ring that pass a filter: those that come first in an order, behind a place. Files are read from the newest one on, and no
 * further once nothing older can come before what was found.
 */
import { createHash } from 'node:crypto';
import type { NamedField } from '../../core/call-fields.ts';
import { FIELDS } from '../../core/call-fields.ts';
import { usOf } from '../../core/timestamp.ts';
import type { Steps } from '../../core/turns.ts';
import type { IndexedCall } from '../../history/rows.ts';
import { compareKeys } from '../chosen.ts';
import type { CallsQuestion, Sort } from '../question.ts';
import { Cannot } from '../refusal.ts';
import { figureOfRow, textOf } from '../stored/call-of-row.ts';
import type { RowAsking } from '../stored/row-filter.ts';
import { rowFilter } from '../stored/row-filter.ts';
import { fileFilter } from './file-filter.ts';
import type { Ring, RingFile } from './ring.ts';
import { newestUs, oldestUs } from './ring.ts';

/** Milliseconds that a question spends on rows of a ring; then it gives what comes first for sure, and then it gives up. @cap */
const HISTORY_ENOUGH_MS = 700;
const HISTORY_MOST_MS = 15_000;

/** Calls of the ring that one question may pass through: of each a name of 20 characters is kept. @cap */
const HISTORY_PASSED = 2_000_000;
/** So many more than are asked for are gathered before the first ones are chosen. */
const CHOSEN_FROM = 1_024;

/** A call in its place in the order: its figure, and among equals its name. */
export type Place = { readonly key: number; readonly name: string };
export type Found = Place & { readonly file: RingFile; readonly call: IndexedCall };

export type Searched = {
  /** In order, at most as many as asked for. */
  readonly found: readonly Found[];
  /** So many passed behind the place; there may be more where not all was looked at. */
  readonly passed: number;
  readonly isWhole: boolean;
  /** Rows that do not tell whether their call passes. */
  readonly open: number;
  readonly filesRead: number;
};

export type SearchOptions = {
  readonly question: CallsQuestion;
  readonly limit: number;
  /** Null for the first page. */
  readonly after: Place | null;
  readonly asking: RowAsking;
  /** Such a call is answered by the memory. */
  readonly isElsewhere: (call: IndexedCall) => boolean;
  readonly nowMs: () => number;
};

/** Throws Cannot where it would take too long. */
export function* searchSteps(ring: Ring, options: SearchOptions): Steps<Searched> {
  const { question, limit, after, asking, isElsewhere, nowMs } = options;
  const { filter, sort } = question;
  const passes = rowFilter(filter, asking);
  const mayPass = fileFilter(filter, asking);
  const compare = (a: Place, b: Place): number => compareKeys(a.key, b.key, sort) || compareNames(a, b, sort);
  const field = FIELDS.find((one) => one.sort === sort.by);
  const files = [...(yield* ring.filesSteps())];
  const isByTime = sort.by === 'created';
  if (isByTime && !sort.isDescending) files.sort((a, b) => oldestUs(a.index) - oldestUs(b.index));
  const known = new Set<string>();
  const found: Found[] = [];
  const beganMs = nowMs();
  let [passed, open, filesRead] = [0, 0, 0];
  let isWhole = true;
  for (const [i, file] of files.entries()) {
    yield;
    if (!mayPass(file.index) || (after !== null && isByTime && isBefore(file, after, sort))) continue;
    if (isByTime && i > 0 && found.length >= limit) {
      found.sort(compare);
      const last = found[limit - 1];
      if (last !== undefined && isBeyond(file, last, sort)) {
        isWhole = false;
        break;
      }
    }
    const spentMs = nowMs() - beganMs;
    if (isByTime && spentMs > HISTORY_ENOUGH_MS && found.some((one) => isBeyond(file, one, sort))) {
      isWhole = false;
      const sure = found.filter((one) => isBeyond(file, one, sort)).sort(compare);
      return { found: sure.slice(0, limit), passed: sure.length, isWhole, open, filesRead };
    }
    const refuseLong = (): void => {
      const sec = Math.round((nowMs() - beganMs) / 1_000);
      if (sec * 1_000 <= HISTORY_MOST_MS && known.size <= HISTORY_PASSED) return;
      throw new Cannot(
        'too-wide',
        `${filesRead} of ${files.length} files of the ring were looked at, which took ${sec} s; add since:, until:, a number or a Call-ID.`,
      );
    };
    refuseLong();
    filesRead++;
    let n = 0;
    yield* ring.rowsSteps(file, (call) => {
      if (++n % 1_024 === 0) refuseLong();
      const passing = passes(call.row);
      if (passing === false || isElsewhere(call)) return false;
      const one = placed(file, call, field);
      // Of a call that was told of again the newest row comes first.
      if (known.has(one.name)) return false;
      known.add(one.name);
      if (passing === null) open++;
      else if (after === null || compare(one, after) > 0) {
        passed++;
        found.push(one);
        // One file may have all calls of a day.
        if (found.length >= 2 * limit + CHOSEN_FROM) found.sort(compare).splice(limit);
      }
      return false;
    });
  }
  found.sort(compare);
  return { found: found.slice(0, limit), passed, isWhole, open, filesRead };
}

function placed(file: RingFile, call: IndexedCall, field: NamedField | undefined): Found {
  const { row } = call;
  const key = field === undefined ? createdUs(call) : figureOfRow(row, field);
  return { key, name: nameOf(call), file, call };
}

/** Each call has its own: those of one run of the agent are in the order in which they began. */
export function nameOf({ row }: IndexedCall): string {
  const { host, boot, number } = row;
  const run = createHash('sha1')
    .update(JSON.stringify([host, boot]))
    .digest('base64url')
    .slice(0, 8);
  return `${run}${String(Number(number) || 0).padStart(12, '0')}`;
}

export function createdUs({ row, startUs }: IndexedCall): number {
  const text = textOf(row['created_at']);
  return text === '' ? startUs : usOf(text);
}

/** Equals are in an order that is the same each time. */
function compareNames(a: Place, b: Place, { by, isDescending }: Sort): number {
  const order = a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
  return by === 'created' && isDescending ? -order : order;
}

/** All calls of the file come behind this one. */
function isBeyond({ index }: RingFile, { key }: Place, { isDescending }: Sort): boolean {
  return isDescending ? newestUs(index) < key : oldestUs(index) > key;
}

/** All of them come before this place: of the page before, or earlier ones. */
function isBefore({ index }: RingFile, { key }: Place, { isDescending }: Sort): boolean {
  return isDescending ? oldestUs(index) > key : newestUs(index) < key;
}
