/**
 * Finds the text that everything that fits a value contains. Most messages lack it, and searching their bytes for it costs a
 * tenth of parsing them.
 */

export type Literal = {
  readonly text: string;
  readonly hasLetters: boolean;
  /** The digits of a number, between which a message may have separators. */
  readonly isNumber: boolean;
};

/** Characters that no parser of a message changes, joins or drops. */
const RUNS = /[a-z\d.+_@-]{2,}/g;
/** Escapes write them otherwise, and U+212A and U+0130, here in UTF-8, have "k" and "i" as their lower case. */
const OTHERWISE = ['%', '\\', '\u00e2\u0084\u00aa', '\u00c4\u00b0'];

/** A number that is written with separators (RFC 3966 section 5.1.1). */
const SEPARATED = /(?:sips?|tel):[^@>;\s]{0,128}\d[-.()]{1,4}\d/i;

/** The longest run of such characters; null where there is none, or where an expression says what fits. */
export function literalOf(
  { text, isExpression }: { text: string; isExpression: boolean },
  isNumber = false,
): Literal | null {
  const runs = isExpression ? [] : [...text.toLowerCase().matchAll(RUNS)].map(([run]) => run);
  const [longest] = runs.sort((a, b) => b.length - a.length);
  return longest === undefined ? null : { text: longest, hasLetters: /[a-z]/.test(longest), isNumber };
}

/** False where no text of the message can fit. */
export function mayHold(message: Buffer, { text, hasLetters, isNumber }: Literal): boolean {
  const raw = message.toString('latin1');
  if ((hasLetters ? raw.toLowerCase() : raw).includes(text)) return true;
  return OTHERWISE.some((other) => raw.includes(other)) || (isNumber && SEPARATED.test(raw));
}
