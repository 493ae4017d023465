/** Calls that may be legs of one call: phones, what ties them, and a leg of INVITE, answer and ACK. */
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { Party } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import type { CorrelationStores } from '../../../src/analysis/correlation.ts';
import type { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

export const party = (user: string, address: string): Party => ({
  user,
  sip: { address, port: 5060 },
  rtp: { address, port: 20_000 },
});
export const ALICE = party('alice', '192.0.2.1');
export const PBX = party('pbx', '192.0.2.2');
export const BOB = party('bob', '192.0.2.3');
export const CAROL = party('carol', '192.0.2.4');
export const FAR = party('far', '198.51.100.1');
export const FAR_TOO = party('far2', '198.51.100.2');

/** One leg that begins `atMs` after the others: an INVITE with these headers, and its answer. */
export function leg(
  kit: TrackerKit,
  callId: string,
  from: Party,
  to: Party,
  atMs: number,
  headers: readonly (readonly [string, string])[] = [],
  o: { sdp?: string; answer?: readonly (readonly [string, string])[]; uri?: string } = {},
): SipScript {
  const script = new SipScript({ callId, caller: from, callee: to, startUs: EPOCH_US + atMs * 1000 });
  const body = o.sdp === undefined ? {} : { body: { type: 'application/sdp', text: o.sdp } };
  const uri = o.uri === undefined ? {} : { uri: o.uri };
  const invite = script.request('INVITE', 0, { headers, ...body, ...uri });
  script.respond(invite, 200, 500, { headers: o.answer ?? [] });
  script.ack(invite, 200, 520);
  kit.play(script);
  return script;
}

export function stores(kit: TrackerKit): CorrelationStores {
  return { dialogs: kit.dialogs, identifiers: kit.identifiers };
}

export const A = 'ab30317f1a784dc48ff824d0d3715d86';
export const B = '47755a9de7794ba387653f2099600ef2';
export const NULL_UUID = '0'.repeat(32);
export const LATER = 60_000;

/** A description with this o= line. */
export const SDP = (origin: string): string =>
  `v=0\r\no=${origin}\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n`;
