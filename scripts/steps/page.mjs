// Writes what a run found between two marks of a page, so that no figure is copied by hand.
import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces the lines between `<!-- name -->` and `<!-- end of name -->`, which must be there. */
export function writePart(page, name, lines) {
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${page} has no part ${name}; add ${begin.trim()} and ${end}`);
  writeFileSync(page, `${before}${begin}\n${lines.join('\n')}\n\n${end}${after}`);
}
