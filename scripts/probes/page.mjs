// The tables of docs/tls-coverage.md that scripts write: between two comments with the table's name.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../steps/files.mjs';

const PAGE = join(root, 'docs/tls-coverage.md');

const row = (cells) => `| ${cells.join(' | ')} |`;

/** Replaces the table `name`: its head, and rows of as many cells. */
export function writeTable(name, head, rows) {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/tls-coverage.md has no place for the table ${name}`);
  const lines = [row(head), row(head.map(() => '---')), ...rows.map(row)];
  writeFileSync(PAGE, `${before}${begin}\n${lines.join('\n')}\n\n${end}${after}`);
}
