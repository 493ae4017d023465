/** The screen of calls: filter, findings of the calls with their counts, and the list, which changes as calls do. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AskCalls, AskFindings, AskPulse, Call } from '../../contract/index.ts';
import { CALLS_ONLY } from '../../core/call-fields.ts';
import { rowKey } from '../../core/maps.ts';
import { useFetched, whyOf } from './asking.ts';
import { soundsBad } from './call-cause.ts';
import { cardColumns, chosenColumns, columnsFor } from './call-columns.ts';
import type { Kept, ListState } from './call-list.ts';
import { CallList, EMPTY, MOST_NEW } from './call-list.ts';
import { ColumnMenu, SortMenu } from './call-menus.ts';
import { FilterBar } from './filter-bar.ts';
import { usePageKeys } from './page-keys.ts';
import { hashOf } from './route.ts';
import { sentence } from './sentence.ts';
import { ask } from './service.ts';
import { saveCalls } from './table-file.ts';
import { VirtualTable } from './virtual-table.ts';
import { CARDS_PX, go, remPx, useWindowWidth } from './window.ts';
import { clock, counted, day } from './words.ts';

const COUNTED_EVERY_MS = 10_000;
const PROGRESS_EVERY_MS = 2_000;

type Props = { readonly q: string; readonly sort: string };

/** The row that one came from, so that going back finds it current. */
let lastOpened: string | null = null;
/** The list that was left last, and how far it was scrolled: going back finds its rows, too. */
let left: { readonly q: string; readonly sort: string; readonly kept: Kept; readonly top: number } | null = null;

/** Who sorts a list by these wants to see and hear the quality of a call first. */
const SOUND_SORTS: ReadonlySet<string> = new Set(['mos', 'loss', 'jitter']);

export function Calls({ q, sort }: Props): ComponentChild {
  const [before] = useState(left?.q === q && left.sort === sort ? left : null);
  const [list, setList] = useState<ListState>(before?.kept.state ?? EMPTY);
  const place = useRef(before?.top ?? 0);
  const [isPaused, setPaused] = useState(false);
  const [current, setCurrent] = useState<string | null>(lastOpened);
  const [names, setNames] = useState(chosenColumns());
  /** What keeps rows where they are; a table that is drawn once asks for it long after. */
  const hand = useRef({ isScrolled: false, isPaused, current });
  hand.current = { ...hand.current, isPaused, current };
  const calls = useRef<CallList | null>(null);
  /** What stays on the screen while another filter is asked, or cannot be read. */
  const last = useRef(list);
  last.current = list;
  const widthPx = useWindowWidth();
  const areCards = widthPx < CARDS_PX;
  const [isWhole, setWhole] = useState(false);
  const progress = useProgress();
  const holdIt = (): void => {
    const { isScrolled, isPaused: isStill, current: row } = hand.current;
    calls.current?.hold(isScrolled || isStill || row !== null);
  };
  useEffect(() => {
    const isSame = left?.q === q && left.sort === sort;
    const opened = new CallList(q, sort, setList, isSame && left !== null ? left.kept : { state: last.current });
    calls.current = opened;
    holdIt();
    return () => {
      opened.close();
      left = { q, sort, kept: opened.kept(), top: place.current };
      // The row is one of another list.
      setCurrent(null);
    };
  }, [q, sort]);
  // With the row itself, not after it was painted: what was read in between would move it.
  useLayoutEffect(holdIt, [isPaused, current]);
  usePageKeys((key) => {
    if (key === 'p') setPaused(!isPaused);
    else if (key === 'e') void openFailed();
    else if (key === 'c') apply(toggled(q, CALLS_ONLY));
    else return false;
    return true;
  });
  const openFailed = async (): Promise<void> => {
    const { calls: failed } = await ask<AskCalls>('ask/calls?q=state:Failed&limit=1');
    if (failed[0] !== undefined) open(failed[0]);
  };
  const apply = (next: string, by = sort, isInPlace = false): void =>
    go('calls', '', { q: next, sort: by === '-created' ? '' : by }, isInPlace);
  const open = (call: Call): void => {
    lastOpened = rowKey(call);
    const isOfSound = soundsBad(call) || SOUND_SORTS.has(sort.replace(/^-/, ''));
    go('call', call.call_id, { legs: '1', tab: isOfSound ? 'quality' : '' });
  };
  const hasHosts = list.rows[0]?.host !== undefined;
  const fitting = columnsFor(widthPx / remPx(), names, hasHosts);
  const wanted = isWhole ? columnsFor(Number.POSITIVE_INFINITY, names, hasHosts) : fitting;
  const columns = areCards ? cardColumns(hasHosts) : wanted.columns;
  return h(
    'main',
    { class: 'calls' },
    h('h1', { class: 'hidden' }, 'Calls'),
    h(FilterBar, {
      q,
      mistake: list.error,
      onApply: (next: string, isInPlace: boolean) => apply(next, sort, isInPlace),
    }),
    h(
      'div',
      { class: 'bar' },
      h(
        'span',
        { role: 'status' },
        list.isLoading
          ? 'Loading\u2026'
          : `${list.isTotalLeast ? 'at least ' : ''}${counted(list.total, areCalls(q) ? 'call' : 'dialog')}`,
      ),
      h(Reach, { ring: list.ring }),
      progress === 1
        ? null
        : h(
            'button',
            { type: 'button', 'aria-pressed': isPaused, title: 'Key p', onClick: () => setPaused(!isPaused) },
            isPaused ? '\u25b6 Resume' : '\u275a\u275a Pause',
          ),
      h(Source, { progress, live: list.live }),
      h('button', { type: 'button', title: 'Key e', onClick: () => void openFailed() }, 'Newest failure'),
      list.isNew > 0
        ? h(
            'button',
            { type: 'button', class: 'main', onClick: () => calls.current?.refresh() },
            `${list.isNew < MOST_NEW ? list.isNew : `${MOST_NEW} or more`} new: show`,
          )
        : null,
      h(
        'button',
        {
          type: 'button',
          class: 'chip',
          'aria-pressed': areCalls(q),
          title: 'Key c: without registrations, OPTIONS, messages',
          onClick: () => apply(toggled(q, CALLS_ONLY)),
        },
        'calls only',
      ),
      h(Chips, { q, isReady: !list.isLoading, onFilter: apply }),
      h(
        'button',
        {
          type: 'button',
          title: 'All fields of these dialogs, for a spreadsheet',
          onClick: () =>
            void saveCalls(q, sort).catch((error: unknown) => setList((was) => ({ ...was, error: whyOf(error) }))),
        },
        'CSV',
      ),
      areCards
        ? h(SortMenu, { sort, onSort: (by: string) => apply(q, by) })
        : h(ColumnMenu, { names, gone: fitting.gone, isWhole, onNames: setNames, onWhole: setWhole }),
    ),
    list.rows.length === 0 && !list.isLoading
      ? h(Nothing, { list, q })
      : h(VirtualTable<Call>, {
          label: 'Calls',
          columns,
          rows: list.rows,
          // A hub has a row for each host of a call.
          total: Math.max(list.total, list.rows.length),
          keyOf: rowKey,
          sort,
          onSort: (by) => apply(q, by),
          current,
          onCurrent: (row) => {
            lastOpened = row;
            setCurrent(row);
          },
          onOpen: open,
          onEnd: () => calls.current?.more(),
          place,
          areCards,
          onHeld: (isHeld) => {
            hand.current.isScrolled = isHeld;
            holdIt();
          },
        }),
    h(
      'p',
      { class: 'keys' },
      'Keys: / filter, c calls only, j k or arrows move, Enter opens, e opens the newest failure, Esc lets the list move again',
      progress === 1 ? '.' : ', p pauses.',
    ),
  );
}

