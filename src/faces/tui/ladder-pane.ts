/**
 * A ladder on a part of the screen, with the chosen message in the middle where there is more of it than room.
 */
import type { AskLadder, LadderStep } from '../../contract/index.ts';
import type { LadderRow } from '../../view/ladder-text.ts';
import { ladderRows } from '../../view/ladder-text.ts';
import type { Area } from './app.ts';
import type { Cells } from './cells.ts';
import { charactersOf, LOOK } from './cells.ts';
import type { Shown } from './shown.ts';

export class LadderPane {
  /** Lines of the ladder, of which a frame draws those that it shows. */
  #rows: readonly LadderRow[] = [];
  /** What they were made for. */
  #rowsFor: readonly unknown[] = [];

  /** `chosen` is null where no message is. */
  draw(cells: Cells, { x, y, width, height }: Area, ladder: AskLadder, chosen: LadderStep | null, shown: Shown): void {
    const { call_ids } = ladder;
    const rows = this.#rowsOf(ladder, width, shown);
    cells.put(x, y, rows[0]?.text ?? '', LOOK.bold, width);
    const at = chosen === null ? -1 : rows.findIndex(({ step }) => step === chosen) - 1;
    const top = Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
    for (const [i, row] of rows.slice(1 + top, top + height).entries()) {
      const look = row.step === null ? LOOK.plain : shown.lookOfStep(row.step, call_ids.indexOf(row.step.call_id));
      cells.put(
        x,
        y + 1 + i,
        row.text,
        row.look === 'again' ? LOOK.dim : row.look === 'head' ? LOOK.bold : look,
        width,
      );
      if (at >= 0 && top + i === at) cells.mark(x, y + 1 + i, width, LOOK.reverse);
    }
  }

  #rowsOf(ladder: AskLadder, width: number, { isUtc, time }: Shown): readonly LadderRow[] {
    const made = [ladder, width, isUtc, time];
    if (made.some((part, i) => part !== this.#rowsFor[i])) {
      this.#rows = [...ladderRows(ladder, { width, isUtc, time, characters: charactersOf })];
      this.#rowsFor = made;
    }
    return this.#rows;
  }
}
