/**
 * Decides whether a dialog passes a filter. The answer is true, false, or the part of the filter that is still open until
 * the subject has loaded more. byCost() puts cheap terms first, in whatever order they were written.
 */

import { LEVEL } from '../analysis/call-field-readers.ts';
import type { Steps } from '../core/turns.ts';
import type { Filter, Node } from './filter.ts';
import type { Subject } from './subject.ts';

/** True or false, or what of the filter is open while the subject has not loaded enough; what need not be loaded is looked at. */
export function passes(filter: Filter, s: Subject): boolean | Node {
  if (filter === null) return true;
  return judged(filter, s);
}

/** What is open is asked again once more is loaded, as far as that takes a few microseconds. */
function judged(node: Node, s: Subject): boolean | Node {
  let left = undecided(node, s);
  while (typeof left !== 'boolean' && s.risesAtOnce()) left = undecided(left, s);
  return left;
}

function undecided(node: Node, s: Subject): boolean | Node {
  switch (node.kind) {
    case 'term':
      return node.test(s) ?? node;
    case 'not': {
      const left = undecided(node.of, s);
      return typeof left === 'boolean' ? !left : left === node.of ? node : { kind: 'not', of: left };
    }
    default: {
      const { kind } = node;
      // "and" ends with the first false, "or" with the first true.
      const decides = kind === 'or';
      let open: Node | null = null;
      let others: Node[] | null = null;
      for (const part of node.of) {
        const left = judged(part, s);
        if (left === decides) return decides;
        if (typeof left === 'boolean') continue;
        if (open === null) open = left;
        else if (others === null) others = [open, left];
        else others.push(left);
      }
      return others === null ? (open ?? !decides) : { kind, of: others };
    }
  }
}

/** Whether the dialog, which lives until then, passes what of a filter is open. */
export function* passesSteps(filter: Node, s: Subject): Steps<boolean> {
  for (let open = filter; ; ) {
    const left = passes(open, s);
    if (typeof left === 'boolean') return left;
    open = left;
    yield;
    if (!s.rises(LEVEL.LEGS)) yield* s.load();
  }
}