/** How much of the files was read: 1 is all of them, undefined is a live source. */
function useProgress(): number | undefined {
  const [isRead, setRead] = useState(false);
  const { value } = useFetched<AskPulse>('ask/pulse', isRead ? 0 : PROGRESS_EVERY_MS);
  useEffect(() => setRead(value?.progress === 1), [value?.progress]);
  return value?.progress;
}

/** How far the files of the ring reach back, and what of them could not be looked at. */
function Reach({ ring }: { ring: ListState['ring'] }): ComponentChild {
  if (ring?.begins_at === undefined) return null;
  const { begins_at: at, notes = [] } = ring;
  return h(
    'span',
    { class: 'dim', title: notes.join(' ') },
    `files since ${day(at)} ${clock(at, 0)}${notes.length > 0 ? ' *' : ''}`,
  );
}

/** Whether more comes: of a file that was read nothing does. */
function Source({
  progress,
  live,
}: Pick<ListState, 'live'> & { readonly progress: number | undefined }): ComponentChild {
  if (progress === 1) return h('span', { class: 'dim' }, '\u25a0 files, read to the end');
  if (progress !== undefined)
    return h('span', { class: 'state busy' }, `\u25d0 reading files: ${Math.floor(progress * 100)} %`);
  return live === 'live'
    ? h('span', { class: 'state live' }, '\u25cf live')
    : h('span', { class: 'state warn' }, '\u25cb connecting');
}

/** Why the list is empty, and what to do. */
function Nothing({ list, q }: { readonly list: ListState; readonly q: string }): ComponentChild {
  return h(
    'section',
    { class: 'note nothing', 'aria-label': 'No calls' },
    h('p', null, h('b', null, q === '' ? 'No call was seen yet.' : 'No call matches this filter.')),
    h(
      'ul',
      null,
      list.hiddenBy.map(({ text }) => h('li', null, sentence(text))),
    ),
    q === '' ? null : h('p', null, h('a', { href: hashOf('calls') }, 'Show all calls')),
  );
}

type ChipsProps = { readonly q: string; readonly isReady: boolean; readonly onFilter: (q: string) => void };

/** Findings of the calls that the filter chooses; one more click looks at these alone. The list itself comes first. */
function Chips({ q, isReady, onFilter }: ChipsProps): ComponentChild {
  const path = `ask/findings?${new URLSearchParams(q === '' ? {} : { q })}`;
  const { value } = useFetched<AskFindings>(isReady ? path : null, COUNTED_EVERY_MS);
  return h(
    'div',
    { class: 'chips', role: 'group', 'aria-label': 'Findings' },
    (value?.findings ?? []).map(({ finding, calls }) => {
      const word = `finding:${finding}`;
      return h(
        'button',
        {
          key: finding,
          type: 'button',
          class: 'chip',
          'aria-pressed': has(q, word),
          onClick: () => onFilter(toggled(q, word)),
        },
        `${finding} ${calls}`,
      );
    }),
  );
}

const areCalls = (q: string): boolean => has(q, CALLS_ONLY);

function has(q: string, word: string): boolean {
  return q.split(/\s+/).includes(word);
}

/** The filter without the word, or with it; one that has an alternative is put in brackets. */
function toggled(q: string, word: string): string {
  const words = q.split(/\s+/);
  if (words.includes(word)) return words.filter((one) => one !== word).join(' ');
  if (q === '') return word;
  return /\bor\b|\|/i.test(q) ? `(${q}) ${word}` : `${q} ${word}`;
}
