/**
 * Tells what a filter can ask of a call whose first message has just come: calltap decides then which calls get a file.
 *
 * A term about what the call becomes (its quality, its end, what is wrong with it) cannot be answered yet.
 */

import { LEVEL } from '../analysis/call-field-readers.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { FIELD_KEYS } from './field-keys.ts';
import type { Filter, Node, Term } from './filter.ts';
import { passes } from './passes.ts';
import type { Asking } from './subject.ts';
import { Subject } from './subject.ts';

/** Fields of a call that its first message holds. */
const AT_START: readonly string[] = ['callid', 'method'];

/** Keys of the table whose answer the first message does not hold. */
const LATER: ReadonlySet<string> = new Set([
  ...[...FIELD_KEYS.keys()].filter((key) => !AT_START.includes(key)),
  ...['reason', 'ssrc', 'finding', 'tag', 'leg'],
]);

/** The first key that asks for what comes later; null without one. */
export function laterKey(filter: Filter): string | null {
  const found = filter === null ? undefined : termsOf(filter).find(({ key }) => key !== null && LATER.has(key));
  return found?.key ?? null;
}

function termsOf(node: Node): Term[] {
  switch (node.kind) {
    case 'term':
      return [node];
    case 'not':
      return termsOf(node.of);
    default:
      return node.of.flatMap(termsOf);
  }
}

/** Whether the call passes by its first message. The filter has no laterKey(). */
export function passesAtStart(filter: Filter, d: Dialog, asking: Asking): boolean {
  const subject = new Subject(d, asking);
  subject.level = LEVEL.TEXTS;
  return passes(filter, subject) === true;
}
