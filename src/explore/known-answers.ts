/**
 * Answers of another host, once they have the shape of the contract: what does not hold together is none. The port gives some of them
 * in another form than the wire.
 */
import type { AskCalls, AskLadder, AskMessages, AskPulse } from '../contract/index.ts';
import { safeText } from '../core/terminal-text.ts';
import { MAX_MESSAGE_BYTES } from '../protocols/sip/scanner/scan-bounds.ts';
import { LADDER_LIFELINES, LADDER_STEPS, LADDER_STREAMS } from '../view/ladder.ts';
import type { Pulse } from '../view/pulse.ts';
import type { OtherLegs } from './question-row.ts';

/** No more rows than were asked for. */
export function knownPage(page: AskCalls, limit: number): AskCalls | null {
  return page.calls.length > limit ? null : page;
}

/** Lines lead from one lifeline to another, and all of it is no more than one ladder shows. */
export function knownLadder(ladder: AskLadder): AskLadder | null {
  const { lifelines, steps, media } = ladder;
  const isDrawable =
    lifelines.length <= LADDER_LIFELINES &&
    steps.length <= LADDER_STEPS &&
    media.length <= LADDER_STREAMS &&
    [...steps, ...media].every((line) => Math.max(line.from, line.to) < lifelines.length);
  return isDrawable ? ladder : null;
}

/** A ladder with legs names them. */
export function knownLegs(ladder: AskLadder, callId: string): OtherLegs | null {
  const known = knownLadder(ladder);
  if (known === null) return null;
  const { call_ids, probable_legs = [], leg_notes = [] } = known;
  const probable = probable_legs.map((leg) => leg.call_id);
  const callIds = call_ids.filter((leg) => leg !== callId && !probable.includes(leg));
  return { callIds, probable, notes: leg_notes.map(safeText) };
}

/** No message is longer than one that calltap takes from the network. */
export function knownMessages(found: AskMessages): AskMessages | null {
  return found.messages.every(({ text }) => text.length <= MAX_MESSAGE_BYTES) ? found : null;
}

export function knownPulse(p: AskPulse): Pulse {
  const { calls, active, packets, dropped, outside, progress = null, capture_time } = p;
  return {
    calls,
    active,
    packets,
    dropped,
    outside,
    progress,
    nowUs: capture_time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(capture_time) * 1000,
    sipMessages: p.sip_messages,
    isDegraded: p.is_degraded,
  };
}
