/**
 * Whether a dialog passes a filter. Logic of three values: true, false, and null for "not known yet", so that what is
 * cheap decides first, in whatever order the terms were written.
 */
import type { Steps } from '../core/turns.ts';
import type { Filter } from './filter.ts';
import type { Subject } from './subject.ts';
import { LEVEL } from './subject.ts';

/** Null while the subject has not loaded enough; what need not be loaded is looked at. */
export function passes(filter: Filter, s: Subject): boolean | null {
  for (;;) {
    const passed = decided(filter, s);
    if (passed !== null || !s.rises(LEVEL.COUNTERS)) return passed;
  }
}

function decided(filter: Filter, s: Subject): boolean | null {
  if (filter === null) return true;
  switch (filter.kind) {
    case 'term':
      return filter.test(s);
    case 'not': {
      const passed = decided(filter.of, s);
      return passed === null ? null : !passed;
    }
    default: {
      // "and" ends with the first false, "or" with the first true.
      const decides = filter.kind === 'or';
      let isOpen = false;
      for (const part of filter.of) {
        const passed = decided(part, s);
        if (passed === decides) return decides;
        isOpen ||= passed === null;
      }
      return isOpen ? null : !decides;
    }
  }
}

/** Whether the dialog passes. A dialog that is evicted meanwhile does not. */
export function* passesSteps(filter: Filter, s: Subject): Steps<boolean> {
  const { dialogs } = s.asking.e.stores;
  for (;;) {
    const passed = passes(filter, s);
    if (passed !== null) return passed;
    yield;
    if (dialogs.bySlot(s.d.slot) !== s.d) return false;
    if (s.rises(LEVEL.TEXTS)) continue;
    yield* s.load();
    if (dialogs.bySlot(s.d.slot) !== s.d) return false;
  }
}
