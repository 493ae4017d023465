/** Words and bounds of an overview; a file of their own, so that a browser and a run without schemas have them too. */

/** What colours the trunks of an overview. */
export const OVERVIEW_FIGURES = ['asr', 'ner', 'pdd', 'mos'] as const;
export type OverviewFigure = (typeof OVERVIEW_FIGURES)[number];

/** Minutes that calls of a host are counted for, and that an overview can be asked for: two days. @cap with HOST_FIGURE_BYTES */
export const OVERVIEW_MINUTES = 2_880;

/** Titles of the overview that no single picture has. The dashboard of Grafana has the same words (test/contract/dashboards.test.ts). */
export const OVERVIEW_TITLES = {
  trunks: 'Worst trunks',
  pairs: 'Who calls whom',
  troubles: 'Newest troubles',
} as const;

/** The figures of the whole span, in the order of the page. */
export const OVERVIEW_TILES = [
  'Attempts',
  'Answered',
  'Failed',
  'ASR',
  'NER',
  'PDD median',
  'PDD p95',
  'MOS p05',
  'Loss',
  'Talking',
] as const;
export type OverviewTile = (typeof OVERVIEW_TILES)[number];
