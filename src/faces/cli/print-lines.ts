/** Prints long answers line by line, so that none is ever one text: a table may be longer than a string can be. */

/** Characters that are worth a write. */
const FLUSH_AT = 64 * 1024;

/** Lines as they are made, so many at a time as are worth a write, and no more before `print` has taken them. */
export async function printLines(lines: Iterable<string>, print: (text: string) => Promise<void>): Promise<void> {
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < FLUSH_AT) continue;
    // A server answers meanwhile.
    await print(text);
    text = '';
  }
  if (text !== '') await print(text);
}
