/** From where figures are worth a word: what a listener notices, whatever the wire says. Findings and charts have these. */
export const AUDIBLE = { lossPct: 1, jitterMs: 30, latePct: 1, mos: 3.6 } as const;
