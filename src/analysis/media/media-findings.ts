/** What can be wrong with the media of a call: rows of the table of findings, the worst first. */
import type { CallFindingRows } from '../finding-row.ts';
import { said } from '../finding-row.ts';

export const MEDIA_FINDINGS = {
  'ice-failed': {
    severity: 'critical',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: said('ice-failed'),
    meaning:
      'The call was answered, none of its ICE checks succeeded for 5 seconds, and no media ran. Answers would come past here.',
    causes: [
      'A firewall that drops the checks',
      'candidates that cannot be reached, and no TURN server',
      'a peer that does not know the user or password (401), or takes the same role (487)',
    ],
    look: 'Compare the candidates in both descriptions with where the checks go, and ice-ufrag with the user name of a check.',
    ground: 'inferred',
    effects: ['no-media', 'one-way-audio', 'media-stopped', 'ended-by-cause'],
    remedy:
      'Give the server a candidate that is public: Asterisk `ice_host_candidates` or `external_media_address`, FreeSWITCH `ext-rtp-ip` and `apply-candidate-acl`, rtpengine `interface=private!public` and `ICE=force`. Give clients behind firewalls a TURN server. 401: no proxy may change ice-ufrag on one side alone.',
  },
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
    remedy:
      'Asterisk: `rtp_symmetric=yes`, `force_rport=yes`, `direct_media=no` for phones behind NAT. Kamailio: engage rtpengine for both sides. Open the RTP ports of the server in the firewall (Asterisk 10000-20000, FreeSWITCH 16384-32768, rtpengine 30000-40000).',
  },
  'media-elsewhere': {
    severity: 'critical',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: said('media-elsewhere'),
    meaning:
      'A side sends where the other does not listen: to a socket that nobody named, or that an earlier description named. What the other named last gets nothing.',
    causes: [
      'A sender that reads the address of the o= line, or rounds the port',
      'one that keeps the port of the 183 when the 200 names another',
      'one that ignores a re-INVITE',
    ],
    look: 'Compare where the media goes with the c= and m= lines of the last answer or offer that the sender got.',
    effects: ['one-way-audio', 'media-stopped', 'ended-by-cause'],
    remedy:
      'Let the answer keep its port: 183 and 200 of one dialog must be the same (Asterisk: `Progress()` and `Answer()` of one channel; Kamailio: one `rtpengine_manage()` for each branch, and `replace-origin` for senders that read the o= line). The sender needs `rtp_symmetric=yes` (Asterisk), no `disable-rtp-auto-adjust` (FreeSWITCH).',
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
    remedy:
      'Asterisk: set `external_media_address` and `local_net`, and `rtp_symmetric=yes`. FreeSWITCH: `ext-rtp-ip`, and no `disable-rtp-auto-adjust`. Kamailio: rtpengine with `replace-origin` for the side behind NAT.',
  },
  'media-stopped': {
    severity: 'note',
    unit: 'dialogs',
    healthySince: '2026-11-28',
    has: ({ media }) => media.mediaStopped,
    meaning:
      'Media ran and stopped while the call continued; no hold, mailbox or transfer in the signaling explains it.',
    causes: [
      'A recording or announcement that ended: that is not a fault',
      'An address binding of a NAT expired',
      'a device lost its network',
      'a relay gave up the session',
    ],
    look: 'Look at the last packet of each stream, and at what was signaled about that time.',
    ground: 'inferred',
    effects: ['ended-by-cause'],
    remedy:
      'Where it was lost media: Asterisk `rtp_keepalive=15`, FreeSWITCH `rtp-timeout-sec` and keepalives of the phone, so that the binding of the NAT stays open.',
  },
  'two-senders': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: said('two-senders'),
    meaning:
      'Two sources sent to one socket of a party for 3 s or more while both sides talked: it hears garbled audio.',
    causes: [
      'A server of ring tones or announcements that goes on after the answer',
      'the media of a transfer or a hold that never ended',
      'a port that was given to two calls',
    ],
    look: 'See which of the two no description in force names, and what its host was for.',
    effects: ['nat-mismatch'],
    remedy:
      'End the other source at the answer: Asterisk `StopPlaytones()`, FreeSWITCH `uuid_break`; rtpengine: `strict-source` keeps others out. Give no port to two calls: the range must be larger than the calls need.',
  },
  'remote-hears-nothing': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: said('remote-hears-nothing'),
    meaning:
      'RTCP reports of a side name the same last packet again and again, while packets go to it past this capture.',
    causes: [
      'A firewall or NAT behind the capture drops RTP and lets RTCP pass',
      'the receiver drops the packets: another port, payload type, key or source than it expects',
    ],
    look: 'Capture behind the next hop towards the host that reports, and compare the socket of the RTP with its description.',
    ground: 'reported',
    effects: ['ended-by-cause'],
    remedy:
      'Open the RTP ports between here and who reports, the even ones too. Asterisk: `strictrtp` drops what comes from another source. rtpengine: `strict-source` likewise. SRTP: compare the keys of both descriptions.',
  },
  'lost-after-tap': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-30',
    has: said('lost-after-tap'),
    meaning:
      'A phone reports at least 2 % more loss than this capture saw of the same packets: they were lost between here and the phone.',
    causes: [
      'A wireless link or an access line that is full, behind this capture',
      'a policer or a firewall between here and the phone',
      'a phone that counts packets as lost which came too late for it',
    ],
    look: 'Compare what the phone reports with what was measured, under Media. Capture behind the next hop towards the phone.',
    ground: 'reported',
    remedy:
      'Give voice a queue of its own (DSCP EF, 46) on the way to the phone: shape the access line a little below its rate, and use WMM on a wireless link. See whether other phones at the same place report the same.',
  },
  'payload-type-mismatch': {
    severity: 'major',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: said('payload-type-mismatch'),
    meaning:
      'A side sent packets of a payload type that the other side never named: they are not heard, or decoded wrongly.',
    causes: [
      'A gateway that passes key presses on as 101 although another number was agreed',
      'a sender that uses the numbers of its own description',
      'a codec that nobody agreed to',
    ],
    look: 'Compare the m= line and the rtpmap lines of the receiver with the payload types of the stream.',
    effects: ['ended-by-cause'],
    remedy:
      'Key presses: the same number on both sides (Asterisk `dtmf_mode=rfc4733` on both endpoints, FreeSWITCH `rfc2833-pt`). Codecs: Asterisk `asymmetric_rtp_codec=no`, FreeSWITCH no `inherit_codec` towards such a peer. Behind Kamailio: no part of the SDP may be changed on one leg alone.',
  },
  'late-media': {
    severity: 'minor',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: said('late-media'),
    meaning:
      'A side began to send at least 2 s after the answer while the other side sent, or both sides began so late.',
    causes: [
      'A gateway or PBX that answers before its other leg is ready',
      'a device that opens its audio slowly',
      'a NAT or firewall that opens late',
      'a phone that was muted and sends nothing meanwhile: that is not a fault',
    ],
    look: 'See who began late, and what it did in that time: ICE, DTLS, another leg, an ACK that it waited for.',
    ground: 'inferred',
    remedy:
      'Asterisk: no `Answer()` before `Dial()`, and `rtp_keepalive=1`. FreeSWITCH: `bypass_media` or `pre_answer` in place of an early `answer`. Kamailio: rtpengine does not delay; look at the first packet on each of its sides.',
  },
  'silent-audio': {
    severity: 'minor',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: said('silent-audio'),
    meaning:
      'One side of an answered call sent G.711 of nothing but one octet for three seconds or more, from its first packet to its last; the other side was heard.',
    causes: [
      'A microphone that is muted, not plugged in, or that the program may not use',
      'a PBX, relay or transcoder that gets no audio from its other leg and sends silence in its place',
      'an application that plays a file it does not find, or fills no buffer (`0x00`)',
      'somebody who only listened, muted for the whole call: that is not a fault',
    ],
    look: 'Follow the stream back to its sender. Where a relay or a PBX does, compare it with what came to that host on its other leg.',
    remedy:
      'Phones and browsers: look at the input device and at the right to use it. Asterisk: `core show channel` shows whether frames come from the bridged channel, and `core show translation` whether a codec can be translated; `transmit_silence=yes` sends silence while it records. FreeSWITCH: look for `silence_stream` in the dialplan and for a missing file of `playback`. rtpengine: look at the packet counts of each side in `query`.',
  },
  'nat-mismatch': {
    severity: 'major',
    unit: 'dialogs',
    v1: { diagnosis: 'nat_mismatch', report: 'nat_mismatch' },
    healthySince: '2026-11-21',
    has: ({ media }) => media.natMismatch,
    meaning:
      'The call never named the address that media comes from: no SDP, candidate, STUN answer or ICE check has it.',
    causes: ['A NAT rewrites the source, and the peer does not know'],
    look: 'Compare the source of the stream with the c= and m= lines of its sender.',
    remedy:
      'Asterisk: `rtp_symmetric=yes`. FreeSWITCH: no `disable-rtp-auto-adjust`. Phones: switch STUN or ICE on. Kamailio: `fix_nated_sdp()` or rtpengine.',
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
    effects: ['no-media', 'one-way-audio', 'media-stopped', 'remote-hears-nothing'],
    remedy:
      'Let the port range of the SDP and the one of the firewall be the same (Asterisk `rtp.conf`, FreeSWITCH `rtp-start-port`, rtpengine `port-min` and `port-max`). A port that closes in a call is a program that ended: look at its log.',
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
    remedy:
      'coturn: raise `max-allocate-lifetime`, and look for 437 and 438 at the Refresh. Clients refresh a minute before the end.',
  },
  'srtp-mismatch': {
    severity: 'critical',
    unit: 'dialogs',
    healthySince: '2026-11-29',
    has: said('srtp-mismatch'),
    meaning:
      'One side sends SRTP and the other plain RTP. By the length of all packets of G.711; the descriptions say which was agreed.',
    causes: [
      'A side that encrypts although the answer took no key',
      'a side that answers RTP/SAVP and does not encrypt',
      'a server that passes media on between a secured leg and a plain one',
    ],
    look: 'Compare the profile of the m= lines and the a=crypto lines of the answer with the side that encrypts.',
    effects: ['ended-by-cause'],
    remedy:
      'Let both sides have one rule. Asterisk: `media_encryption=sdes` or `no`, and `media_encryption_optimistic=no`. FreeSWITCH: `rtp_secure_media=mandatory` or `false`. rtpengine between a secured and a plain side: `RTP/SAVP` for the one and `RTP/AVP` for the other, with its own keys.',
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
    remedy:
      'Give voice a queue of its own (DSCP EF, 46) on both ends of the path, and the uplink a shaper a little below its rate. Measure with a tap at each end where the packets go.',
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
    remedy:
      'Give voice priority on the path. Asterisk: `JITTERBUFFER(adaptive)` on the leg that suffers. FreeSWITCH: `jitterbuffer_msec=60:200`.',
  },
  'late-packets': {
    severity: 'minor',
    unit: 'streams',
    healthySince: '2026-11-28',
    has: (_, heard) => heard.some((a) => a.isLate),
    meaning: 'At least 1 % of the packets came later than a jitter buffer of 60 ms waits.',
    causes: ['Delay that changes: queues, a route that changes, a busy sender'],
    look: 'Compare the jitter of the windows; a receiver with a deeper buffer plays these packets.',
    remedy:
      'A deeper jitter buffer at the receiver: Asterisk `JITTERBUFFER(adaptive)`, FreeSWITCH `jitterbuffer_msec=100:200`. Phones have it in their audio settings.',
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
    remedy:
      'Allow G.711, G.722 or Opus before G.729 and GSM (Asterisk `allow`, FreeSWITCH `inbound-codec-prefs`). Count transcodings on the way: one is enough.',
  },
} satisfies CallFindingRows;

/** What may explain more, and is no fault by itself. */
export const MEDIA_WARNINGS = {
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
    remedy: 'The same as for one-way audio: name the public address, or put a relay between.',
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
    remedy: 'Let the phone use what STUN says (ICE on), or switch STUN off and let the server latch on to the source.',
  },
} satisfies CallFindingRows;
