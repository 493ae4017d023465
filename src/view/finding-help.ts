/**
 * Explains each finding: what was seen, what usually causes it, and where to look next. It is for readers who do not have
 * the documentation at hand.
 */
import type { FindingName } from '../analysis/finding-names.ts';
import { FINDING_NAMES } from '../analysis/finding-names.ts';
import { LINT_RULES } from '../analysis/lint/lint.ts';

export type FindingHelp = {
  readonly finding: string;
  /** What was seen. */
  readonly meaning: string;
  /** What usually causes it. */
  readonly causes: readonly string[];
  /** Where to look next. */
  readonly look: string;
  /** Of a lint rule: what it stands on. */
  readonly source?: string;
};

type Words = Omit<FindingHelp, 'finding' | 'source'>;

const WORDS: Readonly<Record<FindingName, Words>> = {
  'no-media': {
    meaning:
      'The call was answered, both sides described active audio, the path is open here, and no RTP came in three seconds.',
    causes: ['A firewall drops RTP', 'a side sends to an address that cannot be reached'],
    look: 'Compare the addresses in the SDP of both sides with those that the capture sees.',
  },
  'one-way-audio': {
    meaning: 'Both sides promised to send, media runs in one direction, and nothing comes back.',
    causes: [
      'NAT without a relay or latching',
      'a firewall that lets one direction pass',
      'a relay that passes nothing on',
    ],
    look: 'See which side is silent, and whether its SDP names a private address.',
  },
  'media-stopped': {
    meaning:
      'Media ran and stopped while the call continued; no hold, mailbox or transfer in the signaling explains it.',
    causes: [
      'A recording or announcement that ended, which is no fault',
      'An address binding of a NAT expired',
      'a device lost its network',
      'a relay gave up the session',
    ],
    look: 'Look at the last packet of each stream, and at what was signaled about that time.',
  },
  'nat-mismatch': {
    meaning: 'Media comes from an address that no SDP, candidate, STUN answer or ICE check of the call named.',
    causes: ['A NAT rewrites the source and nobody told the peer'],
    look: 'Compare the source of the stream with the c= and m= lines of its sender.',
  },
  'media-refused': {
    meaning: 'ICMP errors answered the RTP of the call while it ran.',
    causes: ['The port is closed: the device ended the call, or listens elsewhere', 'a firewall rejects the port'],
    look: 'See which host sent the errors, and from when.',
  },
  'relay-lapsed': {
    meaning: 'A TURN allocation ended while the call continued.',
    causes: ['The client did not refresh the allocation', 'the server restarted'],
    look: 'Look at the Refresh requests of the client and at the lifetime that the server gave.',
  },
  'packet-loss': {
    meaning: 'A stream lost at least 1 % of its packets.',
    causes: ['Congestion on the path', 'a wireless link', 'a policer without a queue for voice'],
    look: 'See whether the loss comes in bursts, in which windows, and whether other calls of the same path have it.',
  },
  jitter: {
    meaning: 'Packets of a stream came with a mean jitter of at least 30 ms.',
    causes: ['Queues on the path', 'a sender that does not keep its own clock'],
    look: 'Compare the windows of both directions.',
  },
  'late-packets': {
    meaning: 'At least 1 % of the packets came later than a jitter buffer of 60 ms waits.',
    causes: ['Delay that changes: queues, a route that changes, a busy sender'],
    look: 'Compare the jitter of the windows; a receiver with a deeper buffer plays these packets.',
  },
  'poor-audio': {
    meaning: 'The MOS is under 3.6, and neither loss nor jitter nor late packets explain it alone.',
    causes: ['A codec that is poor by itself', 'a little of everything', 'delay'],
    look: 'Look at the codec and at the windows with the lowest MOS.',
  },
  unreachable: {
    meaning: 'ICMP answered a SIP message of the call: its host or port cannot be reached.',
    causes: ['The peer is down', 'a wrong port', 'a firewall'],
    look: 'See which message it quotes and who sent the error.',
  },
  'auth-loop': {
    meaning: 'Challenges came again and again, or credentials got no answer.',
    causes: [
      'A wrong password or realm',
      'a clock or nonce that the server refuses',
      'a proxy that takes out the credentials',
    ],
    look: 'Compare the realm and nonce of each challenge with the credentials that follow it.',
  },
  'ack-missing': {
    meaning: 'A 2xx was sent again and again, or for 32 seconds, without an ACK.',
    causes: [
      'A Contact that the caller cannot reach',
      'a Record-Route with a wrong address',
      'NAT on the signaling path',
    ],
    look: 'See where the ACK was sent: its address is the Contact or the first Route of the 2xx.',
  },
  'no-response': {
    meaning: 'A request was sent three times on a hop without a response there.',
    causes: ['The peer is down or does not listen', 'a firewall', 'the answer goes another way than the capture sees'],
    look: 'See whether the peer answers OPTIONS or other calls.',
  },
  'post-dial-delay': {
    meaning: 'More than eleven seconds passed to the first sign of progress.',
    causes: ['A gateway that tries several routes', 'a slow look-up', 'a peer that does not answer and a failover'],
    look: 'Look at the time between the messages of all legs.',
  },
  'registration-failure': {
    meaning: 'A registration was refused, or bound for so short a time that the phone does not hold it.',
    causes: ['Wrong credentials', 'a limit of contacts or of the lifetime'],
    look: 'Look at the final code and at the Expires of the answer.',
  },
  abandoned: {
    meaning: 'Somebody canceled the call before an answer, or no final answer came in three minutes.',
    causes: ['The caller gave up', 'nobody answered, and the timer of a proxy or PBX ran out'],
    look: 'See how long it rang, and who sent CANCEL.',
  },
  'sources-differ': {
    meaning: 'The wire and a HEP mirror both carried the call, and differ.',
    causes: ['The mirror loses or changes messages', 'its clock is wrong'],
    look: 'See which of them lacks the message that the finding names.',
  },
  'private-address': {
    meaning: 'A private address in the SDP went to a peer with a public one. This is a warning.',
    causes: ['A NAT without a gateway that rewrites', 'a device without STUN'],
    look: 'See whether the media comes all the same: many peers send to where it comes from.',
  },
  'stun-ignored': {
    meaning: 'A host asked STUN or TURN and did not use the answer, or got none.',
    causes: ['A device that asks and ignores', 'a STUN server that does not answer'],
    look: 'Compare the answer of the STUN server with the SDP of that host.',
  },
};

/** The words of a finding or of a lint rule; null for a name that neither has. */
export function findingHelp(name: string): FindingHelp | null {
  const finding = FINDING_NAMES.find((known) => known === name);
  if (finding !== undefined) return { finding, ...WORDS[finding] };
  const rule = LINT_RULES.find(({ id }) => id === name);
  if (rule === undefined) return null;
  return {
    finding: rule.id,
    meaning: rule.explanation,
    causes: [],
    look: `Expected: ${rule.expected}`,
    source: `${rule.rfc} ${rule.section}`,
  };
}

/** Every name that findingHelp() knows. */
export function explainedNames(): readonly string[] {
  return [...FINDING_NAMES, ...LINT_RULES.map(({ id }) => id)];
}
