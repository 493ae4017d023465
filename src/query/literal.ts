/**
 * Finds the text that everything that fits a value contains. Most messages lack it, and searching their bytes for it costs a
 * tenth of parsing them.
 */

export type Literal = { readonly text: string; readonly hasLetters: boolean };

/** Characters that no parser of a message changes, joins or drops. */
const RUNS = /[a-z\d.+_@-]{2,}/g;
/** Escapes write them otherwise, and U+212A and U+0130, here in UTF-8, have "k" and "i" as their lower case. */
const OTHERWISE = ['%', '\\', '\u00e2\u0084\u00aa', '\u00c4\u00b0'];

/** The longest run of such characters; null where there is none, or where an expression says what fits. */
export function literalOf({ text, isExpression }: { text: string; isExpression: boolean }): Literal | null {
  const runs = isExpression ? [] : [...text.toLowerCase().matchAll(RUNS)].map(([run]) => run);
  const [longest] = runs.sort((a, b) => b.length - a.length);
  return longest === undefined ? null : { text: longest, hasLetters: /[a-z]/.test(longest) };
}

/** False where no text of the message can fit. */
export function mayHold(message: Buffer, { text, hasLetters }: Literal): boolean {
  const raw = message.toString('latin1');
  return (hasLetters ? raw.toLowerCase() : raw).includes(text) || OTHERWISE.some((other) => raw.includes(other));
}
