/**
 * All legs of a call: identifier matches followed from leg to leg, guesses shown but not followed.
 *
 * Identifiers go first and to their end, so that a leg both guessed and identified is identified, and every leg of a
 * call gives the same legs. Bounded by a number of legs and of dialogs looked at for guesses.
 */

import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { visitEach } from '../store/dialogs/live-dialogs.ts';
import type { CorrelationStores, Leg } from './correlation.ts';
import { guessedLegs, identifierLegs } from './correlation.ts';

/** Dialogs looked at for guesses over the whole tree. */
const GUESS_BUDGET = 10_000;

export type TreeNode = {
  readonly dialog: Dialog;
  readonly depth: number;
  /** Null for the root. */
  readonly edge: { readonly parent: Dialog; readonly leg: Leg } | null;
  readonly isFollowed: boolean;
};

export type CallTree = {
  /** The root first, then by depth. */
  readonly nodes: readonly TreeNode[];
  /** There are legs beyond `maxLegs`. */
  readonly isTruncated: boolean;
};

/** A step a leg. Without guesses it is truncated where there are more legs that identifiers tie. */
export function* callTree(
  root: Dialog,
  stores: CorrelationStores,
  maxLegs: number,
  hasGuesses = true,
): Steps<CallTree> {
  const { dialogs } = stores;
  const limit = Math.max(1, maxLegs);
  /** In the order in which they were found. */
  const nodes = new Map<Dialog, TreeNode>([[root, { dialog: root, depth: 0, edge: null, isFollowed: true }]]);
  const searched = new Set<string>();
  let isTruncated = false;
  const attach = (parent: Dialog, legs: readonly Leg[], isFollowed: boolean): false | undefined => {
    const depth = (nodes.get(parent)?.depth ?? 0) + 1;
    for (const leg of legs) {
      if (nodes.has(leg.dialog)) continue;
      if (nodes.size >= limit) {
        isTruncated = true;
        return false;
      }
      nodes.set(leg.dialog, { dialog: leg.dialog, depth, edge: { parent, leg }, isFollowed });
    }
    return undefined;
  };
  // Legs that are found come up in turn.
  yield* visitEach(dialogs, nodes.keys(), (d) =>
    attach(d, identifierLegs(d, stores, nodes.size + limit, searched), true),
  );
  if (hasGuesses && !isTruncated) {
    const identified = [...nodes.keys()];
    const steps = Math.max(16, Math.floor(GUESS_BUDGET / identified.length / 2));
    // One more than there is room for says that there are more.
    yield* visitEach(dialogs, identified, (d) =>
      attach(d, guessedLegs(d, stores, nodes, steps, limit - nodes.size + 1).legs, false),
    );
  }
  const here = [...nodes.values()].filter(
    ({ dialog, edge }) => dialogs.holds(dialog) && (edge === null || dialogs.holds(edge.parent)),
  );
  here.sort((a, b) => a.depth - b.depth);
  return { nodes: here, isTruncated };
}
