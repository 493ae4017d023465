/**
 * What `--call-id-header` names: a header that carries the Call-ID of another leg, or in a part of it that a pattern finds.
 *
 *     X-Leg                      X-Trace=~id=([^;]+)
 */
import { compileCapture } from './pattern.ts';
import type { Result } from './result.ts';
import { fail, ok } from './result.ts';

export type CallIdHeader = {
  readonly name: string;
  /** The identifier in a text; '' where it has none. Null where the whole text is one. */
  readonly pick: ((text: string) => string) | null;
};

const NAME = /^[\w.!%*+`'~-]+$/;
/** It is tried on messages as they come. */
const LIMITS = { maxProgram: 200, maxRepeats: 100 };

/** The reason goes behind "the pattern"; '' where the name is none. */
export function readCallIdHeader(text: string): Result<CallIdHeader, string> {
  const at = text.indexOf('=~');
  const name = at < 0 ? text : text.slice(0, at);
  if (!NAME.test(name)) return fail('');
  if (at < 0) return ok({ name, pick: null });
  const pick = compileCapture(text.slice(at + 2), LIMITS);
  return pick.ok ? ok({ name, pick: pick.value }) : pick;
}
