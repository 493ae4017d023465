/** What a ladder has no room for, in sentences: text, terminal, diagram and browser say the same. */

type Ladder = {
  readonly call_ids: readonly unknown[];
  readonly lifelines: readonly unknown[];
  readonly steps: readonly unknown[];
  readonly media: readonly unknown[];
  readonly not_shown?: {
    readonly calls: number;
    readonly messages: number;
    /** Hosts that share the last line. */
    readonly lifelines: number;
    readonly streams: number;
  };
};

export function whatIsNotShown({ call_ids, lifelines, steps, media, not_shown }: Ladder): string[] {
  if (not_shown === undefined) return [];
  const part = (shown: number, more: number, what: string): string[] =>
    more === 0 ? [] : [`${shown} of ${shown + more} ${what}`];
  return [
    ...part(call_ids.length, not_shown.calls, 'calls; the rest is not shown.'),
    ...part(steps.length, not_shown.messages, 'messages; the rest is not shown. The first call comes before its legs.'),
    ...part(lifelines.length - 1, not_shown.lifelines, 'lifelines; the rest share the last one.'),
    ...part(media.length, not_shown.streams, 'streams; the rest is not shown.'),
  ];
}
