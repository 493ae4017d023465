/**
 * What one look over the messages of a call tells, with no text read: most finders end there.
 */
import type { CallMessage } from '../call-messages.ts';
import { isOnStream, numberOf } from '../call-messages.ts';

export type Glance = {
  /** Of all texts together. */
  readonly bytes: number;
  /** A connection carried one, and this capture saw which. */
  readonly isOfStream: boolean;
  /** A request came by twice that is no repetition. */
  readonly hasRepeated: boolean;
  /** When the newest response of 400 or above came; NaN for none. */
  readonly refusedUs: number;
};

export function glanceAt(messages: readonly CallMessage[]): Glance {
  let bytes = 0;
  let isOfStream = false;
  let hasRepeated = false;
  let refusedUs = Number.NaN;
  const seen: number[] = [];
  for (const m of messages) {
    bytes += m.byteLength;
    isOfStream ||= isOnStream(m);
    if (m.status >= 400 && !(m.tsUs <= refusedUs)) refusedUs = m.tsUs;
    if (hasRepeated || !m.isRequest || !m.isFirst) continue;
    const number = numberOf(m);
    hasRepeated = seen.includes(number);
    seen.push(number);
  }
  return { bytes, isOfStream, hasRepeated, refusedUs };
}
