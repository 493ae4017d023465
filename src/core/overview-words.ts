/** Words and bounds of an overview; a file of their own, so that a browser and a run without schemas have them too. */

/** What colours the trunks of an overview. */
export const OVERVIEW_FIGURES = ['asr', 'ner', 'pdd', 'mos'] as const;
export type OverviewFigure = (typeof OVERVIEW_FIGURES)[number];

/** Minutes that calls of a host are counted for, and that an overview can be asked for: two days. @cap with HOST_FIGURE_BYTES */
export const OVERVIEW_MINUTES = 2_880;
