/**
 * What is wrong with a call, one word each: the words of the call table, of the filter language and of lists.
 */
import type { DialogFacts } from './dialog-facts.ts';
import type { Audible } from './stream-quality.ts';
import { audible } from './stream-quality.ts';

type Has = (facts: DialogFacts, heard: readonly Audible[]) => boolean;

/** The worst first. */
const FINDINGS = {
  'no-media': ({ media }) => media.noMedia,
  'one-way-audio': ({ media }) => media.oneWayAudio,
  'media-stopped': ({ media }) => media.mediaStopped,
  'nat-mismatch': ({ media }) => media.natMismatch,
  'media-refused': ({ icmp }) => icmp.some(({ isFault }) => isFault),
  'relay-lapsed': ({ relay }) => relay !== null && !Number.isNaN(relay.lapsedUs),
  'packet-loss': (_, heard) => heard.some((a) => a.isLossy),
  jitter: (_, heard) => heard.some((a) => a.isJittery),
  'late-packets': (_, heard) => heard.some((a) => a.isLate),
  // Where nothing else says why it was poor.
  'poor-audio': (_, heard) => !heard.some((a) => a.isLossy || a.isJittery || a.isLate) && heard.some((a) => a.isPoor),
  unreachable: (f) => (f.signaling?.icmpUnreachable ?? null) !== null,
  'auth-loop': (f) => (f.signaling?.authLoop ?? null) !== null,
  'ack-missing': (f) => (f.signaling?.ackMissing ?? null) !== null,
  'no-response': (f) => (f.signaling?.retransmissions ?? null) !== null,
  'post-dial-delay': (f) => (f.signaling?.postDialDelay ?? null) !== null,
  'registration-failure': (f) => (f.signaling?.registrationFailure ?? null) !== null,
  abandoned: (f) => (f.signaling?.abandoned ?? null) !== null,
  'sources-differ': (f) => (f.signaling?.sourceDisagreement ?? null) !== null,
  'private-address': ({ media }) => media.privateMediaAddress,
  'stun-ignored': ({ stunMismatch }) => stunMismatch !== null,
} satisfies Readonly<Record<string, Has>>;

export type FindingName = keyof typeof FINDINGS;

const ROWS = Object.entries<Has>(FINDINGS) as (readonly [FindingName, Has])[];
export const FINDING_NAMES: readonly FindingName[] = ROWS.map(([name]) => name);

/** What was found in the call, the worst first. */
export function findingNames(facts: DialogFacts): FindingName[] {
  const heard = facts.streams.map(({ quality }) => audible(quality));
  return ROWS.filter(([, has]) => has(facts, heard)).map(([name]) => name);
}
