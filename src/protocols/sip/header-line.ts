/**
 * One header line after the other, with folding (RFC 3261 7.3.1); shared by the scanner, the full parse and MIME parts.
 *
 *     Name [blanks] ":" [blanks] value CRLF
 *                   *( blank more-value CRLF )     <- a folded value
 *     CRLF                                         <- end of the headers
 */

import { findControl } from '../../core/byte-search.ts';
import { TOKEN_CLASS } from './chars.ts';
import { headerId } from './header-name.ts';
import { NOTE } from './notes.ts';

/** What `readHeaderLine` met. */
export const LINE = {
  HEADER: 0,
  /** The empty line; `next` is the first byte of the body. */
  BLANK: 1,
  /** Not a header; `next` is behind the line. */
  BAD: 2,
  /** The bytes end inside the line. */
  CUT: 3,
} as const;

const CR = 13;
const LF = 10;
const SPACE = 32;
const COLON = 58;

/** Reusable result: id of the header, offsets of the name, of the trimmed value (folds inside kept), and of the next line. */
export class HeaderLine {
  id = 0;
  nameStart = 0;
  nameEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  next = 0;
  /** Notes found so far; the caller clears them once per message. */
  notes = 0;
}

/** One that `findControl` finds and that ends no line. */
function isOtherControl(c: number): boolean {
  return c < 14 && c !== CR && c !== LF;
}

/** Reads the line at `p`; `words` is `wordsOf(buf)`. Linear, without allocation; never reads at or behind `end`. */
export function readHeaderLine(buf: Uint8Array, words: DataView, p: number, end: number, line: HeaderLine): number {
  const lineStart = p;
  let notes = 0;
  const token = TOKEN_CLASS;
  while (p < end && token[buf[p] ?? 0] === 1) p++;
  const nameEnd = p;
  let c = p < end ? (buf[p] ?? 0) : -1;
  if (p === lineStart) {
    // Nothing of a name: the end of the headers, or a bad line.
    if (c === CR && p + 1 < end && buf[p + 1] === LF) {
      line.next = p + 2;
      return LINE.BLANK;
    }
    if (c === LF) {
      line.notes |= NOTE.bareLf;
      line.next = p + 1;
      return LINE.BLANK;
    }
  } else {
    // HCOLON = *( SP / HTAB ) ":" SWS
    while (c === SPACE || c === 9) c = ++p < end ? (buf[p] ?? 0) : -1;
  }
  const isHeader = c === COLON && nameEnd > lineStart;
  let valueStart = isHeader ? p + 1 : p;
  p = valueStart;
  for (;;) {
    p = findControl(buf, words, p, end);
    if (p >= end) return LINE.CUT;
    c = buf[p] ?? 0;
    if (c === LF) notes |= NOTE.bareLf;
    else if (c === CR) {
      if (p + 1 >= end) return LINE.CUT;
      if (buf[p + 1] !== LF) {
        notes |= NOTE.bareCr;
        p++;
        continue;
      }
      p++;
    } else {
      // Controls come in runs where they come at all: each search begins behind one.
      do if (buf[p] === 0) notes |= NOTE.nulInHeaders;
      while (++p < end && isOtherControl(buf[p] ?? 0));
      continue;
    }
    // Here `p` is at the LF. A blank at the start of the next line continues this one.
    p++;
    const following = p < end ? (buf[p] ?? 0) : 0;
    if (following !== SPACE && following !== 9) break;
    notes |= NOTE.folded;
  }
  line.next = p;
  line.notes |= notes;
  if (!isHeader) return LINE.BAD;
  let valueEnd = p - 1;
  while (valueStart < valueEnd && (buf[valueStart] ?? 0) <= SPACE) valueStart++;
  while (valueEnd > valueStart && (buf[valueEnd - 1] ?? 0) <= SPACE) valueEnd--;
  line.id = headerId(buf, lineStart, nameEnd);
  line.nameStart = lineStart;
  line.nameEnd = nameEnd;
  line.valueStart = valueStart;
  line.valueEnd = valueEnd;
  return LINE.HEADER;
}
