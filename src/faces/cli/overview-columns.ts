/** What figures of an overview are called and how they are written, for the command line and the terminal. */
import type { OverviewFigures } from '../../contract/index.ts';

/** Figures of a cell or of a span; cells and spans of an overview have them all. */
type Figures = Omit<OverviewFigures, 'codes'>;

export type FigureColumn = {
  readonly title: string;
  readonly unit: string;
  readonly places: number;
  /** Which change is for the worse; null where neither is. */
  readonly worse: 'up' | 'down' | null;
  /** Undefined where nothing tells. */
  of(figures: Figures): number | undefined;
};

type Rest = Partial<Pick<FigureColumn, 'unit' | 'places' | 'worse'>>;

function figure(
  title: string,
  of: FigureColumn['of'],
  { unit = '', places = 0, worse = null }: Rest = {},
): FigureColumn {
  return { title, unit, places, worse, of };
}

export const FIGURE_COLUMNS = {
  calls: figure('Calls', (f) => f.attempts),
  answered: figure('Answered', (f) => f.answered),
  failed: figure('Failed', (f) => f.failed, { worse: 'up' }),
  canceled: figure('Canceled', (f) => f.canceled),
  asr: figure('ASR', (f) => f.asr_pct, { unit: '%', places: 1, worse: 'down' }),
  ner: figure('NER', (f) => f.ner_pct, { unit: '%', places: 1, worse: 'down' }),
  pdd: figure('PDD95', (f) => f.pdd_ms?.p95, { unit: 'ms', worse: 'up' }),
  mos: figure('MOS05', (f) => f.mos?.p05, { places: 2, worse: 'down' }),
  loss: figure('Loss', (f) => f.loss_pct, { unit: '%', places: 2, worse: 'up' }),
} satisfies Readonly<Record<string, FigureColumn>>;

/** Without its unit; a dash where nothing tells. */
export function figureText({ of, places }: FigureColumn, figures: Figures): string {
  return of(figures)?.toFixed(places) ?? '-';
}

/** `503:9 486:2`, the most frequent first. */
export function codesText(codes: OverviewFigures['codes']): string {
  return codes.map(({ code, calls }) => `${code}:${calls}`).join(' ') || '-';
}

/** `1 min`, `20 min`, `1 h`. */
export function cellLength(sec: number): string {
  return sec % 3_600 === 0 ? `${sec / 3_600} h` : `${sec / 60} min`;
}
