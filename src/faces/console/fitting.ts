/** Which columns a table has room for: those of least use go first, and the table says how many went. */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { CARDS_PX } from './window.ts';

export type Fit = {
  /** Columns without room, as a number of `spare`. */
  readonly gone: number;
  /** The rest is wider than its place, too. */
  readonly isOver: boolean;
};

const ALL: Fit = { gone: 0, isOver: false };

/** `spare`: indexes of the columns that may go, the first one first. Measured after each drawing and each change of the place. */
export function useFitting(box: { readonly current: HTMLElement | null }, spare: readonly number[]): Fit {
  const [fit, setFit] = useState(ALL);
  const measure = (): void => {
    const table = box.current?.querySelector('table');
    if (box.current === null || !table) return;
    const { gone, isOver } = innerWidth < CARDS_PX ? ALL : fitOf(table, box.current.clientWidth, spare);
    setFit((was) => (was.gone === gone && was.isOver === isOver ? was : { gone, isOver }));
  };
  useLayoutEffect(measure);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return fit;
}

function fitOf(table: HTMLTableElement, room: number, spare: readonly number[]): Fit {
  // Shows all columns for as long as they are measured: nothing is painted in between.
  table.classList.add('whole');
  const widths = [...(table.tHead?.rows[0]?.cells ?? [])].map(({ offsetWidth }) => offsetWidth);
  let over = table.offsetWidth - room;
  table.classList.remove('whole');
  let gone = 0;
  while (over > 0 && gone < spare.length) over -= widths[spare[gone++] ?? 0] ?? 0;
  return { gone, isOver: over > 0 };
}
