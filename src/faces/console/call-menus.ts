/** Menus of the list of calls: which columns it has, and in a narrow window by what it is sorted. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { COLUMNS, chooseColumns } from './call-columns.ts';

type ColumnProps = {
  readonly names: readonly string[];
  /** Titles of columns without room. */
  readonly gone: readonly string[];
  /** All are shown, room or not. */
  readonly isWhole: boolean;
  readonly onNames: (names: readonly string[]) => void;
  readonly onWhole: (isWhole: boolean) => void;
};

export function ColumnMenu({ names, gone, isWhole, onNames, onWhole }: ColumnProps): ComponentChild {
  const more = `${gone.length} more column${gone.length === 1 ? '' : 's'}`;
  return [
    gone.length === 0
      ? null
      : h(
          'button',
          { type: 'button', 'aria-pressed': isWhole, title: gone.join(', '), onClick: () => onWhole(!isWhole) },
          isWhole ? 'All columns: scroll \u2192' : more,
        ),
    h(
      'details',
      { class: 'menu' },
      h('summary', null, 'Columns'),
      h(
        'div',
        { class: 'sheet' },
        COLUMNS.map(({ name, title }) =>
          h(
            'label',
            { key: name },
            h('input', {
              type: 'checkbox',
              checked: names.includes(name),
              onChange: () => {
                const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
                chooseColumns(next);
                onNames(next);
              },
            }),
            ` ${title}`,
          ),
        ),
      ),
    ),
  ];
}

type SortProps = { readonly sort: string; readonly onSort: (by: string) => void };

export function SortMenu({ sort, onSort }: SortProps): ComponentChild {
  const options = COLUMNS.flatMap(({ sort: by, title }) =>
    by === undefined
      ? []
      : [
          [`-${by}`, `${title} \u2193`],
          [by, `${title} \u2191`],
        ],
  );
  return h(
    'select',
    { 'aria-label': 'Sort by', onChange: ({ target }: Event) => onSort((target as HTMLSelectElement).value) },
    options.map(([value = '', title]) => h('option', { key: value, value, selected: value === sort }, title)),
  );
}
