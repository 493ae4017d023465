/** What of an overview is no picture: tiles of figures, codes, troubles in sentences, who calls whom, and how the capture is. */
import type { AskOverview, OverviewNode, OverviewPairs, OverviewSpan, OverviewTrouble } from '../../contract/index.ts';
import { counted } from '../../core/counted.ts';
import { safeText } from '../../core/terminal-text.ts';
import type { FigureColumn } from '../cli/overview-columns.ts';
import { FIGURE_COLUMNS, figureText } from '../cli/overview-columns.ts';
import { fitCells, LOOK, widthOf } from './cells.ts';
import type { PageRow } from './overview-rows.ts';
import { callsIn, lineRow, msOf, NO_MARK, textRow } from './overview-rows.ts';
import { wrapped, wrappedTo } from './wrap.ts';

const F = FIGURE_COLUMNS;
/** Those that come first have room on every screen. */
const TILES: readonly FigureColumn[] = [F.calls, F.answered, F.failed, F.asr, F.ner, F.pdd, F.mos, F.loss, F.canceled];
/** Cells of a tile, and lines of them. */
const TILE = 20;
const TILE_LINES = 2;
/** Where among the tiles it stands how many talk now. */
const TALKING_PLACE = 3;
/** Lines of a sentence, and of what the capture says. */
const SENTENCE_LINES = 3;
const HEALTH_LINES = 2;

/** Figures of the span, each with that of the span before. */
export function tilesRow(
  span: OverviewSpan,
  before: OverviewSpan | undefined,
  width: number,
  hasColor: boolean,
): PageRow {
  const now = span.cells.at(-1)?.talking ?? 0;
  const perLine = Math.max(1, Math.floor(width / TILE));
  const texts = TILES.map((column) => tileOf(column, span, before));
  texts.splice(TALKING_PLACE, 0, { title: 'Talking', value: String(now), change: '', isWorse: false });
  const shown = texts.slice(0, perLine * TILE_LINES);
  return {
    ...{ key: '', height: Math.ceil(shown.length / perLine), count: 0, starts: null, worst: 0 },
    mark: () => NO_MARK,
    draw(cells, { x, y }) {
      for (const [i, { title, value, change, isWorse }] of shown.entries()) {
        const [left, top] = [x + (i % perLine) * TILE, y + Math.floor(i / perLine)];
        let used = cells.put(left, top, `${title} `, LOOK.plain, TILE - 1);
        used += cells.put(left + used, top, value, LOOK.bold, TILE - 1 - used);
        cells.put(left + used, top, change, isWorse && hasColor ? LOOK.yellow : LOOK.plain, TILE - 1 - used);
      }
    },
  };
}

type Tile = { readonly title: string; readonly value: string; readonly change: string; readonly isWorse: boolean };

function tileOf(column: FigureColumn, { figures }: OverviewSpan, before: OverviewSpan | undefined): Tile {
  const value = figureText(column, figures);
  const tile = { title: column.title, value, change: '', isWorse: false };
  if (before === undefined) return tile;
  const [now, then] = [column.of(figures), column.of(before.figures)];
  if (now === undefined || then === undefined) return tile;
  const was = figureText(column, before.figures);
  const arrow = was === value ? '=' : now > then ? '\u2191' : '\u2193';
  const isWorse = was !== value && column.worse === (now > then ? 'up' : 'down');
  return { ...tile, change: ` ${arrow}${was}`, isWorse };
}

/** Codes of failures, the most frequent first; as many as a line has room for. */
export function codesRows({ figures: { codes }, from, to }: OverviewSpan, width: number): PageRow[] {
  if (codes.length === 0) return [];
  const title = 'Codes ';
  const shown: { readonly text: string; readonly x: number; readonly code: number; readonly calls: number }[] = [];
  let used = title.length;
  for (const { code, calls } of codes) {
    const text = `${code} x${calls}`;
    if (used + text.length > width) break;
    shown.push({ text, x: used, code, calls });
    used += text.length + 2;
  }
  return [
    {
      ...{ key: 'codes', height: 1, count: shown.length, starts: null, worst: 0 },
      mark(at) {
        const { code, calls } = shown[at] ?? { code: 0, calls: 0 };
        const filter = callsIn(msOf(from), msOf(to), `code:${code}`);
        return { words: `${counted(calls, 'call')} of the span ended with ${code}`, opens: { filter } };
      },
      draw(cells, { x, y }, chosen) {
        cells.put(x, y, title, LOOK.bold);
        for (const [i, mark] of shown.entries())
          cells.put(x + mark.x, y, mark.text, i === chosen.mark ? LOOK.reverse : LOOK.plain);
      },
    },
  ];
}

