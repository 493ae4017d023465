/**
 * How captured bytes stand in a scenario of SIPp, so that they are sent as they were and mean nothing to it.
 *
 * SIPp (3.6 and 3.7) reads the text of a message so: `[` begins a keyword, `\x` and two hexadecimal digits are a byte,
 * a line feed is sent as CR LF, a carriage return is dropped, `]]>` ends the text, and blanks at both ends of a line and
 * line ends at the end of the text are taken off. A quote that nothing closes leads its search for keywords past the
 * end of its memory. All of these are written as `\x..`, so the result is printable ASCII and one well-formed CDATA
 * section.
 */

/** A part of a message: captured text, a byte a character (ISO 8859-1), or what SIPp is to put there. */
export type Piece = { readonly captured: string } | { readonly keyword: string };

/** Stands for the NUL that SIPp, which reads headers as strings of C, cannot send there: U+2400 in UTF-8. */
export const NUL_MARK = '\u00e2\u0090\u0080';

/** Start line and headers: each line end is CR LF, as SIPp finds headers by it. */
export function headText(pieces: readonly Piece[]): string {
  const lines = new Lines();
  for (const piece of pieces) {
    if ('keyword' in piece) lines.keyword(piece.keyword);
    else
      piece.captured.split(/\r?\n/).forEach((line, i) => {
        if (i > 0) lines.end();
        lines.captured(line.replaceAll('\0', NUL_MARK));
      });
  }
  return lines.all().join('\n');
}

/** A body: all its bytes, up to the last one. */
export function bodyText(pieces: readonly Piece[]): string {
  const lines = new Lines();
  for (const piece of pieces) {
    if ('keyword' in piece) lines.keyword(piece.keyword);
    else
      piece.captured.split('\r\n').forEach((line, i) => {
        if (i > 0) lines.end();
        lines.captured(line);
      });
  }
  const all = lines.all();
  let last = all.length;
  while (last > 1 && all[last - 1] === '') last--;
  return all.slice(0, last).join('\n') + '\\x0D\\x0A'.repeat(all.length - last);
}

/** Lines in the making. */
class Lines {
  readonly #done: string[] = [];
  #line = '';
  #quotes = 0;
  #hasOpenQuote = false;

  captured(text: string): void {
    for (const c of text) if (c === '"') this.#quotes++;
    this.#line += text.replace(/[^ -Z^-~]/g, escaped);
  }

  /** One between quotes would open them again for whoever reads from there. */
  keyword(text: string): void {
    this.#hasOpenQuote ||= this.#quotes % 2 === 1;
    this.#line += text;
  }

  end(): void {
    const isOpen = this.#hasOpenQuote || this.#quotes % 2 === 1;
    const line = isOpen ? this.#line.replaceAll('"', escaped) : this.#line;
    this.#done.push(withOuterBlanks(line));
    this.#line = '';
    this.#quotes = 0;
    this.#hasOpenQuote = false;
  }

  all(): readonly string[] {
    this.end();
    return this.#done;
  }
}

/** Blanks at both ends are written out. */
function withOuterBlanks(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && line[start] === ' ') start++;
  while (end > start && line[end - 1] === ' ') end--;
  return '\\x20'.repeat(start) + line.slice(start, end) + '\\x20'.repeat(line.length - end);
}

function escaped(c: string): string {
  return `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
