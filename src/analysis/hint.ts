/** A sentence about a call, and the name of the finding that it is of: null for what explains it and is no finding. */
export type Hint = {
  readonly finding: string | null;
  readonly text: string;
  /** Numbers of the messages that show it, in order; absent where packets do. */
  readonly evidence?: readonly number[];
};

/** What is no finding. */
export function note(text: string): Hint {
  return { finding: null, text };
}
