/**
 * What ties a call to other legs by name, as texts: Session-ID (RFC 7989), X-Call-ID and its kin, Replaces (RFC 3891),
 * P-Charging-Vector (RFC 7315), and a Call-ID that is another's with an ending. Any message may be the first that has it.
 */
import { endOfOtherLeg, MAX_IDENTIFIER_BYTES, MAX_IDENTIFIERS, namedCallsOf } from '../protocols/sip/named-calls.ts';
import { paramValue, parseParams } from '../protocols/sip/params.ts';
import { decodeText, keptText } from '../protocols/sip/text.ts';
import type { CallMessage } from './call-messages.ts';

const UUID = /(?:^|;\s{0,8}remote\s{0,8}=\s{0,8})([0-9a-f]{32})(?=[\s;,]|$)/gi;

/** `callIdHeaders`: further headers that carry the Call-ID of another leg. */
export function tiesOf(callIdHeaders: readonly string[], m: CallMessage | undefined): string[] {
  const read = m?.read() ?? null;
  if (read === null) return [];
  const { bytes, scan } = read;
  const ties: string[] = [];
  if (scan.sessionIdStart >= 0)
    ties.push(...sessionIds(keptText(bytes, scan.sessionIdStart, scan.sessionIdEnd, MAX_IDENTIFIER_BYTES)));
  if (scan.chargingStart >= 0)
    ties.push(...chargingIds(keptText(bytes, scan.chargingStart, scan.chargingEnd, 2 * MAX_IDENTIFIER_BYTES)));
  const named = namedCallsOf(callIdHeaders);
  if (named.isIn(scan))
    named.read(bytes, scan, (callId) => ties.push(decodeText(callId, 0, callId.length).slice(0, MAX_IDENTIFIER_BYTES)));
  const other = endOfOtherLeg(bytes, scan.callIdStart, scan.callIdEnd);
  if (other >= 0) ties.push(decodeText(bytes, scan.callIdStart, other).slice(0, MAX_IDENTIFIER_BYTES));
  return ties.filter((text) => text !== '');
}

/** Those of the messages from this one on, without what those before had; a call has so many, and no more. */
export function laterTies(callIdHeaders: readonly string[], messages: readonly CallMessage[], from: number): string[] {
  const known = new Set<string>();
  const later: string[] = [];
  for (const [i, m] of messages.entries())
    for (const text of tiesOf(callIdHeaders, m)) {
      if (known.size >= MAX_IDENTIFIERS) return later;
      if (!known.has(text) && i >= from) later.push(text);
      known.add(text);
    }
  return later;
}

/** The null UUID says that it is not known yet. */
function sessionIds(value: string): string[] {
  return [...value.matchAll(UUID)].flatMap(([, uuid = '']) => (/^0+$/.test(uuid) ? [] : [uuid.toLowerCase()]));
}

function chargingIds(value: string): string[] {
  const { params } = parseParams(`;${value}`, 0);
  return ['icid-value', 'related-icid'].map((name) => (paramValue(params, name) ?? '').slice(0, MAX_IDENTIFIER_BYTES));
}
