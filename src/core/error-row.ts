/** What a row of the catalogue of errors (errors.ts) is: its texts, its page of docs/, its exit code. */

type Texts = {
  /** What is wrong; `{name}` is filled in. */
  readonly line: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** Texts for `{cause}`, by errno or by a word of ours; `other` is for the rest. */
  readonly causes?: Readonly<Record<string, string>>;
};

/** Exit code 1: the work failed; 2: the command line or the configuration is wrong. */
export type ErrorRow = Texts & { readonly page: string; readonly exit: 1 | 2 };

type Placed<T> = { readonly [C in keyof T]: T[C] & Pick<ErrorRow, 'page' | 'exit'> };

/** Rows whose page and exit code are the same. */
export function rows<const T extends Readonly<Record<string, Texts>>>(page: string, exit: 1 | 2, texts: T): Placed<T> {
  const placed = Object.entries(texts).map(([code, row]) => [code, { ...row, page, exit }] as const);
  // The codes and texts are those that were given; fromEntries widens them.
  return Object.fromEntries(placed) as Placed<T>;
}
