/** Trunks as screens: whether they are up and what their calls came to, and one of them by minute. */
import type { AskTrunk } from '../../contract/index.ts';
import { safeText } from '../../core/terminal-text.ts';
import { trunkFilter } from '../../query/write.ts';
import { secondText } from '../../view/clock.ts';
import type { TrunkColumn } from '../cli/trunk-columns.ts';
import { TRUNK_COLUMNS, trunkColor } from '../cli/trunk-columns.ts';
import type { Look } from './cells.ts';
import { LOOK } from './cells.ts';
import type { TableColumn, TableParts, TableRow } from './table-view.ts';
import type { TableEvents, TableOf, TablePort, Zoned } from './tables.ts';
import { heedsNone } from './tables.ts';

type Shown = TableColumn & { readonly of: TrunkColumn };

function shownAs(of: TrunkColumn, width: number, least?: number): Shown {
  return {
    title: of.title,
    width,
    ...(least === undefined ? {} : { least }),
    ...(of.isRight ? { isRight: true } : {}),
    of,
  };
}

const C = TRUNK_COLUMNS;
/** A trunk in trouble says which: there is no room for both. */
const TROUBLE_OR_CODES: TrunkColumn = {
  ...C.codes,
  title: 'Trouble, or codes',
  text: (trunk, when) => (trunk.troubles.length > 0 ? C.trouble : C.codes).text(trunk, when),
};
const LOOKS: Readonly<Record<string, Look>> = { red: LOOK.red, yellow: LOOK.yellow };
const FIGURES: readonly Shown[] = [
  shownAs(C.answered, 14, 9),
  shownAs(C.asr, 5),
  shownAs(C.ner, 5, 0),
  shownAs(C.acd, 5, 0),
  shownAs(C.pdd, 6),
  shownAs(C.mos, 5),
  shownAs(C.loss, 5),
];
const OF_TRUNKS: readonly Shown[] = [
  shownAs(C.trunk, 20, 15),
  shownAs(C.direction, 3),
  shownAs(C.state, 8),
  { ...shownAs(C.since, 19, 8), isEndKept: true },
  ...FIGURES,
  shownAs(C.talking, 5, 0),
  shownAs(C.options, 14, 0),
  shownAs(TROUBLE_OR_CODES, 0),
];
const OF_MINUTES: readonly Shown[] = [...FIGURES, shownAs(C.options, 10, 0), shownAs(C.codes, 0)];

const textsOf = (columns: readonly Shown[], trunk: AskTrunk, { isUtc }: Zoned): string[] =>
  columns.map(({ of }) => of.text(trunk, (at) => secondText(at, isUtc)));

export function trunksTable(port: TablePort, events: TableEvents, shown: Zoned, of: TableOf): TableParts {
  let isCounting = true;
  return {
    title: 'Trunks: whether they are up, whether they answer, how they sound',
    ...heedsNone(of),
    columns: OF_TRUNKS,
    short: 'Minutes',
    enter: 'Show the trunk by minute.',
    saved: { table: 'trunks', rows: async () => (await port.trunks({})).trunks },
    get empty() {
      return isCounting ? 'Nothing came from a trunk, or went to one.' : 'This service does not count trunks.';
    },
    async read() {
      const found = await port.trunks({});
      isCounting = found.is_counting;
      return found.trunks.map((trunk) => ({
        texts: textsOf(OF_TRUNKS, trunk, shown),
        look: LOOKS[trunkColor(trunk) ?? ''] ?? LOOK.plain,
        open: () => events.table(minutesTable(port, events, shown, trunk)),
      }));
    },
  };
}

/** One trunk in one direction: first all of it, then its minutes, the newest first. */
function minutesTable(port: TablePort, { filter }: TableEvents, shown: Zoned, of: AskTrunk): TableParts {
  const [worst] = of.troubles;
  const trouble = worst === undefined ? '' : ` ${safeText(worst.text)};`;
  return {
    title: `Trunk ${safeText(of.trunk)} (${of.direction})${trouble} by minute`,
    columns: [{ title: 'Minute', width: 16, least: 5, isEndKept: true }, ...OF_MINUTES],
    enter: 'Show the calls of this minute.',
    empty: 'Nothing came from the trunk, or went to it.',
    async read() {
      const found = await port.trunks({ trunk: of.trunk, series: true });
      const trunk = found.trunks.find(({ direction }) => direction === of.direction);
      if (trunk === undefined) return [];
      const row = (title: string, figures: AskTrunk['figures'], minuteAt?: string): TableRow => ({
        texts: [title, ...textsOf(OF_MINUTES, { ...trunk, figures }, shown)],
        open: () => filter(trunkFilter(trunk.trunk, minuteAt)),
      });
      const minutes = (trunk.minutes ?? []).map(({ at, ...figures }) =>
        row(secondText(at, shown.isUtc).slice(0, 16), figures, at),
      );
      return [row('all', trunk.figures), ...minutes];
    },
  };
}
