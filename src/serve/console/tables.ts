/** What the page must know of the program and does not say itself: the keys of filters, and what each loss means. */
import { HEADER_KEY, KEYS } from '../../query/keys.ts';
import { LOSSES } from '../../view/loss-table.ts';

/** The language of filters for completion, from the table that reads them. */
export function filterKeys(): string {
  return JSON.stringify(
    [...KEYS, HEADER_KEY].map(({ key, kind, example, help }) => ({
      key,
      words: kind.words,
      isOrdered: kind.isOrdered,
      example,
      help,
    })),
  );
}

/** The words of each loss; a key with a star at its end stands for all that begin so. */
export function lossHelp(): string {
  return JSON.stringify(LOSSES.map(({ name, means, remedy = '' }) => ({ key: name, meaning: means, remedy })));
}
