/**
 * The table of findings: what can be wrong with a call or with a capture, a row each. A row has our name, the words that
 * `/v1` imposes for it, its weight, what proves it, and what a reader needs. Everybody else reads it here.
 */
import type { Diagnosis, SignalingDiagnosis } from '../contract/index.ts';
import type { FindingSeverity } from '../core/words.ts';
import type { DialogFacts } from './dialog-facts.ts';
import type { SignalingFindings } from './signaling/diagnose.ts';
import type { StatedName } from './signaling/stated.ts';
import type { Audible } from './stream-quality.ts';

/** How the imposed interface calls a finding; absent where it has no word. */
type Imposed = {
  /** A member of `diagnosis` of a dialog. */
  readonly diagnosis?: Exclude<keyof Diagnosis, 'hints'>;
  /** A member of `signaling_diagnosis` of a dialog. */
  readonly signaling?: Exclude<keyof SignalingDiagnosis, 'hints'>;
  /** A kind of `/v1/report`. A finding without it is left out of that report. */
  readonly report?: string;
};

type Has = (facts: DialogFacts, heard: readonly Audible[]) => boolean;

export type FindingRow = {
  /** A note is no fault of the call. */
  readonly severity: FindingSeverity | 'note';
  /** What its occurrences are counted in. */
  readonly unit: string;
  readonly v1?: Imposed;
  /** Since when tests hold it to healthy calls that look alike; absent where a counter proves it. */
  readonly healthySince?: string;
  /** What proves it in a call; absent where no single call does. */
  readonly has?: Has;
  /** What was seen. */
  readonly meaning: string;
  /** What usually causes it. */
  readonly causes: readonly string[];
  /** Where to look next. */
  readonly look: string;
  /** What it rests on; absent where these packets show it. */
  readonly ground?: Ground;
  /** Names of findings that it explains: they are said under it. */
  readonly effects?: readonly string[];
};

/** Reports are RTCP, ICMP and Reason headers; silence is inferred. */
export type Ground = 'seen' | 'reported' | 'inferred';

/** Failures that the called side decides: busy, no answer, declined, unknown or gone number. */
const BY_CALLEE: ReadonlySet<number> = new Set([404, 410, 480, 484, 486, 487, 600, 603, 604, 607]);

/** Proved by a detection of the signaling. */
function signaled(key: Exclude<keyof SignalingFindings, 'hints'>): Has {
  return ({ signaling }) => (signaling?.[key] ?? null) !== null;
}

/** Proved by a statement of the signaling. */
function stated(name: StatedName): Has {
  return ({ media }) => media.hints.some(({ finding }) => finding === name);
}

