/**
 * Tells whether a side of a running call was gone when it closed its connection: nothing of the call came from it any more,
 * and its media, ICMP or a request without an answer shows it.
 */
import { endpointKeyAddress } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import type { Proven, StatedCall } from './signaling-call.ts';

/** A program that ends closes all its sockets at once. */
const TOGETHER_US = 1_000_000;
/** The other side notices within this time. */
const NOTICED_US = 5_000_000;
/** A request that nobody answers for so long gets no answer: who lives sends one within a second. */
const UNANSWERED_US = 5_000_000;

/** Null where it lives, or where nothing shows that it does not. */
export function hasDied(call: StatedCall, host: string, closedUs: number): Proven | null {
  const { messages, nowUs } = call;
  const after = messages.filter((m) => m.tsUs > closedUs);
  if (after.some((m) => m.src.host === host)) return null;
  const asked = after.find((m) => m.isRequest && m.isFirst && m.method !== METHOD.ACK && m.dst.host === host);
  if (asked !== undefined && nowUs - asked.tsUs >= UNANSWERED_US)
    return { text: 'a later request to it got no answer', evidence: [asked.index] };
  const { hasStopped, lasts, refused } = call.media();
  const isRefused = refused.some(
    (flow) => endpointKeyAddress(flow.dst) === host && Math.abs(flow.firstUs - closedUs) <= NOTICED_US,
  );
  if (isRefused) return { text: 'its host refused the media by ICMP', evidence: [] };
  if (!hasStopped) return null;
  const own = lasts.filter((s) => s.host === host);
  if (endsBetween(own, closedUs - TOGETHER_US, closedUs + TOGETHER_US))
    return { text: 'its media stopped then', evidence: [] };
  return endsBetween(lasts, closedUs - TOGETHER_US, closedUs + NOTICED_US)
    ? { text: 'the media of the call stopped then', evidence: [] }
    : null;
}

/** The last packet of all of them came within this time. */
function endsBetween(streams: readonly { readonly lastUs: number }[], fromUs: number, toUs: number): boolean {
  const lastUs = Math.max(...streams.map((s) => s.lastUs));
  return lastUs >= fromUs && lastUs <= toUs;
}
