/**
 * Correlation and call tree as the contract shows them.
 */
import type { CallTree as Tree } from '../analysis/call-tree.ts';
import { capturedText } from '../analysis/captured-at.ts';
import type { Leg } from '../analysis/correlation.ts';
import type { CallTree, Correlation } from '../contract/index.ts';
import { type ClockStep, NEVER_SET } from '../store/clock-steps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';

export function toCorrelation(d: Dialog, legs: readonly Leg[], total: number): Correlation {
  return {
    schema_version: 1,
    source_call_id: d.callId,
    legs: legs.map((leg) => ({
      call_id: leg.dialog.callId,
      score: leg.score,
      strategy: leg.strategy,
      identifier_match: leg.isIdentifier,
      observed_gap_ms: leg.gapUs === null ? null : Math.round(leg.gapUs / 1000),
    })),
    total_matched: total,
    heuristic_only: legs.length > 0 && !legs.some((leg) => leg.isIdentifier),
  };
}

export function toCallTree(root: Dialog, tree: Tree, steps: readonly ClockStep[] = NEVER_SET): CallTree {
  let messages = 0;
  let firstUs = root.createdUs;
  let lastUs = root.updatedUs;
  let maxDepth = 0;
  let guesses = 0;
  for (const { dialog, depth, isFollowed } of tree.nodes) {
    messages += dialog.msgCount;
    firstUs = Math.min(firstUs, dialog.createdUs);
    lastUs = Math.max(lastUs, dialog.updatedUs);
    maxDepth = Math.max(maxDepth, depth);
    if (!isFollowed) guesses++;
  }
  return {
    schema_version: 1,
    root_call_id: root.callId,
    legs: tree.nodes.map(({ dialog, depth, edge, isFollowed }) => ({
      call_id: dialog.callId,
      depth,
      parent_call_id: edge?.parent.callId ?? null,
      score: edge?.leg.score ?? null,
      strategy: edge?.leg.strategy ?? null,
      identifier_match: edge?.leg.isIdentifier ?? null,
      followed: isFollowed,
    })),
    total_legs: tree.nodes.length,
    max_depth: maxDepth,
    total_messages: messages,
    truncated: tree.isTruncated,
    heuristic_edges: guesses,
    first_activity: capturedText(firstUs, steps),
    last_activity: capturedText(lastUs, steps),
  };
}
