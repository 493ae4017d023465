/**
 * Which calls are asked for, and in what order: read from texts once, then handed to the port.
 */

import { SORT_KEYS } from '../core/call-fields.ts';
import { failure } from '../core/errors.ts';
import type { Filter, FilterError } from '../query/filter.ts';
import { parseFilter } from '../query/parse.ts';

export type Sort = { /** One of SORT_KEYS. */ readonly by: string; readonly isDescending: boolean };

export type CallsQuestion = { readonly filter: Filter; readonly sort: Sort };

export const ALL_CALLS: CallsQuestion = { filter: null, sort: { by: 'created', isDescending: false } };

/** The sort of `created` or `-created`; by creation where it is none. */
export function sortOf(text: string): Sort {
  const isDescending = text.startsWith('-');
  const name = isDescending ? text.slice(1) : text;
  return { by: SORT_KEYS.find((key) => key === name) ?? 'created', isDescending };
}

/** Where the mistake stands, for a person: `character 5 ("frm")`. */
export function placeText(text: string, { start, end }: FilterError): string {
  const part = text.slice(start, Math.min(end, start + 40));
  return `character ${[...text.slice(0, start)].length + 1}${part === '' ? '' : ` ("${part}")`}`;
}

/** The question of options; null means "not given". Throws FILTER_INVALID. */
export function questionOf(filter: string | null, sort: string, isUtc: boolean): CallsQuestion {
  const parsed = parseFilter(filter ?? '', { isUtc });
  if (parsed.ok) return { filter: parsed.filter, sort: sortOf(sort) };
  throw failure('FILTER_INVALID', {
    option: '--filter',
    place: placeText(filter ?? '', parsed.error),
    reason: parsed.error.reason,
  });
}
