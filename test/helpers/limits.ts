/** The reader of the marks of caps, which a script has. */
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

type Text = { readonly path: string; readonly text: string };
type Mark = { readonly caps: readonly { readonly name: string; readonly value: number }[] };
type Limits = {
  readonly marksOf: (file: Text) => Mark[];
  readonly limitsPage: (page: string, files: readonly Text[]) => string;
};

export const { marksOf, limitsPage }: Limits = await import(join(ROOT, 'scripts/pages/limits.mjs'));
