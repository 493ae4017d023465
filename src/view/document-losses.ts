/** What documents of dialogs had to leave out, counted each time one is made. */
export type DocumentLosses = {
  /** Messages that no lint rule saw, because those before them held LINT_BYTES. */
  lintMessages: number;
  /** Quality intervals of a dialog beyond MAX_DIALOG_INTERVALS. */
  intervals: number;
  /** Requests answered with 503, because too many others waited. */
  refused: number;
};

export function noDocumentLosses(): DocumentLosses {
  return { lintMessages: 0, intervals: 0, refused: 0 };
}
