// Tables that a script measures and writes into a page of docs/, between two comments with its name:
//
//   <!-- NAME -->   the table   <!-- end of NAME -->
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.mjs';

/** `text` with the table of that name replaced. `head` and `rows` are lines of Markdown. Throws where there is no such place. */
export function withTable(text, name, head, rows) {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no ${begin.trim()} with its end`);
  const line = head.replace(/[^|]+/g, ' --- ');
  return `${text.slice(0, from)}${begin}\n${[head, line, ...rows].join('\n')}\n\n${text.slice(to)}`;
}

/** Writes the table into a page, by its path below the repository. */
export function writeTable(page, name, head, rows) {
  const path = join(root, page);
  writeFileSync(path, withTable(readFileSync(path, 'utf8'), name, head, rows));
}
