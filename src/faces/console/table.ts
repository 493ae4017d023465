/** A table with a name: as many columns as there is room for, rows as cards in a narrow window, and the whole as a file. */
import type { ComponentChild, ComponentChildren } from 'preact';
import { h } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useFitting } from './fitting.ts';
import { saveTable } from './table-file.ts';

type Props = {
  readonly name: string;
  /** Its columns: `#` begins one of numbers, `~` one of texts, whose words may stand on several lines. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Titles of columns that go where there is no room, the first one first. */
  readonly spare?: readonly string[];
};

const KINDS: Readonly<Record<string, string>> = { '#': 'num', '~': 'text' };

export function Table({ name, head, rows, spare = [] }: Props): ComponentChild {
  const box = useRef<HTMLDivElement>(null);
  const titles = head.map((title) => title.replace(/^[#~]/, ''));
  const { gone, isOver } = useFitting(
    box,
    spare.map((title) => titles.indexOf(title)),
  );
  const [isWhole, setWhole] = useState(false);
  const hidden = spare.slice(0, gone);
  const classOf = (i: number): string =>
    `${KINDS[head[i]?.[0] ?? ''] ?? ''}${!isWhole && hidden.includes(titles[i] ?? '') ? ' gone' : ''}`;
  return h(
    'div',
    { class: 'table' },
    h(
      'div',
      { class: 'over' },
      gone === 0
        ? null
        : h(
            'button',
            {
              type: 'button',
              'aria-pressed': isWhole,
              title: hidden.join(', '),
              onClick: () => setWhole(!isWhole),
            },
            isWhole ? 'All columns: scroll \u2192' : `${gone} more column${gone === 1 ? '' : 's'}`,
          ),
      isOver && !isWhole ? h('span', { class: 'dim' }, 'scroll \u2192') : null,
      h(
        'button',
        {
          type: 'button',
          'aria-label': `${name} as CSV`,
          onClick: () => {
            const table = box.current?.querySelector('table');
            if (table) saveTable(table, name);
          },
        },
        'CSV',
      ),
    ),
    h(
      'div',
      { class: 'scroll', ref: box, tabIndex: 0, role: 'region', 'aria-label': name },
      // Its roles are told where style.css makes cards of it.
      h(
        'table',
        { role: 'table', onPointerOver: tellWhole },
        h(
          'thead',
          { role: 'rowgroup' },
          h(
            'tr',
            { role: 'row' },
            titles.map((title, i) => h('th', { scope: 'col', role: 'columnheader', class: classOf(i) }, title)),
          ),
        ),
        h(
          'tbody',
          { role: 'rowgroup' },
          rows.map((cells) =>
            h(
              'tr',
              { role: 'row' },
              cells.map((cell, i) => h('td', { role: 'cell', class: classOf(i), 'data-title': titles[i] }, cell)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** A cell that is cut tells all of its text to the mouse. */
function tellWhole({ target }: Event): void {
  const cell = target instanceof Element ? target.closest('td') : null;
  if (cell !== null) cell.title = cell.scrollWidth > cell.clientWidth ? (cell.textContent ?? '') : '';
}
