/**
 * A grid of which only the rows in sight are in the page, so that a hundred thousand cost as much as fifty. One row is the
 * current one: keys move it, and the list scrolls with it.
 */
import type { ComponentChild, ComponentChildren } from 'preact';
import { h } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { usePageKeys } from './page-keys.ts';

/** A row of cells, or a card of three lines. */
const ROW_PX = 28;
const CARD_PX = 78;
/** Rows beyond the edges, so that a turn of the wheel finds them there. */
const BEYOND = 8;
/** Shorter texts are not cut. */
const TITLED_CHARS = 8;

export type GridColumn<T> = {
  readonly name: string;
  readonly title: string;
  readonly width: string;
  readonly sort?: string;
  readonly isNumber?: true;
  readonly cell: (row: T) => ComponentChildren;
};

type Props<T> = {
  readonly label: string;
  readonly columns: readonly GridColumn<T>[];
  readonly rows: readonly T[];
  /** Rows that there are, also those that were not read yet. */
  readonly total: number;
  readonly keyOf: (row: T) => string;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** The key of the current row; null where there is none. */
  readonly current: string | null;
  readonly onCurrent: (key: string | null) => void;
  readonly onOpen: (row: T) => void;
  /** Called when the last rows come into sight. */
  readonly onEnd: () => void;
  /** Rows must not move: somebody scrolled, or points at one. */
  readonly onHeld: (isHeld: boolean) => void;
  /** How far it is scrolled: read at first, written from then on. */
  readonly place: { current: number };
  /** There is no room for rows. */
  readonly areCards: boolean;
  readonly children?: ComponentChildren;
};

export function VirtualTable<T>(props: Props<T>): ComponentChild {
  const { label, columns, rows, keyOf, sort, current } = props;
  const rowPx = props.areCards ? CARD_PX : ROW_PX;
  const box = useRef<HTMLDivElement>(null);
  const [{ top, height }, setView] = useState({ top: 0, height: 600 });
  const isPointed = useRef(false);
  const look = (): void => {
    const at = box.current;
    if (at === null) return;
    props.place.current = at.scrollTop;
    setView({ top: at.scrollTop, height: at.clientHeight });
    props.onHeld(at.scrollTop > 0 || isPointed.current);
  };
  /** Where it was left. It may not reach that far before all above it is drawn; null since somebody moved it. */
  const wanted = useRef<number | null>(props.place.current);
  const restore = (): void => {
    if (box.current !== null && wanted.current !== null) box.current.scrollTop = wanted.current;
  };
  const taken = (): void => {
    wanted.current = null;
  };
  useLayoutEffect(restore, []);
  useEffect(() => {
    look();
    const observer = new ResizeObserver(() => {
      restore();
      look();
    });
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / rowPx) - BEYOND);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowPx) + BEYOND);
  useEffect(() => {
    if (last >= rows.length && rows.length > 0) props.onEnd();
  }, [last, rows.length]);

  const at = current === null ? -1 : rows.findIndex((row) => keyOf(row) === current);
  const move = (to: number): void => {
    const i = Math.max(0, Math.min(rows.length - 1, to));
    const row = rows[i];
    const view = box.current;
    if (row === undefined || view === null) return;
    taken();
    props.onCurrent(keyOf(row));
    view.focus({ preventScroll: true });
    // The head stands over the first row in sight.
    if (i * rowPx < view.scrollTop) view.scrollTop = i * rowPx;
    else if ((i + 2) * rowPx > view.scrollTop + view.clientHeight) view.scrollTop = (i + 2) * rowPx - view.clientHeight;
  };
  const page = Math.max(1, Math.floor(height / rowPx) - 2);
  usePageKeys((key) => {
    const to = targetOf(key, at, page, rows.length);
    const row = rows[at];
    if (to !== null) move(to);
    else if (key === 'Enter' && row !== undefined) props.onOpen(row);
    else if (key === 'Escape') props.onCurrent(null);
    else return false;
    return true;
  });
  const pointed = (is: boolean): void => {
    isPointed.current = is;
    look();
  };
  const widths = props.areCards ? {} : { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return h(
    'div',
    {
      class: props.areCards ? 'grid cards' : 'grid',
      ref: box,
      role: 'grid',
      tabIndex: 0,
      'aria-label': label,
      'aria-rowcount': props.total + 1,
      'aria-colcount': columns.length,
      'aria-activedescendant': at >= first && at < last ? `row-${at}` : undefined,
      onScroll: look,
      onWheel: taken,
      onPointerDown: taken,
    },
    h(
      'div',
      { role: 'rowgroup', class: 'head' },
      h(
        'div',
        { role: 'row', class: 'row', style: widths, 'aria-rowindex': 1 },
        columns.map((column) => headOf(column, sort, props.areCards ? null : props.onSort)),
      ),
    ),
    h(
      'div',
      {
        role: 'rowgroup',
        style: { height: `${rows.length * rowPx}px`, position: 'relative' },
        onPointerEnter: (event: PointerEvent) => pointed(event.pointerType === 'mouse'),
        onPointerLeave: () => pointed(false),
      },
      rows.slice(first, last).map((row, k) =>
        h(
          'div',
          {
            key: keyOf(row),
            id: `row-${first + k}`,
            role: 'row',
            class: first + k === at ? 'row current' : 'row',
            'aria-rowindex': first + k + 2,
            'aria-selected': first + k === at,
            style: { ...widths, height: `${rowPx}px`, transform: `translateY(${(first + k) * rowPx}px)` },
            onClick: () => props.onOpen(row),
          },
          columns.map((column) => cellOf(column, row)),
        ),
      ),
    ),
    props.children,
  );
}

/** The row that a key leads to; null for a key of another meaning. */
function targetOf(key: string, at: number, page: number, rows: number): number | null {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return at + 1;
    case 'ArrowUp':
    case 'k':
      return at - 1;
    case 'PageDown':
      return at + page;
    case 'PageUp':
      return at - page;
    case 'Home':
    case 'g':
      return 0;
    case 'End':
    case 'G':
      return rows - 1;
    default:
      return null;
  }
}

function cellOf<T>(column: GridColumn<T>, row: T): ComponentChild {
  const text = column.cell(row);
  // One that is cut tells all of it to the mouse.
  const title = typeof text === 'string' && text.length > TITLED_CHARS ? text : undefined;
  const kind = column.isNumber === true ? 'num' : '';
  return h('div', { key: column.name, role: 'gridcell', class: `${kind} of-${column.name}`, title }, text);
}

/** `onSort` is null where cards have no head to press. */
function headOf<T>(column: GridColumn<T>, sort: string, onSort: ((sort: string) => void) | null): ComponentChild {
  const by = column.sort;
  const isDown = sort === `-${by}`;
  const isBy = isDown || sort === by;
  const order = isBy ? (isDown ? 'descending' : 'ascending') : 'none';
  return h(
    'div',
    {
      key: column.name,
      role: 'columnheader',
      class: column.isNumber === true ? 'num' : '',
      ...(by === undefined ? {} : { 'aria-sort': order }),
    },
    by === undefined || onSort === null
      ? column.title
      : h(
          'button',
          { type: 'button', onClick: () => onSort(isDown ? by : `-${by}`) },
          column.title,
          isBy ? (isDown ? ' \u2193' : ' \u2191') : '',
        ),
  );
}
