/**
 * What STUN and TURN tell about a call's media: the relay that carries it, and an address that the client learned and
 * its SDP did not use (RFC 8489, RFC 8656).
 */

import { counted } from '../../core/counted.ts';
import type { EndpointKey } from '../../core/ip.ts';
import { endpointKeyAddress, endpointKeyText, endpointText } from '../../core/ip.ts';
import { isPrivateAddress } from '../../core/private-address.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { StunFlow } from '../../store/media/stun-flow.ts';
import type { StunKnowledge } from '../../store/stores.ts';
import type { JudgedCall } from '../call.ts';
import type { CallFindings, MediaRelay, StunMismatch } from '../findings.ts';

function endOf(d: Dialog, nowUs: number): number {
  return Number.isNaN(d.endedUs) ? nowUs : d.endedUs;
}

/** Whether a relay carries one of the streams: in TURN framing, or from or to a relayed address. */
export function isTurnRelayed(streams: readonly Stream[], stun: StunKnowledge): boolean {
  return streams.some(
    (s) => stun.relayUse(s) !== null || stun.flowOfRelayed(s.srcKey) !== null || stun.flowOfRelayed(s.dstKey) !== null,
  );
}

export function judgeRelay({ d, e, nowUs, streams }: JudgedCall, found: CallFindings): undefined {
  const plain = streams.map(({ stream }) => stream);
  found.relay = findRelay(d, plain, e.stores.stun, nowUs);
  if (found.relay !== null && !Number.isNaN(found.relay.lapsedUs))
    found.media.hints.push({ finding: 'relay-lapsed', text: lapsedHint(d, found.relay, nowUs) });
}

/** Looked for where a description named a private address. */
export function judgeStunMismatch({ d, e }: JudgedCall, found: CallFindings): undefined {
  if (!found.media.privateMediaAddress) return;
  found.stunMismatch = findStunMismatch(d, e.stores.stun);
  if (found.stunMismatch !== null)
    found.media.hints.push({ finding: 'stun-ignored', text: stunMismatchHint(found.stunMismatch) });
}

/** The relay's channel that carries the call's media, or was bound for it; null when no channel is known. */
function findRelay(d: Dialog, streams: readonly Stream[], stun: StunKnowledge, nowUs: number): MediaRelay | null {
  for (const stream of streams) {
    const channel = stun.relayUse(stream)?.channel ?? null;
    if (channel === null) continue;
    const { client, server, flow } = stun.relayEnds(stream);
    return relayOf(d, client, server, channel, flow, nowUs);
  }
  if (stun.flows === 0) return null;
  for (const key of d.claimedKeys) {
    const flow = stun.flowOfRelayed(key);
    const [channel] = flow?.channels.keys() ?? [];
    if (flow !== null && channel !== undefined) return relayOf(d, flow.client, flow.server, channel, flow, nowUs);
  }
  return null;
}

function relayOf(
  d: Dialog,
  client: EndpointKey,
  server: EndpointKey,
  channel: number,
  flow: StunFlow | null,
  nowUs: number,
): MediaRelay {
  return {
    client,
    server,
    channel,
    peer: flow?.channels.get(channel) ?? null,
    relayed: flow?.relayed ?? null,
    lapsedUs: flow?.lapsedUs(endOf(d, nowUs)) ?? Number.NaN,
  };
}

function lapsedHint(d: Dialog, r: MediaRelay, nowUs: number): string {
  const sec = ((endOf(d, nowUs) - r.lapsedUs) / 1e6).toFixed(1);
  return `The TURN allocation of ${endpointKeyText(r.client)} at ${endpointKeyText(r.server)} lapsed ${sec} s before the call ended: what was relayed stopped there.`;
}

/**
 * A side told a public peer a private address although it had asked a STUN or TURN server: what it learned and did not
 * use, or that nobody answered. Null when no such side asked, or it did name what it learned.
 */
function findStunMismatch(d: Dialog, stun: StunKnowledge): StunMismatch | null {
  if (stun.flows === 0) return null;
  const named = new Set(d.claimedKeys);
  for (const e of d.sdp ?? []) {
    if (!e.toPublicPeer || e.address === null || e.port === null || !isPrivateAddress(e.address)) continue;
    const advertised = endpointText(e.address, e.port);
    for (const flow of stun.flowsOfHost(e.address)) {
      const reason = mismatchReason(flow, named);
      if (reason === null) continue;
      const { client, server, mapped, relayed, requests } = flow;
      return { client, server, mapped, relayed, advertised, requests, reason };
    }
  }
  return null;
}

function mismatchReason(flow: StunFlow, named: ReadonlySet<EndpointKey>): StunMismatch['reason'] | null {
  if (flow.relayed !== null) return named.has(flow.relayed) ? null : 'relay_ignored';
  if (flow.mapped !== null) {
    const isNatted = endpointKeyAddress(flow.mapped) !== endpointKeyAddress(flow.client);
    return isNatted && !named.has(flow.mapped) ? 'ignored' : null;
  }
  return flow.requests > 0 && flow.answers === 0 ? 'unanswered' : null;
}

function stunMismatchHint(m: StunMismatch): string {
  const server = endpointKeyText(m.server);
  switch (m.reason) {
    case 'relay_ignored':
      return `The TURN server ${server} allocated ${relayText(m)}, but the SDP named ${m.advertised}.`;
    case 'ignored':
      return `The STUN server ${server} answered that the client is ${mappedText(m)}, but the SDP named ${m.advertised}.`;
    case 'unanswered':
      return `The STUN server ${server} answered none of ${counted(m.requests, 'request')}, so the SDP named the private ${m.advertised}.`;
  }
}

function relayText(m: StunMismatch): string {
  return m.relayed === null ? 'an address' : endpointKeyText(m.relayed);
}

function mappedText(m: StunMismatch): string {
  return m.mapped === null ? 'elsewhere' : endpointKeyText(m.mapped);
}
