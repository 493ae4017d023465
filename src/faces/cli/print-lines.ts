/**
 * Prints lines as they are made, so many at a time as are worth a write, and no more before they are taken: a table may be
 * longer than a text can be.
 */

/** Characters that are worth a write. */
const FLUSH_AT = 64 * 1024;

export type Lines = Iterable<string> | AsyncIterable<string>;

export async function printLines(lines: Lines, print: (text: string) => Promise<void>): Promise<void> {
  let text = '';
  const flush = (): Promise<void> => {
    const ready = text;
    text = '';
    // A server answers meanwhile.
    return print(ready);
  };
  if (Symbol.asyncIterator in lines) {
    for await (const line of lines) {
      text += `${line}\n`;
      if (text.length >= FLUSH_AT) await flush();
    }
  } else {
    for (const line of lines) {
      text += `${line}\n`;
      if (text.length >= FLUSH_AT) await flush();
    }
  }
  if (text !== '') await flush();
}
