/**
 * Counts how often, and how long, a message was sent again after another one that should have ended that: copies that were
 * on their way then prove nothing.
 */
import type { CallMessage } from '../call-messages.ts';

/** So often at least. */
export const LEAST_AGAIN = 3;
/** Copies so long after the end of the reasons for them were not on their way yet: a satellite's round trip takes two seconds. */
export const GOES_ON_US = 3_000_000;
/** Nearer copies are one packet that the capture saw twice: T1 is half a second (RFC 3261 section 17.1.1.1). */
const ONE_PACKET_US = 100_000;

export type Again = {
  readonly copies: readonly CallMessage[];
  /** From the reason to the last copy. */
  readonly lastedUs: number;
};

/** `group` is one message, sent again and again; the clocks of two sources are not compared. */
export function sentAgain(group: readonly CallMessage[], reason: CallMessage): Again {
  const copies: CallMessage[] = [];
  let beforeUs = reason.tsUs;
  for (const m of inTime(group, reason.origin)) {
    if (m.tsUs - beforeUs < ONE_PACKET_US) continue;
    copies.push(m);
    beforeUs = m.tsUs;
  }
  return { copies, lastedUs: beforeUs - reason.tsUs };
}

export function goesOn({ copies, lastedUs }: Again): boolean {
  return copies.length >= LEAST_AGAIN && lastedUs >= GOES_ON_US;
}

/** What one source brought, oldest first: records of a file may be in any order. */
export function inTime(group: readonly CallMessage[], origin: CallMessage['origin']): CallMessage[] {
  return group.filter((m) => m.origin === origin).sort((a, b) => a.tsUs - b.tsUs);
}

/** The response came to its sender on another hop: that one sends it again as often as it comes. */
export function isPassedOn({ cseq, src, hop }: CallMessage, responses: readonly CallMessage[]): boolean {
  return responses.some(
    (m) => m.cseq === cseq && m.dst.host === src.host && m.src.host !== src.host && m.hop.toTag === hop.toTag,
  );
}

/** Numbers of messages, in order. */
export function evidenceOf(...messages: readonly CallMessage[]): number[] {
  return [...new Set(messages.map((m) => m.index))].sort((a, b) => a - b);
}