/** What the call table, the filter and `/ask` name, in the order in which a call shows it: the worst first. */
export const CALL_FINDINGS = {
  'no-media': {
    severity: 'critical',
    unit: 'dialogs',
    v1: { diagnosis: 'no_media', report: 'no_media' },
    healthySince: '2026-11-21',
    has: ({ media }) => media.noMedia,
    meaning:
      'The call was answered, both sides described active audio, the path is open here, and no RTP came in three seconds.',
    causes: ['A firewall drops RTP', 'a side sends to an address that cannot be reached'],
    look: 'Compare the addresses in the SDP of both sides with those that the capture sees.',
    ground: 'inferred',
    effects: ['ended-by-cause'],
  },
  'one-way-audio': {
    severity: 'critical',
    unit: 'dialogs',
    v1: { diagnosis: 'one_way_audio', report: 'one_way_audio' },
    healthySince: '2026-11-21',
    has: ({ media }) => media.oneWayAudio,
    meaning: 'Both sides promised to send, media runs in one direction, and nothing comes back.',
    causes: [
      'NAT without a relay or latching',
      'a firewall that lets one direction pass',
      'a relay that passes nothing on',
    ],
    look: 'See which side is silent, and whether its SDP names a private address.',
    ground: 'inferred',
    effects: ['media-stopped'],
  },
  'media-stopped': {
    severity: 'note',
    unit: 'dialogs',
    healthySince: '2026-11-28',
    has: ({ media }) => media.mediaStopped,
    meaning:
      'Media ran and stopped while the call continued; no hold, mailbox or transfer in the signaling explains it.',
    causes: [
      'A recording or announcement that ended, which is no fault',
      'An address binding of a NAT expired',
      'a device lost its network',
      'a relay gave up the session',
    ],
    look: 'Look at the last packet of each stream, and at what was signaled about that time.',
    ground: 'inferred',
    effects: ['ended-by-cause'],
  },
  'nat-mismatch': {
    severity: 'major',
    unit: 'dialogs',
    v1: { diagnosis: 'nat_mismatch', report: 'nat_mismatch' },
    healthySince: '2026-11-21',
    has: ({ media }) => media.natMismatch,
    meaning:
      'The call never named the address that media comes from: no SDP, candidate, STUN answer or ICE check has it.',
    causes: ['A NAT rewrites the source and nobody told the peer'],
    look: 'Compare the source of the stream with the c= and m= lines of its sender.',
  },
  'media-refused': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-21',
    has: ({ icmp }) => icmp.some(({ isFault }) => isFault),
    meaning: 'ICMP errors answered the RTP of the call while it ran.',
    causes: ['The port is closed: the device ended the call, or listens elsewhere', 'a firewall rejects the port'],
    look: 'See which host sent the errors, and from when.',
    ground: 'reported',
    effects: ['no-media', 'one-way-audio', 'media-stopped'],
  },
  'relay-lapsed': {
    severity: 'major',
    unit: 'dialogs',
    v1: { diagnosis: 'media_relay' },
    healthySince: '2026-11-21',
    has: ({ relay }) => relay !== null && !Number.isNaN(relay.lapsedUs),
    meaning: 'A TURN allocation ended while the call continued.',
    causes: ['The client did not refresh the allocation', 'the server restarted'],
    look: 'Look at the Refresh requests of the client and at the lifetime that the server gave.',
    effects: ['no-media', 'one-way-audio', 'media-stopped'],
  },
  'packet-loss': {
    severity: 'major',
    unit: 'streams',
    v1: { report: 'packet_loss' },
    healthySince: '2026-11-28',
    has: (_, heard) => heard.some((a) => a.isLossy),
    meaning: 'A stream lost at least 1 % of its packets.',
    causes: ['Congestion on the path', 'a wireless link', 'a policer without a queue for voice'],
    look: 'See whether the loss comes in bursts, in which windows, and whether other calls of the same path have it.',
  },
  jitter: {
    severity: 'minor',
    unit: 'streams',
    v1: { report: 'high_jitter' },
    healthySince: '2026-11-28',
    has: (_, heard) => heard.some((a) => a.isJittery),
    meaning: 'Packets of a stream came with a mean jitter of at least 30 ms.',
    causes: ['Queues on the path', 'a sender that does not keep its own clock'],
    look: 'Compare the windows of both directions.',
  },
  'late-packets': {
    severity: 'minor',
    unit: 'streams',
    healthySince: '2026-11-28',
    has: (_, heard) => heard.some((a) => a.isLate),
    meaning: 'At least 1 % of the packets came later than a jitter buffer of 60 ms waits.',
    causes: ['Delay that changes: queues, a route that changes, a busy sender'],
    look: 'Compare the jitter of the windows; a receiver with a deeper buffer plays these packets.',
  },
  'poor-audio': {
    severity: 'major',
    unit: 'streams',
    v1: { report: 'poor_quality' },
    healthySince: '2026-11-28',
    // Where nothing else says why it was poor.
    has: (_, heard) => !heard.some((a) => a.isLossy || a.isJittery || a.isLate) && heard.some((a) => a.isPoor),
    meaning: 'The MOS is under 3.6, and neither loss nor jitter nor late packets explain it alone.',
    causes: ['A codec that is poor by itself', 'a little of everything', 'delay'],
    look: 'Look at the codec and at the windows with the lowest MOS.',
  },
  unreachable: {
    severity: 'critical',
    unit: 'dialogs',
    v1: { signaling: 'icmp_unreachable', report: 'icmp_unreachable' },
    healthySince: '2026-11-21',
    has: signaled('icmpUnreachable'),
    meaning: 'ICMP answered a SIP message of the call: its host or port cannot be reached.',
    causes: ['The peer is down', 'a wrong port', 'a firewall'],
    look: 'See which message it quotes and who sent the error.',
    ground: 'reported',
    effects: ['no-response', 'final-failure', 'refused-by-callee', 'registration-failure', 'abandoned'],
  },
  'auth-loop': {
    severity: 'major',
    unit: 'dialogs',
    v1: { signaling: 'auth_loop', report: 'auth_loop' },
    healthySince: '2026-11-21',
    has: signaled('authLoop'),
    meaning: 'Challenges came again and again, or credentials got no answer.',
    causes: [
      'A wrong password or realm',
      'a clock or nonce that the server refuses',
      'a proxy that takes out the credentials',
    ],
    look: 'Compare the realm and nonce of each challenge with the credentials that follow it.',
    effects: ['final-failure', 'registration-failure'],
  },
  'ack-missing': {
    severity: 'major',
    unit: 'dialogs',
    v1: { signaling: 'ack_missing', report: 'ack_missing' },
    healthySince: '2026-11-21',
    has: signaled('ackMissing'),
    meaning: 'A 2xx was sent again and again, or for 32 seconds, without an ACK.',
    causes: [
      'A Contact that the caller cannot reach',
      'a Record-Route with a wrong address',
      'NAT on the signaling path',
    ],
    look: 'See where the ACK was sent: its address is the Contact or the first Route of the 2xx.',
    ground: 'inferred',
  },
  'ack-misrouted': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('ack-misrouted'),
    meaning: 'The 2xx was sent again and again, and its ACK went somewhere else than to who sent it.',
    causes: [
      'A Contact or Record-Route with an address that is not the sender of the 2xx',
      'a caller that sends the ACK to where the INVITE went',
      'a proxy that takes the Route out',
    ],
    look: 'Compare where the ACK went with the Record-Route and the Contact of the 2xx.',
  },
  'ack-not-arriving': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('ack-not-arriving'),
    meaning: 'The ACK went to who sent the 2xx, and the 2xx was sent again for 3 seconds all the same.',
    causes: [
      'A firewall or a lost route behind the capture point',
      'an ACK whose tags or branch the other side does not know',
    ],
    look: 'Capture at the side that sends the 2xx: either the ACK does not come there, or its tags and CSeq do not match.',
  },
  'response-not-arriving': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('response-not-arriving'),
    meaning: 'A response went back to who asked, and the request was sent again for 3 seconds all the same.',
    causes: [
      'A NAT or firewall that does not let the response in',
      'a Via without rport behind a NAT',
      'a response whose Via or tags the sender does not know',
    ],
    look: 'Capture at the side that asks, and compare the port of the response with that of the request.',
  },
  'prack-missing': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('prack-missing'),
    meaning: 'A reliable provisional response was sent three times, and no PRACK came, or one had no effect.',
    causes: [
      'A caller that does not know 100rel, although a proxy asked for it',
      'a PRACK that went to a wrong Contact or Route',
      'a PBX that passes on 100rel and no PRACK',
    ],
    look: 'See whether the INVITE has 100rel, and where the Contact and Record-Route of the response point.',
  },
  'request-loop': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('request-loop'),
    meaning: 'A request went round between the same hosts, or used up its hops and was stopped with 483.',
    causes: [
      'Two servers that route a number to each other',
      'a forwarding back to the first phone',
      'a server that does not know one of its own addresses',
    ],
    look: 'See which rule sends the Request-URI from one hop to the next and back.',
  },
  'media-declined': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('media-declined'),
    meaning: 'The answer gave port 0 to all media of the offer, so the answered call has none.',
    causes: [
      'No codec or transport in common, and the call was answered all the same',
      'SRTP that one side demands',
      'a PBX that ends early media in the answer',
    ],
    look: 'Compare the codecs, the profile (RTP/AVP, RTP/SAVP) and the attributes of both descriptions.',
  },
  'ended-by-cause': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('ended-by-cause'),
    meaning:
      'A program ended the answered call: its BYE names a failure of Q.850 or SIP, or a timer that ran out, or it came as the session expired that the other side did not refresh.',
    causes: [
      'The network or a gateway failed (Q.850 38, 41, 42, 44)',
      'a PBX that heard no RTP ended the call',
      'nobody refreshed the session timer',
    ],
    look: 'Look at who sent the BYE. After "RTP timeout", look at the media that this side should have got.',
    ground: 'reported',
  },
  'connection-closed': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('connection-closed'),
    meaning:
      'The TCP connection of the call was closed or reset before a request had its final response, or while the call ran, and its side said nothing of the call afterwards.',
    causes: [
      'A program crashed or was ended',
      'a firewall or load balancer cut the connection',
      'a device lost its network, or changed it',
    ],
    look: 'See whether the program of the side that closed ran on, and whether other calls lost their connection then.',
  },
  'in-dialog-failure': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('in-dialog-failure'),
    meaning:
      'In an answered call a hold, fax, refresh, transfer, key press or hang-up was refused, and no later try succeeded.',
    causes: [
      'The other side cannot do what was asked (488, 415, 501)',
      'it lost the call, as after a restart (481, 408)',
      'a proxy asks for credentials that nobody gives (407)',
    ],
    look: 'Compare the request with the last one of its kind that succeeded: body, tags, Route and credentials.',
  },
  'no-response': {
    severity: 'minor',
    unit: 'dialogs',
    v1: { signaling: 'retransmissions', report: 'retransmissions' },
    healthySince: '2026-11-21',
    has: signaled('retransmissions'),
    meaning: 'A request was sent three times on a hop without a response there.',
    causes: ['The peer is down or does not listen', 'a firewall', 'the answer goes another way than the capture sees'],
    look: 'See whether the peer answers OPTIONS or other calls.',
    ground: 'inferred',
    effects: ['final-failure', 'refused-by-callee', 'registration-failure', 'abandoned'],
  },
  'post-dial-delay': {
    severity: 'minor',
    unit: 'dialogs',
    v1: { signaling: 'post_dial_delay', report: 'post_dial_delay' },
    healthySince: '2026-11-21',
    has: signaled('postDialDelay'),
    meaning: 'More than eleven seconds passed to the first sign of progress.',
    causes: ['A gateway that tries several routes', 'a slow look-up', 'a peer that does not answer and a failover'],
    look: 'Look at the time between the messages of all legs.',
    effects: ['abandoned'],
  },
  'registration-failure': {
    severity: 'major',
    unit: 'dialogs',
    v1: { signaling: 'registration_failure', report: 'registration_failure' },
    healthySince: '2026-11-21',
    has: signaled('registrationFailure'),
    meaning: 'A registration was refused, or bound for so short a time that the phone does not hold it.',
    causes: ['Wrong credentials', 'a limit of contacts or of the lifetime'],
    look: 'Look at the final code and at the Expires of the answer.',
    effects: ['final-failure'],
  },
  abandoned: {
    severity: 'minor',
    unit: 'dialogs',
    v1: { signaling: 'abandoned' },
    healthySince: '2026-11-21',
    has: signaled('abandoned'),
    meaning: 'Somebody canceled the call before an answer, or no final answer came in three minutes.',
    causes: ['The caller gave up', 'nobody answered, and the timer of a proxy or PBX ran out'],
    look: 'See how long it rang, and who sent CANCEL.',
  },
  'cancel-crossed': {
    severity: 'minor',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('cancel-crossed'),
    meaning: 'The caller gave up at the moment of the answer: CANCEL and 2xx of the same INVITE crossed.',
    causes: [
      'Chance, where it is rare',
      'a long delay on the path',
      'a ring time of caller and callee that is the same',
    ],
    look: 'See whether a BYE ended the call: without one it is charged on.',
  },
  'dropped-at-answer': {
    severity: 'minor',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('dropped-at-answer'),
    meaning: 'One side ended the call within half a second of the answer, and nothing explains it.',
    causes: [
      'A side does not accept the codec or the SRTP of the answer',
      'a program that answers for a moment, or probes numbers',
      'a PBX that fails as soon as the call is answered',
    ],
    look: 'See who sent the BYE, with which Reason, and what the SDP of the answer says.',
  },
  'sources-differ': {
    severity: 'minor',
    unit: 'dialogs',
    v1: { signaling: 'source_disagreement', report: 'source_disagreement' },
    healthySince: '2026-11-21',
    has: signaled('sourceDisagreement'),
    meaning: 'The wire and a HEP mirror both carried the call, and differ.',
    causes: ['The mirror loses or changes messages', 'its clock is wrong'],
    look: 'See which of them lacks the message that the finding names.',
  },
  'private-address': {
    severity: 'minor',
    unit: 'dialogs',
    v1: { diagnosis: 'private_media_address', report: 'private_media_address' },
    healthySince: '2026-11-21',
    has: ({ media }) => media.privateMediaAddress,
    meaning: 'A private address in the SDP went to a peer with a public one. This is a warning.',
    causes: ['A NAT without a gateway that rewrites', 'a device without STUN'],
    look: 'See whether the media comes all the same: many peers send to where it comes from.',
    effects: ['stun-ignored'],
  },
  'stun-ignored': {
    severity: 'minor',
    unit: 'dialogs',
    v1: { diagnosis: 'stun_sdp_mismatch' },
    healthySince: '2026-11-21',
    has: ({ stunMismatch }) => stunMismatch !== null,
    meaning: 'A host asked STUN or TURN and did not use the answer, or got none.',
    causes: ['A device that asks and ignores', 'a STUN server that does not answer'],
    look: 'Compare the answer of the STUN server with the SDP of that host.',
  },
} satisfies Readonly<Record<string, FindingRow & Required<Pick<FindingRow, 'has'>>>>;

