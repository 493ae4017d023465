/**
 * Says in sentences why an answer may lack other legs of a call: too many calls share an identifier, or the call has more
 * legs than the answer shows.
 */
import type { CallTree } from '../analysis/call-tree.ts';
import { commonStrategies } from '../analysis/correlation.ts';
import type { CorrelationStrategy } from '../contract/index.ts';
import { MAX_TIED } from '../store/dialogs/identifier-index.ts';
import type { Identifiers } from '../store/stores.ts';

/** What ties legs, as an engineer calls it. */
const NAMES: Readonly<Record<CorrelationStrategy, string>> = {
  session_id: 'Session-ID',
  x_call_id: 'X-Call-ID',
  refer: 'Refer-To',
  replaces: 'Replaces',
  related_icid: 'related-icid',
  sdp_origin: 'o= line',
  icid: 'icid-value',
  via_branch: 'Via branch',
  timing_heuristic: 'time',
};

/** Of a tree without guesses; none where nothing is missing. */
export function legNotes({ nodes, isTruncated }: CallTree, identifiers: Identifiers): string[] {
  const common = new Set<CorrelationStrategy>();
  for (const { dialog } of nodes) for (const strategy of commonStrategies(dialog, identifiers)) common.add(strategy);
  const notes = [...common].map(commonNote);
  if (isTruncated) notes.push(`There are more legs than the ${nodes.length} calls that are counted.`);
  return notes;
}

export function commonNote(strategy: CorrelationStrategy): string {
  return `More than ${MAX_TIED} calls share one ${NAMES[strategy]}: it ties no legs.`;
}
