/**
 * All legs of a call: identifier matches followed from leg to leg, guesses shown but not followed.
 *
 * Identifiers go first and to their end, so that a leg both guessed and identified is identified, and every leg of a
 * call gives the same legs. Bounded by a number of legs and of dialogs looked at for guesses.
 */

import type { Steps } from '../core/turns.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
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
  const limit = Math.max(1, maxLegs);
  const nodes: TreeNode[] = [{ dialog: root, depth: 0, edge: null, isFollowed: true }];
  const known = new Set<Dialog>([root]);
  const searched = new Set<string>();
  // A leg may be evicted between two steps, and its slot is another's then.
  const isHere = (d: Dialog): boolean => stores.dialogs.holds(d);
  let isTruncated = false;
  const attach = (node: TreeNode, legs: readonly Leg[], isFollowed: boolean): void => {
    for (const leg of legs) {
      if (known.has(leg.dialog)) continue;
      if (nodes.length >= limit) {
        isTruncated = true;
        return;
      }
      known.add(leg.dialog);
      nodes.push({ dialog: leg.dialog, depth: node.depth + 1, edge: { parent: node.dialog, leg }, isFollowed });
    }
  };
  for (let i = 0; i < nodes.length && !isTruncated; i++) {
    const node = nodes[i];
    if (node === undefined) break;
    yield;
    if (!isHere(node.dialog)) continue;
    attach(node, identifierLegs(node.dialog, stores, known.size + limit, searched), true);
  }
  const identified = hasGuesses ? nodes.length : 0;
  const steps = Math.max(16, Math.floor(GUESS_BUDGET / identified / 2));
  for (let i = 0; i < identified && !isTruncated; i++) {
    const node = nodes[i];
    if (node === undefined) break;
    yield;
    if (!isHere(node.dialog)) continue;
    // One more than there is room for says that there are more.
    attach(node, guessedLegs(node.dialog, stores, known, steps, limit - nodes.length + 1).legs, false);
  }
  const here = nodes.filter(({ dialog, edge }) => isHere(dialog) && (edge === null || isHere(edge.parent)));
  here.sort((a, b) => a.depth - b.depth);
  return { nodes: here, isTruncated };
}
