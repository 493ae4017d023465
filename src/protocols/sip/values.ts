/** Splits header values that are comma-separated lists (RFC 3261 7.3.1), respecting quotes and < >. */

import { quotedEnd } from './params.ts';

/** Comma-separated values read of one kind of header (Contact, Via, Route lists), over all lines of a message. @cap */
export const MAX_VALUES = 256;

export interface ValueList {
  readonly values: readonly string[];
  /** A comma with nothing before or after it. */
  readonly hasEmpty: boolean;
  readonly hasOpenQuote: boolean;
  readonly isCapped: boolean;
}

/** At most `max` trimmed values of `text`; a quote that never closes and a `<` without `>` do not hide the commas behind them. */
export function splitValues(text: string, max: number = MAX_VALUES): ValueList {
  const values: string[] = [];
  let hasEmpty = false;
  let hasOpenQuote = false;
  const angleEnd = text.lastIndexOf('>');
  let from = 0;
  let p = 0;
  while (values.length < max) {
    const c = p < text.length ? text.charAt(p) : ',';
    if (c === ',') {
      const value = text.slice(from, p).trim();
      if (value !== '') values.push(value);
      else if (from > 0 || p < text.length) hasEmpty = true;
      from = p + 1;
      if (p >= text.length) return { values, hasEmpty, hasOpenQuote, isCapped: false };
    } else if (c === '"' && !hasOpenQuote) {
      const behind = quotedEnd(text, p);
      if (behind < 0) hasOpenQuote = true;
      else p = behind - 1;
    } else if (c === '<' && p < angleEnd) {
      p = text.indexOf('>', p);
    }
    p++;
  }
  return { values, hasEmpty, hasOpenQuote, isCapped: true };
}
