/** What can be wrong with the signaling of a call: rows of the table of findings, the worst first. */
import type { CallFindingRows, Has } from '../finding-row.ts';
import { said } from '../finding-row.ts';
import type { SignalingFindings } from './diagnose.ts';
import type { StatedName } from './stated.ts';

/** Proved by a detection of the signaling. */
function signaled(key: Exclude<keyof SignalingFindings, 'hints'>): Has {
  return ({ signaling }) => (signaling?.[key] ?? null) !== null;
}

/** Proved by a statement of the signaling. */
function stated(name: StatedName): Has {
  return said(name);
}

export const SIGNALING_FINDINGS = {
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
    remedy:
      'Start the program at that port, or mend the route or the firewall. Kamailio: let dispatcher probe its targets. Asterisk: `qualify_frequency=30` takes the contact out.',
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
    remedy:
      'Compare user, password and realm of phone and server. Asterisk: the `auth` of the endpoint, and its `realm`. Kamailio: `calculate_ha1` and the domain. After a 401 with `stale=true` the phone must take the new nonce.',
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
    remedy:
      'Set the public address in Contact and Record-Route: Asterisk `external_signaling_address`, FreeSWITCH `ext-sip-ip`, Kamailio `advertise` and `record_route()`; `fix_nated_contact()` for phones behind NAT.',
  },
  'ack-misrouted': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('ack-misrouted'),
    meaning: 'The 2xx was sent again and again, and its ACK went somewhere else than to its sender.',
    causes: [
      'A Contact or Record-Route with an address that is not the sender of the 2xx',
      'a caller that sends the ACK to where the INVITE went',
      'a proxy that takes the Route out',
    ],
    look: 'Compare where the ACK went with the Record-Route and the Contact of the 2xx.',
    remedy:
      'The 2xx must name an address that the caller reaches: Asterisk `external_signaling_address`, FreeSWITCH `ext-sip-ip`, Kamailio `record_route()` with `advertise`, and `fix_nated_contact()` for phones behind NAT.',
    effects: [
      'ack-missing',
      'one-way-audio',
      'no-media',
      'ended-by-cause',
      'dropped-at-answer',
      'in-dialog-failure',
      'late-media',
    ],
  },
  'ack-not-arriving': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('ack-not-arriving'),
    meaning: 'The ACK went to the sender of the 2xx, which sent the 2xx again for 3 seconds all the same.',
    causes: [
      'A firewall or a lost route behind the capture point',
      'an ACK whose tags or branch the other side does not know',
    ],
    look: 'Capture at the side that sends the 2xx: either the ACK does not come there, or its tags and CSeq do not match.',
    remedy:
      'Follow the ACK: a capture on the next hop shows where it ends. Firewalls and SIP helpers of routers drop it; a proxy that keeps no state loses it without `loose_route()`.',
    ground: 'inferred',
    effects: ['ack-missing', 'one-way-audio', 'no-media', 'ended-by-cause', 'media-stopped', 'late-media'],
  },
  'response-not-arriving': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('response-not-arriving'),
    meaning:
      'A response went back to the sender of the request, which sent the request again for 3 seconds all the same.',
    causes: [
      'A NAT or firewall that does not let the response in',
      'a Via without rport behind a NAT',
      'a response whose Via or tags the sender does not know',
    ],
    look: 'Capture at the side that asks, and compare the port of the response with that of the request.',
    remedy:
      'Answer to where the request came from: `force_rport=yes` in Asterisk, `force_rport()` in Kamailio, `NDLB-force-rport` in FreeSWITCH. A firewall that forgets UDP in under 30 s drops late answers.',
    ground: 'inferred',
    effects: ['no-response', 'abandoned', 'final-failure', 'refused-by-callee', 'ack-missing'],
  },
  'prack-missing': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('prack-missing'),
    meaning:
      'A reliable provisional response was sent three times, and no PRACK came, or one had no effect; or its PRACK was refused.',
    causes: [
      'A caller that does not know 100rel, although a proxy asked for it',
      'a PRACK that went to a wrong Contact or Route',
      'a PBX that passes on 100rel and no PRACK',
    ],
    look: 'See whether the INVITE has 100rel, and where the Contact and Record-Route of the response point.',
    remedy:
      'Asterisk: `100rel=no` or `yes` on both sides alike. FreeSWITCH: `enable-100rel`. A proxy must pass PRACK on like any request in a dialog.',
    ground: 'inferred',
    effects: ['final-failure', 'abandoned', 'no-response'],
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
    remedy:
      'Kamailio: `loose_route()` for requests in a dialog, and a test for `myself` before `t_relay()`. Asterisk: no dial plan that calls its own trunk. Name all own domains (`alias`).',
    effects: ['final-failure', 'refused-by-callee', 'in-dialog-failure', 'no-response', 'registration-failure'],
  },
  'media-declined': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('media-declined'),
    meaning: 'An answer gave port 0 to all media of the offer, so the call has none from then on.',
    causes: [
      'No codec or transport in common, and the call was answered all the same',
      'SRTP that one side demands',
      'a PBX that ends early media in the answer',
    ],
    look: 'Compare the codecs, the profile (RTP/AVP, RTP/SAVP) and the attributes of both descriptions.',
    remedy:
      'Give both sides a codec and a security (RTP or SRTP) in common: Asterisk `allow` and `media_encryption`, FreeSWITCH `inbound-codec-prefs` and `rtp_secure_media`.',
    effects: ['no-media', 'one-way-audio'],
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
    remedy:
      'Q.850 34, 38, 41, 42: ask the carrier with time and Call-ID. RTP timeout: Asterisk `rtp_timeout`, FreeSWITCH `rtp-timeout-sec`; first find why no media came. Session timer: `timers=no` at the side that does not refresh.',
    effects: ['dropped-at-answer'],
  },
  'connection-closed': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: stated('connection-closed'),
    meaning:
      'The TCP connection of the call was closed or reset before a request had its final response, or while the call ran and its side said nothing of the call afterwards, or it was gone when the BYE came.',
    causes: [
      'A program crashed or was ended',
      'a firewall or load balancer cut the connection',
      'a device lost its network, or changed it',
    ],
    look: 'See whether the program of the side that closed ran on, and whether other calls lost their connection then.',
    remedy:
      'Look at the log of the program at that time: it crashed, or restarted. Kamailio: `tcp_connection_lifetime` longer than the registration. Firewalls: a longer time for idle connections, and keepalives (RFC 5626).',
    effects: ['no-response', 'media-stopped', 'one-way-audio', 'in-dialog-failure', 'abandoned'],
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
    remedy:
      '488: codecs or T.38 of both sides (`t38_udptl`, `fax_detect`). 481: the other side lost the call: restart, or a time limit. 491 again and again: one side does not wait (RFC 3261 section 14.1). Session refresh: `timers=no` where it is not understood.',
    effects: ['media-stopped'],
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
    effects: ['final-failure', 'refused-by-callee', 'registration-failure', 'abandoned', 'in-dialog-failure'],
    remedy:
      'Try `OPTIONS` to that address. Switch the SIP helper of the router off (SIP ALG). Kamailio: `fr_timer` and a failure route to the next target.',
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
    remedy:
      'Shorten the time to the next route: Kamailio `fr_timer=5000`, Asterisk `timer_t1` and a dial time per trunk. Look for DNS that times out (NAPTR, SRV).',
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
    remedy:
      'Asterisk: `max_contacts`, `remove_existing=yes`, `minimum_expiration`. Kamailio: `max_contacts` and `min_expires` of registrar. Give the phone the expiry that the server grants.',
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
    remedy:
      'Where it rings too short: Asterisk the time of `Dial()`, Kamailio `fr_inv_timer`, FreeSWITCH `call_timeout`.',
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
    remedy: 'Nothing to mend: it was answered as it was given up. Bill such calls as answered.',
    effects: [
      'abandoned',
      'dropped-at-answer',
      'ack-missing',
      'media-refused',
      'one-way-audio',
      'media-stopped',
      'no-media',
    ],
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
    remedy:
      'Look at the log of the side that hung up: no codec in common, a failed SRTP key, a limit of calls or of credit.',
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
    remedy:
      'Kamailio: let siptrace trace whole dialogs. Another agent: its range of ports. Let both hosts keep time by NTP.',
  },
} satisfies CallFindingRows;