/** What `/v1/report` alone names: outcomes of calls, which the table shows as a code, and what befell the capture. */
export const REPORT_FINDINGS = {
  'final-failure': {
    severity: 'major',
    unit: 'dialogs',
    v1: { signaling: 'final_failure', report: 'final_failure' },
    healthySince: '2026-11-21',
    has: (f) => isFailed(f) && !isByCallee(f),
    meaning: 'The call ended with a 4xx, 5xx or 6xx that the called side did not decide.',
    causes: ['No route', 'a refused password', 'an overload or a fault of a server'],
    look: 'Look at the code, at its Reason and Warning, and at who sent it first.',
  },
  'refused-by-callee': {
    severity: 'minor',
    unit: 'dialogs',
    v1: { report: 'refused_by_callee' },
    healthySince: '2026-11-21',
    has: (f) => isFailed(f) && isByCallee(f),
    meaning: 'The called side decided the failure: busy, no answer, declined, or a number that is unknown or gone.',
    causes: ['Callers dial a wrong number', 'nobody is there'],
    look: 'See whether one number or one route has many of them.',
  },
  'no-final-response': {
    severity: 'major',
    unit: 'dialogs',
    v1: { report: 'no_final_response' },
    healthySince: '2026-11-21',
    has: ({ signaling }) => signaling?.abandoned?.kind === 'no_final_response',
    meaning: 'No final response came in three minutes; nobody canceled the call.',
    causes: ['A phone that rings on', 'a server that lost the call'],
    look: 'See who answered the INVITE last, and with what.',
  },
  'fragment-lost': {
    severity: 'minor',
    unit: 'datagrams',
    v1: { report: 'fragment_lost' },
    healthySince: '2026-11-29',
    meaning: 'The first fragment of a datagram with SIP came, and the rest did not: nobody could read the message.',
    causes: ['A firewall or NAT drops fragments', 'a link with a smaller MTU', 'the capture sees one of several links'],
    look: 'See whether large messages of these hosts fail and small ones do not; use TCP, or make the messages shorter.',
  },
  'orphaned-stream': {
    severity: 'minor',
    unit: 'streams',
    v1: { report: 'orphaned_stream' },
    meaning: 'RTP that no call of this capture names.',
    causes: ['The signaling runs elsewhere, or is encrypted', 'the capture began after the call'],
    look: 'See whether SIP of these hosts passes the capture, and on which ports.',
  },
  'packets-missed': {
    severity: 'critical',
    unit: 'packets',
    v1: { report: 'packets_missed' },
    meaning: 'Packets were dropped before calltap read them.',
    causes: ['More packets than this host can read', 'a ring or queue that is too small'],
    look: 'Look at capture_quality in the statistics: each counter has its remedy.',
  },
  'dialogs-evicted': {
    severity: 'blind',
    unit: 'dialogs',
    v1: { report: 'dialogs_evicted' },
    meaning: 'Dialogs gave way to newer ones, so the counts are floors.',
    causes: ['More calls than the cap of dialogs'],
    look: 'Raise --max-dialogs.',
  },
  'messages-evicted': {
    severity: 'blind',
    unit: 'messages',
    v1: { report: 'messages_evicted' },
    meaning: 'Messages gave way to newer ones, so the counts are floors.',
    causes: ['More messages than their memory holds'],
    look: 'Raise --message-log-bytes.',
  },
  'descriptions-evicted': {
    severity: 'blind',
    unit: 'dialogs',
    v1: { report: 'descriptions_evicted' },
    meaning: 'Dialogs lost the descriptions of their media to stay within their memory, so the counts are floors.',
    causes: ['Very many calls at a time', 'a flood of re-INVITEs'],
    look: 'See which calls change their media again and again.',
  },
  'streams-evicted': {
    severity: 'blind',
    unit: 'streams',
    v1: { report: 'streams_evicted' },
    meaning: 'Streams gave way to newer ones, so the counts are floors.',
    causes: ['More streams than the cap of streams'],
    look: 'Raise --max-streams.',
  },
  'streams-refused': {
    severity: 'blind',
    unit: 'streams',
    v1: { report: 'streams_refused' },
    meaning: 'Streams found no room, so the counts are floors.',
    causes: ['More streams at a time than the cap of streams'],
    look: 'Raise --max-streams.',
  },
  fraud: {
    severity: 'critical',
    unit: 'sources',
    v1: { report: 'fraud' },
    meaning: 'A source called numbers as toll fraud does.',
    causes: ['A stolen password', 'a phone or PBX that others can reach'],
    look: 'Look at its calls, change its password, and bound what it may dial.',
  },
  scanner: {
    severity: 'major',
    unit: 'sources',
    v1: { report: 'scanner' },
    meaning: 'A source probed for users, passwords or servers.',
    causes: ['A scanner of the Internet'],
    look: 'See whether one of its requests succeeded, and block it.',
  },
  'reg-flood': {
    severity: 'major',
    unit: 'sources',
    v1: { report: 'reg_flood' },
    meaning: 'A source sent registrations in a flood, most of them refused.',
    causes: ['Guessed passwords', 'a phone with a wrong password that never waits'],
    look: 'See whether it is a phone of yours, and block it otherwise.',
  },
  'clock-step': {
    severity: 'minor',
    unit: 'steps',
    v1: { report: 'clock_step' },
    healthySince: '2026-11-28',
    meaning: 'The clock of the host was set while it captured.',
    causes: ['A time service that sets and does not slew', 'a virtual machine that was moved'],
    look: 'Times behind the step are shown as captured and judged without it.',
  },
} satisfies Readonly<Record<string, FindingRow>>;

function isFailed({ signaling }: DialogFacts): boolean {
  return (signaling?.finalFailure ?? null) !== null;
}

function isByCallee({ signaling }: DialogFacts): boolean {
  return BY_CALLEE.has(signaling?.finalFailure?.code ?? 0);
}

export type AnyFinding = keyof typeof CALL_FINDINGS | keyof typeof REPORT_FINDINGS;

export const FINDINGS: Readonly<Record<AnyFinding, FindingRow>> = { ...CALL_FINDINGS, ...REPORT_FINDINGS };