/** The newest calls that went wrong, with their causes. */
export function troubleRows(
  troubles: readonly OverviewTrouble[],
  width: number,
  clock: (ms: number) => string,
): PageRow[] {
  if (troubles.length === 0) return [textRow([{ text: 'Newest troubles: none', look: LOOK.bold }])];
  const rows = troubles.map(({ call_id, at, from, to, state, cause }) => {
    const text = `${clock(msOf(at))} ${safeText(from) || '-'} \u2192 ${safeText(to) || '-'} ${state}: ${safeText(cause)}`;
    const words = `${call_id}: ${cause}`;
    return lineRow(`trouble ${call_id}`, wrappedTo([text], width, SENTENCE_LINES), {
      words,
      opens: { callId: call_id },
    });
  });
  return [textRow([{ text: 'Newest troubles', look: LOOK.bold }]), ...rows];
}

/** Who calls whom: the busiest first. */
export function pairRows(
  { nodes, edges, from, to }: OverviewPairs,
  most: number,
  width: number,
  clock: (ms: number) => string,
): PageRow[] {
  const [fromMs, toMs] = [msOf(from), msOf(to)];
  const times = `${clock(fromMs)} to ${clock(toMs)}`;
  const hidden = edges.length - most;
  const more = hidden > 0 ? `   ${hidden} more pairs` : '';
  if (edges.length === 0) return [];
  const names = Math.min(NAME_MOST, Math.max(8, Math.floor((width - COUNTS) / 2)));
  const rows = edges.slice(0, most).map((edge) => {
    const [a, b] = [nameOf(nodes[edge.from]), nameOf(nodes[edge.to])];
    const asr = edge.asr_pct === undefined ? '-' : edge.asr_pct.toFixed(1);
    const counts = `${String(edge.attempts).padStart(7)} ${String(edge.answered).padStart(8)} ${asr.padStart(6)}`;
    const text = `${inCells(a, names)} \u2192 ${inCells(b, names)} ${counts}`;
    const words = `${a} \u2192 ${b}, ${times}: ${counted(edge.attempts, 'call')}, ${edge.answered} answered, ASR ${asr}`;
    const opens = edge.filter === '' ? null : { filter: callsIn(fromMs, toMs, edge.filter) };
    return lineRow(`pair ${edge.from} ${edge.to}`, [text], { words, opens });
  });
  const heading = `${inCells('Who calls', names)}   ${inCells('whom', names)} ${'Calls'.padStart(7)} Answered    ASR`;
  const lines = [...wrapped(`Busiest pairs, ${times}${more}`, width)].map((text) => ({ text, look: LOOK.bold }));
  return [textRow([...lines, { text: heading, look: LOOK.plain }]), ...rows];
}

/** Cells of the counts of a pair and of its arrow, and of a name at most. */
const COUNTS = 30;
const NAME_MOST = 40;

const nameOf = (node: OverviewNode | undefined): string => safeText(node?.name ?? '');

/** A text in exactly so many cells. */
function inCells(text: string, width: number): string {
  const shown = fitCells(text, width);
  return shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
}

/** Whether the figures are of all that happened, and since when there are any. */
export function healthRow(
  { capture, kept_from, span }: AskOverview,
  width: number,
  hasColor: boolean,
  clock: (ms: number) => string,
): PageRow {
  const since = kept_from === undefined || span === undefined ? '' : ` Counted from ${clock(msOf(kept_from))} on.`;
  const text = capture.is_well
    ? 'Capture: well, it lost nothing.'
    : `Capture: ${safeText(capture.reason ?? 'not well')}`;
  const look = capture.is_well ? LOOK.dim : hasColor ? LOOK.yellow : LOOK.bold;
  return textRow(wrappedTo([`${text}${since}`], width, HEALTH_LINES).map((line) => ({ text: line, look })));
}
