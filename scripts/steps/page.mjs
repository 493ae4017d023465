// What scripts write into pages beside words by hand, so that no figure is copied: between two comments
//
//   <!-- NAME -->   the lines   <!-- end of NAME -->
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.mjs';

const PAGE = join(root, 'docs/tls-coverage.md');

/** `text` with the lines of that name replaced. Throws where there is no such place. */
export function withPart(text, name, lines) {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no ${begin.trim()} with its end`);
  return `${text.slice(0, from)}${begin}\n${lines.join('\n')}\n\n${text.slice(to)}`;
}

/** Writes the lines into the page. */
export function writePart(name, lines) {
  writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), name, lines));
}

/** A table as lines: its head, and rows of as many cells. */
export function tableOf(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
