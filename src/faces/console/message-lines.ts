/** The text of a message as it is shown and copied. */
import { linesOf } from './message-text.ts';
import { shownLine } from './words.ts';

/** Of a header or a line in the page; a message may be one line of 60 kB. */
const LINE_CHARS = 8_000;

/** A line as it is shown: what steers is a dot. */
export function line(text: string): string {
  const whole = shownLine(text.length > LINE_CHARS ? text.slice(0, LINE_CHARS) : text);
  return text.length > LINE_CHARS ? `${whole}\u2026 (${text.length} characters)` : whole;
}

/** All lines of a message, as they are shown and copied. */
export function rawText(text: string): string {
  return linesOf(text).map(line).join('\n');
}
