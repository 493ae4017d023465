/**
 * The filter: typed with completion in the language of `calltap --help filter`. `/` leads to it. The list follows while it is
 * typed; Enter keeps it, Esc brings back the one before. Its mistakes stand below it.
 */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { WordAt } from '../../query/word-at.ts';
import { wordAt } from '../../query/word-at.ts';
import { usePageKeys } from './page-keys.ts';

/** A row of `/console/keys.json`, made from the table of keys. */
type Key = {
  readonly key: string;
  readonly words: readonly string[];
  readonly isOrdered: boolean;
  readonly example: string;
  readonly help: string;
};

type Offer = { readonly text: string; readonly help: string };

const OFFERED = 12;
/** The list follows when nothing was typed for so long. */
const PAUSE_MS = 250;
let keys: readonly Key[] = [];

/** The table belongs to the page, so it is asked for without a key. */
async function readKeys(): Promise<void> {
  if (keys.length === 0) keys = (await (await fetch('keys.json')).json()) as readonly Key[];
}

function offersAt({ start, end, key }: WordAt, text: string): Offer[] {
  const begun = text.slice(start, end).toLowerCase();
  const offers =
    key === null
      ? keys.map((row) => ({
          text: row.key === 'header.NAME' ? 'header.' : row.key + (row.isOrdered ? '' : ':'),
          help: `${row.help}, such as ${row.example}`,
        }))
      : (keys.find((row) => row.key === key)?.words ?? []).map((word) => ({ text: word, help: '' }));
  return offers.filter((offer) => offer.text.toLowerCase().startsWith(begun)).slice(0, OFFERED);
}

type Props = {
  readonly q: string;
  readonly mistake: string;
  /** The filter that is to hold; `isInPlace`: instead of what was typed before, to which no way back leads. */
  readonly onApply: (q: string, isInPlace: boolean) => void;
};

export function FilterBar({ q, mistake, onApply }: Props): ComponentChild {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(q);
  const [offers, setOffers] = useState<readonly Offer[]>([]);
  const [chosen, setChosen] = useState(-1);
  /** What held before somebody typed, and the pause after the last key. */
  const typing = useRef({ before: q, timer: 0, isApplied: false });
  useEffect(() => {
    // Who types is ahead of the list.
    if (document.activeElement !== input.current) setText(q);
  }, [q]);
  useEffect(() => () => clearTimeout(typing.current.timer), []);
  usePageKeys((key) => {
    if (key !== '/') return false;
    input.current?.focus();
    return true;
  });
  const offer = (): void => {
    const { value, selectionStart } = input.current ?? { value: '', selectionStart: 0 };
    const typed = wordAt(value, selectionStart ?? value.length);
    const found = typed === null ? [] : offersAt(typed, value);
    setOffers(found);
    // A value that is begun is taken with Enter.
    const isBegun = typed !== null && typed.key !== null && typed.end > typed.start;
    const isOpen = found[0] !== undefined && found[0].text !== value.slice(typed?.start, typed?.end);
    setChosen(isBegun && isOpen ? 0 : -1);
  };
  const hold = (next: string): void => {
    const { isApplied } = typing.current;
    typing.current.isApplied = true;
    onApply(next, isApplied);
  };
  const follow = (value: string): void => {
    clearTimeout(typing.current.timer);
    typing.current.timer = window.setTimeout(() => hold(value.trim()), PAUSE_MS);
  };
  const take = (word: string): void => {
    const at = input.current;
    const typed = at === null ? null : wordAt(at.value, at.selectionStart ?? at.value.length);
    if (at === null || typed === null) return;
    // A value is whole; after a key its value is typed.
    const whole = typed.key === null ? word : `${word} `;
    at.setRangeText(whole, typed.start, typed.end, 'end');
    setText(at.value);
    at.focus();
    offer();
    follow(at.value);
  };
  const apply = (value: string): void => {
    clearTimeout(typing.current.timer);
    setOffers([]);
    hold(value.trim());
    typing.current = { before: value.trim(), timer: 0, isApplied: false };
  };
  const onKey = (event: KeyboardEvent): void => {
    const { length } = offers;
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && length > 0) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setChosen((chosen + step + (chosen < 0 && step < 0 ? 1 : 0) + length) % length);
    } else if (event.key === 'Tab' && length > 0 && !event.shiftKey && text !== '') {
      event.preventDefault();
      take(offers[Math.max(0, chosen)]?.text ?? '');
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (chosen >= 0) take(offers[chosen]?.text ?? '');
      else {
        apply(text);
        // The keys of the list are meant from here on.
        input.current?.blur();
      }
    } else if (event.key === 'Escape') {
      if (length > 0) setOffers([]);
      else {
        setText(typing.current.before);
        apply(typing.current.before);
        input.current?.blur();
      }
    }
  };
  return h(
    'form',
    {
      class: 'filter',
      role: 'search',
      onSubmit: (event: Event) => {
        event.preventDefault();
        apply(text);
      },
    },
    h('input', {
      ref: input,
      id: 'filter',
      type: 'text',
      role: 'combobox',
      'aria-label': 'Filter of calls',
      'aria-expanded': offers.length > 0,
      'aria-controls': 'offers',
      'aria-activedescendant': chosen >= 0 ? `offer-${chosen}` : undefined,
      'aria-invalid': mistake !== '',
      'aria-describedby': mistake === '' ? undefined : 'filter-mistake',
      placeholder: 'Filter: from:2001 state:Failed since:10m   ( / )',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: false,
      maxLength: 4096,
      value: text,
      onFocus: () => {
        typing.current = { before: q, timer: 0, isApplied: false };
        input.current?.select();
        void readKeys().then(offer);
      },
      onInput: (event: Event) => {
        const { value } = event.target as HTMLInputElement;
        setText(value);
        offer();
        follow(value);
      },
      onKeyDown: onKey,
      onBlur: () => setOffers([]),
    }),
    h('button', { type: 'submit' }, 'Filter'),
    q === ''
      ? null
      : h(
          'button',
          {
            type: 'button',
            onClick: () => {
              setText('');
              apply('');
            },
          },
          'Clear',
        ),
    h(
      'ul',
      { id: 'offers', role: 'listbox', 'aria-label': 'Completions', hidden: offers.length === 0 },
      offers.map((row, i) =>
        h(
          'li',
          {
            id: `offer-${i}`,
            role: 'option',
            'aria-selected': i === chosen,
            // Before the field loses the focus.
            onMouseDown: (event: Event) => {
              event.preventDefault();
              take(row.text);
            },
          },
          h('b', null, row.text),
          row.help === '' ? null : ` ${row.help}`,
        ),
      ),
    ),
    mistake === '' ? null : h('p', { class: 'note bad', role: 'alert', id: 'filter-mistake' }, mistake),
  );
}
