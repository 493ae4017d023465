/** Trunks as screens: whether they are up and what their calls came to, and one of them by minute. */
import type { AskTrunk } from '../../contract/index.ts';
import { timestampText } from '../../view/captured-at.ts';
import { clockOf } from '../../view/clock.ts';
import type { TrunkColumn } from '../cli/trunk-columns.ts';
import { TRUNK_COLUMNS } from '../cli/trunk-columns.ts';
import type { TableColumn, TableParts, TableRow } from './table-view.ts';
import type { TableEvents, TablePort, Zoned } from './tables.ts';
import { moment } from './tables.ts';

const MINUTE_US = 60e6;

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
  shownAs(C.state, 7),
  {
    ...shownAs(
      { ...C.since, text: ({ since }, isUtc) => (since === undefined ? '-' : moment(since, { isUtc })) },
      19,
      8,
    ),
    isEndKept: true,
  },
  ...FIGURES,
  shownAs(C.talking, 5, 0),
  shownAs(C.options, 14, 0),
  shownAs(C.codes, 0),
];
const OF_MINUTES: readonly Shown[] = [...FIGURES, shownAs(C.options, 10, 0), shownAs(C.codes, 0)];

const textsOf = (columns: readonly Shown[], trunk: AskTrunk, { isUtc }: Zoned): string[] =>
  columns.map(({ of }) => of.text(trunk, isUtc));

export function trunksTable(port: TablePort, events: TableEvents, shown: Zoned): TableParts {
  let isCounting = true;
  return {
    title: 'Trunks: whether they are up, whether they answer, how they sound',
    columns: OF_TRUNKS,
    short: 'Minutes',
    enter: 'Show the trunk by minute.',
    get empty() {
      return isCounting ? 'Nothing came from a trunk, or went to one.' : 'This service does not count trunks.';
    },
    whyNone: () => port.whyNone(),
    async read() {
      const found = await port.trunks({});
      if (found === null) return null;
      isCounting = found.is_counting;
      return found.trunks.map((trunk) => ({
        texts: textsOf(OF_TRUNKS, trunk, shown),
        open: () => events.table(minutesTable(port, events, shown, trunk)),
      }));
    },
  };
}

/** One trunk in one direction: first all of it, then its minutes, the newest first. */
function minutesTable(port: TablePort, { filter }: TableEvents, shown: Zoned, of: AskTrunk): TableParts {
  return {
    title: `Trunk ${C.trunk.text(of, shown.isUtc)} (${of.direction}) by minute`,
    columns: [{ title: 'Minute', width: 16, least: 5, isEndKept: true }, ...OF_MINUTES],
    enter: 'Show the calls of this minute.',
    empty: 'Nothing came from the trunk, or went to it.',
    whyNone: () => port.whyNone(),
    async read() {
      const found = await port.trunks({ trunk: of.trunk, series: true });
      if (found === null) return null;
      const trunk = found.trunks.find(({ direction }) => direction === of.direction);
      if (trunk === undefined) return [];
      const row = (title: string, figures: AskTrunk['figures'], within: string): TableRow => ({
        texts: [title, ...textsOf(OF_MINUTES, { ...trunk, figures }, shown)],
        open: () => filter(`trunk:${trunk.trunk}${within}`),
      });
      const minutes = (trunk.minutes ?? []).map(({ at, ...figures }) => {
        const fromUs = Date.parse(at) * 1000;
        const { date, time } = clockOf(fromUs, shown.isUtc);
        const until = timestampText(fromUs + MINUTE_US - 1);
        return row(`${date} ${time.slice(0, 5)}`, figures, ` since:${at} until:${until}`);
      });
      return [row('all', trunk.figures, ''), ...minutes];
    },
  };
}
