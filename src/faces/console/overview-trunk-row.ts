/** A trunk by time: a cell is as tall as it is bad, and leads to its calls by click or Enter. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useMemo } from 'preact/hooks';
import type { OverviewTrunk } from '../../contract/index.ts';
import type { OverviewFigure } from '../../core/overview-words.ts';
import { listOf, trunkCalls } from './overview-filters.ts';
import { ROW_HEIGHT, rowPaths, SCALES } from './overview-heat.ts';
import { betweenOf } from './overview-picture.ts';
import type { Axis } from './overview-plot.ts';
import { FIGURES } from './overview-span.ts';
import { minuteOf, written } from './overview-words.ts';
import { hashOf } from './route.ts';
import { counted, shown, signOf } from './words.ts';

/** The cell that one points at. */
export type Place = { readonly row: number; readonly cell: number };

type RowProps = {
  readonly trunk: OverviewTrunk;
  readonly by: OverviewFigure;
  readonly axis: Axis;
  readonly row: number;
  readonly rows: number;
  readonly cell: number | null;
  /** Tab stops at one row; arrows lead to the others. */
  readonly isFirst: boolean;
  readonly onPlace: (place: Place | null) => void;
};

export function TrunkRow({ trunk, by, axis, row, rows, cell, isFirst, onPlace }: RowProps): ComponentChild {
  const paths = useMemo(() => [...rowPaths(by, trunk.cells)], [trunk, by]);
  const last = trunk.cells.length - 1;
  const cellAt = ({ clientX, currentTarget }: MouseEvent): number => {
    const { left, width } = (currentTarget as Element).getBoundingClientRect();
    return Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * trunk.cells.length)));
  };
  const open = (at: number): void => {
    location.hash = listOf(
      trunkCalls(trunk.trunk, betweenOf(axis, at)),
      by === 'mos' ? 'mos' : by === 'pdd' ? '-pdd' : '',
    );
  };
  const onKey = (event: KeyboardEvent): void => {
    const at = cell ?? last;
    const moves: Record<string, Place> = {
      ArrowLeft: { row, cell: Math.max(0, at - 1) },
      ArrowRight: { row, cell: Math.min(last, at + 1) },
      Home: { row, cell: 0 },
      End: { row, cell: last },
      ArrowUp: { row: Math.max(0, row - 1), cell: at },
      ArrowDown: { row: Math.min(rows - 1, row + 1), cell: at },
    };
    const to = moves[event.key];
    if (to !== undefined) {
      onPlace(to);
      if (to.row !== row) focusRow(event.currentTarget as Element, to.row);
    } else if (event.key === 'Enter') open(at);
    else return;
    event.preventDefault();
  };
  const name = shown(trunk.trunk);
  const [sign, tone] = signOf(trunk.state);
  return h(
    'div',
    { class: 'heat-row' },
    h(
      'a',
      { href: hashOf('trunks', trunk.trunk, { direction: trunk.direction }), title: `${name}: ${trunk.state}` },
      h('span', { class: `state ${tone}`, 'aria-hidden': 'true' }, sign),
      h('bdi', null, name),
      h('span', { class: 'dim' }, trunk.direction === 'in' ? ' in' : ' out'),
    ),
    h(
      'div',
      {
        class: 'cells',
        role: 'slider',
        tabIndex: isFirst ? 0 : -1,
        'aria-label': `${name} ${trunk.direction}, ${FIGURES[by]} by time`,
        'aria-valuemin': 0,
        'aria-valuemax': last,
        'aria-valuenow': cell ?? last,
        'aria-valuetext': cellWords(trunk, by, axis, cell ?? last),
        onKeyDown: onKey,
        onFocus: () => onPlace({ row, cell: cell ?? last }),
        onMouseMove: (event: MouseEvent) => onPlace({ row, cell: cellAt(event) }),
        onClick: (event: MouseEvent) => open(cellAt(event)),
      },
      h(
        'svg',
        { viewBox: `0 0 ${trunk.cells.length} ${ROW_HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        paths.map(([look, d]) => h('path', { key: look, class: look, d })),
        cell === null ? null : h('rect', { class: 'here', x: cell, y: 0, width: 1, height: ROW_HEIGHT }),
      ),
    ),
    h(
      'span',
      { class: 'num', title: `${trunk.answered} of ${trunk.attempts} answered` },
      trunk.value === undefined ? '\u2013' : written(SCALES[by].unit, trunk.value),
    ),
  );
}

function focusRow(from: Element, row: number): void {
  const rows = from.closest('.heat')?.querySelectorAll<HTMLElement>('.cells');
  rows?.[row]?.focus();
}

/** `14:05 to 14:10: ASR 43.0 %, 14 calls`. */
export function cellWords({ cells }: OverviewTrunk, by: OverviewFigure, axis: Axis, cell: number): string {
  const { from, to } = betweenOf(axis, cell);
  const { attempts = 0, value } = cells[cell] ?? {};
  const figure = value === undefined ? '' : `${FIGURES[by]} ${written(SCALES[by].unit, value)}, `;
  return `${minuteOf(from)} to ${minuteOf(to)}: ${figure}${counted(attempts, 'call')}`;
}
