/** An overview as large as an answer can be: 72 cells of 20 minutes three times, 30 trunks, 30 nodes. */
import type { AskOverview, OverviewCell, OverviewNode, OverviewSpan } from '../../src/contract/index.ts';

const CELLS = 72;
const CELL_SEC = 1_200;
const DAY_SEC = CELLS * CELL_SEC;
const END_SEC = Date.UTC(2026, 10, 30, 4) / 1_000;
const ROWS = 30;

const textOf = (sec: number): string => new Date(sec * 1_000).toISOString();

function figuresOf(attempts: number): OverviewSpan['figures'] {
  const codes = [487, 486, 480, 404, 503, 408, 403, 500].map((code, i) => ({ code, calls: 1 + (attempts % (9 - i)) }));
  const answered = Math.round(attempts * 0.6);
  return {
    attempts,
    answered,
    effective: Math.round(attempts * 0.9),
    failed: Math.round(attempts * 0.1),
    canceled: Math.round(attempts * 0.2),
    asr_pct: (100 * answered) / attempts,
    ner_pct: 90,
    pdd_ms: { count: attempts, p50: 1_900, p95: 4_000 + attempts },
    mos: { count: answered, p05: 3.2 + (attempts % 10) / 10, p50: 4.2 },
    loss_pct: (attempts % 7) / 5,
    codes,
  };
}

function spanOf(endSec: number, load: number): OverviewSpan {
  const cells = Array.from({ length: CELLS }, (_, i): OverviewCell => {
    const attempts = Math.round(load * (300 + 200 * Math.sin(i / 9)));
    const at = textOf(endSec - DAY_SEC + i * CELL_SEC);
    return { at, ...figuresOf(attempts), talking: attempts % 80, most_talking: 90 };
  });
  return { from: textOf(endSec - DAY_SEC), to: textOf(endSec), figures: figuresOf(20_000), cells };
}

export function largeOverview(): AskOverview {
  const span = spanOf(END_SEC, 1);
  const { from, to } = span;
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    trunk: `carrier-${row}`,
    direction: 'out' as const,
    is_configured: true,
    state: 'up' as const,
    attempts: 500,
    answered: 300,
    value: row * 2,
    cells: Array.from({ length: CELLS }, (_, i) => ({ attempts: (i * row) % 9, value: (i * row * 7) % 100 })),
  }));
  const nodes = Array.from({ length: 30 }, (_, i): OverviewNode => {
    return { name: `198.51.100.${i}`, kind: 'host', layer: i % 3, calls: 30 + i, filter: `ip:198.51.100.${i}` };
  });
  const edges = nodes.flatMap((node, i) =>
    nodes.flatMap((other, j) =>
      other.layer === node.layer + 1 && (i + j) % 3 === 0
        ? [{ from: i, to: j, attempts: 1 + (i % 9), answered: 1, asr_pct: 10 * (i % 9), filter: 'state:Failed' }]
        : [],
    ),
  );
  return {
    schema_version: 1,
    is_counting: true,
    cell_sec: CELL_SEC,
    span,
    span_before: spanOf(END_SEC - DAY_SEC, 0.9),
    day_before: spanOf(END_SEC - DAY_SEC, 0.9),
    trunks: { by: 'asr', from, to, cell_sec: CELL_SEC, not_shown: 9, rows },
    pairs: { from, to, nodes, edges },
    troubles: [],
    capture: { is_well: true },
  };
}
