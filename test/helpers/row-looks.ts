/** How much work it is to find things in rows: what is counted is the same however busy the machine is. */
import { RowBlocks } from '../../src/store/row-blocks.ts';

/** Fields of rows that are read and written one by one meanwhile. */
export function looksAtRows(work: () => void): number {
  let n = 0;
  const { get, set } = RowBlocks.prototype;
  RowBlocks.prototype.get = function (row, at) {
    n++;
    return get.call(this, row, at);
  };
  RowBlocks.prototype.set = function (row, at, value) {
    n++;
    set.call(this, row, at, value);
  };
  try {
    work();
  } finally {
    Object.assign(RowBlocks.prototype, { get, set });
  }
  return n;
}
