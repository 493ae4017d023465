/**
 * What a terminal may be shown: hostile text made safe, columns, and colours.
 */

/** Replaces control characters (C0, C1, DEL and all that turns the direction of text), so that captured text cannot steer a terminal. */
export function safeText(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g,
    '\u00b7',
  );
}

/** Cuts to `width` characters, the last one an ellipsis when something was cut. */
export function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}\u2026`;
}

const COLORS = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, gray: 90, bold: 1 } as const;
export type Color = keyof typeof COLORS;

/** One a call, where messages of several are mixed. */
export const CALL_COLORS: readonly Color[] = ['cyan', 'yellow', 'green', 'magenta', 'blue', 'red'];

/** Colours text for a terminal; plain when the stream is not a terminal or NO_COLOR is set. */
export function paint(text: string, color: Color | null, enabled: boolean): string {
  return enabled && color !== null ? `\u001b[${COLORS[color]}m${text}\u001b[0m` : text;
}

/** Lays rows out in columns two blanks apart, line by line; numbers right-aligned. */
export function* layout(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  rightAligned: ReadonlySet<number>,
  paintCell: (text: string, row: number, column: number) => string,
): Generator<string> {
  const widths = header.map((h, c) => rows.reduce((w, r) => Math.max(w, (r[c] ?? '').length), h.length));
  const line = (cells: readonly string[], row: number): string =>
    cells
      .map((cell, c) => {
        const last = c === cells.length - 1;
        const pad = last && !rightAligned.has(c) ? '' : ' '.repeat(Math.max(0, (widths[c] ?? 0) - cell.length));
        const shown = paintCell(cell, row, c);
        return rightAligned.has(c) ? pad + shown : shown + pad;
      })
      .join('  ')
      .trimEnd();
  yield line(header, -1);
  for (const [i, r] of rows.entries()) yield line(r, i);
}
