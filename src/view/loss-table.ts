/**
 * The one table of losses: the key of each in `losses` of the statistics, the counter, where else it counts, what it
 * means and what to do. Statistics, metrics, summary, report and docs/losses.md are made from it (view/losses.ts).
 */
import type { DecodeCounters } from '../decode/counters.ts';
import { SCAN_REASONS } from '../protocols/sip/scanner/scan.ts';
import type { Figures, MeterLoss } from './figures.ts';
import type { Loss, More, QualityKey, QualityMember } from './loss-row.ts';
import { loss, reasons, snake } from './loss-row.ts';
import type { LabelledCount } from './metrics/family.ts';
import { FRAME_LOSSES, HEP_LOSSES, LIVE_LOSSES, PROBE_LOSSES } from './source-losses.ts';

/** What an output lost; its own keys begin with this. */
function ofMeters(prefix: MeterLoss, name: string, means: string, more: More = {}): Loss {
  const read = (f: Figures): LabelledCount[] =>
    f.meters.flatMap((meter) => [...meter.losses()]).filter(([key]) => key.startsWith(prefix));
  return { name, means, read, ...more };
}

function decode(name: keyof DecodeCounters, means: string, more?: More): Loss {
  return loss(snake(name), (f) => f.ingest.decode[name], means, more);
}

const STREAMS_OF_BYTES: readonly Loss[] = [
  decode('tcpEvicted', 'Connections dropped, or emptied, to stay under a cap.'),
  decode('tcpTimeouts', 'Partial messages whose rest did not come in time.', {
    quality: 'reassembly_timeouts',
  }),
  decode('tcpGaps', 'Holes in a TCP stream that calltap skipped.'),
  decode('tcpGapBytes', 'Bytes in these holes.'),
  decode('tcpBytesIgnored', 'Captured payload bytes that became part of no message.'),
  decode('tcpMessageTooLong', 'Messages beyond a size cap.'),
  decode('tcpMessagesTruncated', 'Messages cut by a hole in their body; kept in part.'),
  decode('tcpMessagesAborted', 'Messages unfinished when their connection ended.'),
  decode(
    'messageFramesBeyondCap',
    'Frames of a message beyond 256, where the frames of calls are written; the file of `-O` lacks them.',
  ),
  decode('wsBadFrames', 'WebSocket frames that break RFC 6455.'),
  decode(
    'wsCompressedUndecodable',
    'Compressed messages that calltap cannot read: broken, too long, or their context was lost or over budget.',
    { quality: 'undecodable_frames' },
  ),
  decode('wsInflateOverBudget', 'Compressed messages beyond the share of their direction.', {
    quality: 'undecodable_frames',
    remedy: '[What inflation may cost](memory.md#what-inflation-may-cost).',
  }),
  decode(
    'wsContextsEvicted',
    'Directions that lost their last 32 KiB, which later messages refer to; those without SIP lose first.',
    { remedy: '[What inflation may cost](memory.md#what-inflation-may-cost).' },
  ),
  decode('fragmentDatagramsDiscarded', 'IPv6 datagrams whose fragments overlap.'),
  decode('fragmentsMalformed', 'Fragments that break the rules of IP.'),
  decode('fragmentsSnapped', 'Fragments cut by the snap length.', {
    remedy: 'Capture with `-s 0`.',
  }),
  decode('fragmentsEvicted', 'Unfinished datagrams, dropped to stay under a cap.'),
  decode('fragmentTimeouts', 'Datagrams that were not complete in time.', {
    quality: 'reassembly_timeouts',
  }),
  decode('fragmentBytesIgnored', 'Bytes of fragments that became part of no datagram.'),
];

const PROTOCOLS: readonly Loss[] = [
  reasons(
    'sip_',
    ({ ingest: { sip } }) =>
      SCAN_REASONS.map((reason, i) => [reason, sip.refused[i] ?? 0] as const).filter(([reason]) => reason !== 'ok'),
    'Payloads that do not scan as SIP, or only in part (`malformed_sip`).',
  ),
  loss(
    'sip_cut',
    (f) => f.ingest.sip.cut.fronts,
    'SIP messages by UDP that their sender cut: they end within their headers, or the rest came in another datagram (`malformed_sip`).',
    { remedy: 'Let the sender use TCP, or fragments of IP, for long messages.' },
  ),
  loss(
    'sip_cut_rests',
    (f) => f.ingest.sip.cut.rests,
    'Datagrams with the rest of such a message, which no receiver reads (`malformed_sip`).',
  ),
  loss(
    'sip_without_call_id',
    (f) => f.ingest.tracker.counts.withoutCallId,
    'SIP without a usable Call-ID; in no dialog.',
    {
      quality: 'sip_without_call_id',
    },
  ),
  reasons('rtcp_', (f) => f.ingest.rtcp.refused, 'RTCP that does not parse.'),
  loss(
    'rtcp_streams_untracked',
    (f) => f.ingest.rtcp.unseen.refused,
    'Streams that only RTCP names, refused while 4,096 others are in use.',
  ),
  reasons(
    'phone_reports_',
    (f) => f.ingest.reports.refused,
    'Reports of phones and agents that are not kept: too long, without a figure, of no call here (`no_call`), or too many of one call.',
    { remedy: 'Many of `strange_beyond_call`: somebody who has no part in a call reports about it.' },
  ),
  loss(
    'phone_reports_shed',
    (f) => f.evidence.stores.reports.shed,
    'Reports of phones that gave way to newer ones: those that were sent while a call went on, beyond 24 of it.',
  ),
  loss('rtcp_streams_evicted', (f) => f.ingest.rtcp.unseen.evicted, 'Such streams, dropped after a silent minute.'),
  reasons('stun_', (f) => f.ingest.stun.refused, 'STUN that does not parse.'),
  reasons('icmp_', (f) => f.ingest.icmp.refused, 'ICMP errors that do not parse.'),
  loss(
    'icmp_about_unknown_sip',
    (f) => f.ingest.icmp.signalingUnattributed,
    'ICMP errors about SIP of no known dialog.',
  ),
  loss('icmp_notes_evicted', (f) => f.ingest.icmp.notesEvicted, 'Dialogs that lost their ICMP errors to newer ones.'),
  loss(
    'lost_datagrams_evicted',
    (f) => f.ingest.lostDatagrams.evicted,
    'Datagrams with SIP that came in part, beyond the newest 256 that are named.',
  ),
  loss(
    'closed_connections_evicted',
    (f) => f.ingest.connections.evicted,
    'Closed TCP connections of SIP beyond 8,192: no call learns of these.',
  ),
  loss(
    'icmp_flows_untracked',
    (f) => f.ingest.icmp.media.untrackedFlows,
    'Media flows that ICMP errors name, refused while 4,096 others are in use.',
  ),
  loss('icmp_flows_evicted', (f) => f.ingest.icmp.media.evictedFlows, 'Such flows, dropped after a silent minute.'),
  loss(
    'icmp_flows_beyond_dialog',
    (f) => f.ingest.icmp.media.beyondDialog,
    'Such flows beyond 64 of a call, which its answers do not name.',
  ),
  loss(
    'icmp_endpoints_untallied',
    (f) => f.ingest.icmp.media.untalliedEndpoints,
    'Sockets of such flows beyond 4,096.',
  ),
  loss('stun_attributes_cut', (f) => f.ingest.stun.cut, 'STUN messages with more than 64 attributes.'),
  loss('stun_flows_evicted', (f) => f.ingest.stun.flowsEvicted, 'Clients of STUN and TURN servers beyond 8,192.'),
  loss('ice_checked_evicted', (f) => f.ingest.stun.ice.evicted, 'Sockets beyond 8,192 that ICE checked.'),
  loss('stun_requests_evicted', (f) => f.ingest.stun.requestsEvicted, 'Open STUN requests beyond 8,192.'),
  loss('ice_fragments_evicted', (f) => f.ingest.stun.fragmentsEvicted, 'ICE user fragments beyond 16,384.'),
  loss('ice_fragments_refused', (f) => f.ingest.stun.fragmentsRefused, 'ICE user fragments beyond 64 of a dialog.'),
  loss('stun_aliases_refused', (f) => f.ingest.stun.aliasesRefused, 'Addresses learned from STUN beyond 32,768.'),
  loss(
    'audio_packets_overwritten',
    (f) => f.evidence.stores.payloads?.overwritten ?? 0,
    'Packets whose audio gave way to newer audio.',
    { remedy: 'Raise `--audio-bytes`.' },
  ),
  loss(
    'security_evicted',
    (f) => f.security?.evicted ?? 0,
    'Sources, open requests, dialogs and servers that the detection forgot to stay under its caps.',
    { remedy: 'Look for a flood from many addresses; a slow scanner may be forgotten.' },
  ),
  loss(
    'identifiers_refused',
    (f) => f.evidence.stores.identifiers?.index.refused ?? 0,
    'Identifiers of linked legs that found no room.',
  ),
  loss(
    'identifiers_common',
    (f) => f.evidence.stores.identifiers?.index.common ?? 0,
    'Identifiers of calls that more than 64 share: they tie no legs together. Not counted: o= lines and Via branches, which some agents never change.',
    { remedy: 'Look at who sends one Session-ID, X-Call-ID, Replaces or charging identifier in all calls.' },
  ),
];

const STORES: readonly Loss[] = [
  loss('messages_evicted', (f) => f.evidence.stores.log.evicted, 'Messages that gave way to newer ones.', {
    shed: 'messages_evicted',
    remedy: 'Raise `--message-log-bytes`.',
  }),
  loss(
    'message_frames_unkept',
    (f) => f.evidence.stores.frames?.unkept ?? 0,
    'Frames of messages that found no room in the list of frames; the file of `-O` lacks them.',
    { remedy: 'Read fewer files at a time.' },
  ),
  loss('message_file_changed', (f) => f.file?.files.failed ?? 0, 'Messages whose file changed after it was read.'),
  loss(
    'messages_beyond_dialog_cap',
    (f) => f.ingest.tracker.counts.beyondDialogCap,
    'Messages beyond 500 of a dialog; counted in `msg_count`, not kept.',
    { shed: 'messages_evicted' },
  ),
  loss(
    'messages_of_outsiders',
    (f) => f.ingest.tracker.counts.ofOutsiders,
    "Messages in a dialog's Call-ID from a source no party spoke to, beyond 250; counted in `msg_count`, not kept.",
    {
      shed: 'messages_evicted',
      remedy: 'Somebody who knows the Call-ID sends in it: look at its first messages.',
    },
  ),
  loss('dialogs_evicted', (f) => f.evidence.stores.dialogs.evicted, 'Dialogs that gave way to newer ones.', {
    shed: 'dialogs_evicted',
    remedy: 'Raise `--max-dialogs`.',
  }),
  loss(
    'dialogs_evicted_for_bytes',
    (f) => f.evidence.stores.dialogs.evictedForBytes,
    'Dialogs that gave way because all of them together kept too many bytes.',
    { remedy: 'Somebody sends large texts or descriptions: look at the newest dialogs.' },
  ),
  loss(
    'call_ids_shortened',
    (f) => f.evidence.stores.dialogs.longCallIds,
    'Call-IDs beyond [their cap](limits.md), kept in part; the message itself holds the whole text.',
  ),
  loss(
    'dialog_texts_cut',
    (f) => f.ingest.tracker.counts.textsCut,
    'Other texts beyond [their caps](limits.md), kept in part; the message itself holds the whole text.',
  ),
  loss('sdp_dialogs_shed', (f) => f.ingest.sdp.shedDialogs, 'Dialogs that lost their SDP to stay under its budget.', {
    remedy: 'Look for the host that sends huge SDP; raise `--max-dialogs`.',
  }),
  loss('sdp_claims_shed', (f) => f.ingest.sdp.shedClaims, 'Endpoints that these dialogs named.'),
  loss(
    'sdp_endpoints_beyond_cap',
    (f) => f.ingest.sdp.endpointsBeyondCap,
    'Endpoints beyond 64 of a message or 1,024 of a dialog.',
  ),
  loss('sdp_entries_beyond_cap', (f) => f.ingest.sdp.entriesBeyondCap, 'Descriptions beyond 200 of a dialog.'),
  loss('streams_evicted', (f) => f.evidence.stores.streams.evicted, 'Streams that gave way to newer ones.', {
    shed: 'streams_evicted',
    remedy: 'Raise `--max-streams`.',
  }),
  loss(
    'quality_windows_dropped',
    (f) => f.evidence.stores.streams.quality.dropped,
    'Quality windows beyond 48 MiB in all. A stream loses its older half: streams of no call first, then those of ' +
      'ended calls. The scores use the rest.',
    { remedy: 'Lower `--max-streams`: calltap then keeps fewer ended streams, but whole ones.' },
  ),
  loss(
    'stream_segments_joined',
    (f) => f.evidence.stores.streams.segments.joined,
    'Changes of payload type that calltap no longer shows: a stream had more than 15, or all together 32,768, those of no dialog 16,384.',
  ),
  loss(
    'streams_beyond_dialog_cap',
    (f) => f.evidence.stores.streams.beyondDialogCap,
    'Streams to the sockets of a call that owns 128 already; they are orphans.',
    { remedy: 'Look for a flood of SSRCs, or a large conference under one Call-ID.' },
  ),
];

const ANSWERS: readonly Loss[] = [
  loss(
    'lint_messages_unread',
    (f) => f.evidence.omitted.lintMessages,
    "Messages that no lint rule saw, because the dialog's first ones hold 4 MiB.",
    { remedy: 'Look at who sends them.' },
  ),
  loss(
    'document_intervals_omitted',
    (f) => f.evidence.omitted.intervals,
    'Quality intervals of a dialog beyond 8,192, each time somebody asks for it.',
    { remedy: 'Ask `/v1/streams/{ssrc}` for them.' },
  ),
  loss(
    'document_requests_refused',
    (f) => f.evidence.omitted.refused,
    'Requests answered with 503 because too many waited for a document, a list, a container or a file.',
    { remedy: 'Ask for fewer at a time.' },
  ),
  loss(
    'trunk_attempts_cut_short',
    (f) => f.trunks?.lost.cutShort,
    'Attempts on trunks whose end was not waited for: 131,072 others were under way. They keep what was counted of them.',
  ),
  loss(
    'trunk_attempts_beyond_call',
    (f) => f.trunks?.lost.beyondCall,
    'Hops of a call beyond 16, which count for no trunk.',
  ),
  ofMeters('hep_out_', 'hep_out_*', 'Messages that calltap did not send to the collector of `-H`.', {
    remedy: 'Look at the collector; [mirroring](hep.md#mirroring-to-a-collector).',
  }),
  ofMeters('ship_', 'ship_*', 'Rows that did not get to the store of `--ship`.', {
    remedy: 'Look at the store, and at the disk of the spool; `ship_refused` rows are kept in its `.refused` files.',
  }),
  ofMeters(
    'history_',
    'history_*',
    'Calls without a row, or a row without its document, in the indexes beside the files of `-O`.',
    {
      remedy: 'Look at the disk; of `history_over_share` see [what an index takes](history.md#what-an-index-takes).',
    },
  ),
  ofMeters(
    'output_',
    'output_*',
    'Frames and messages that calltap did not write to the file of `-O`, or to those of calls.',
    {
      remedy: 'Look at the disk; of calls, see [a file for each call](writing.md#a-file-for-each-call).',
    },
  ),
  ofMeters('stdout_lines_lost', 'stdout_lines_lost', 'Lines that the reader of standard output did not take in time.', {
    remedy: 'Look at who reads them; 1 MiB waits for a reader that stalls.',
  }),
  ofMeters('stderr_lines_lost', 'stderr_lines_lost', 'Lines that the reader of standard error did not take in time.', {
    remedy: 'Look at who reads them.',
  }),
];

/** In the order of `losses`. */
export const LOSSES: readonly Loss[] = [
  ...FRAME_LOSSES,
  ...STREAMS_OF_BYTES,
  ...PROTOCOLS,
  ...LIVE_LOSSES,
  ...HEP_LOSSES,
  ...PROBE_LOSSES,
  ...STORES,
  ...ANSWERS,
];

/** In the order of `capture_quality`. */
export const QUALITY: Readonly<Record<QualityKey, QualityMember>> = {
  kernel_dropped_packets: {
    means: 'The capture ring or the receive buffer of HEP was full. Loss of calls at that time is not known.',
  },
  interface_dropped_packets: { means: 'The card had no room; nobody saw these packets.' },
  queue_dropped_packets: {
    means: 'JavaScript was too late to take these packets.',
    own: (f) => f.listener?.abandoned ?? 0,
  },
  invalid_timestamps: {
    means: 'Packets without a usable time.',
    remedy: 'Trust timing and jitter around them less.',
    own: (f) => f.source.counter('invalid_timestamps'),
  },
  undecodable_frames: { means: 'Frames and compressed messages that calltap cannot decode.' },
  snapped_frames: {
    means: 'Frames cut by the snap length.',
    remedy: 'Capture with `-s 0`.',
    own: (f) => f.source.counter('snapped_frames'),
  },
  reassembly_timeouts: { means: 'TCP messages and IP datagrams that were not complete in time.' },
  malformed_sip: {
    means: 'SIP messages that calltap can read only in part; the dialog keeps them.',
    own: (f) => f.ingest.sip.malformed,
  },
  sip_without_call_id: { means: 'SIP messages without a usable Call-ID.' },
  uprobe_lost_events: { means: 'TLS calls that came faster than calltap read them.' },
  uprobe_lost_bytes: { means: 'The bytes of these calls.' },
  uprobe_unbound_messages: { means: 'Messages from TLS probes whose address is not known.' },
  uprobe_truncated_calls: { means: 'TLS calls of more than 1 MiB.' },
  uprobe_faults: { means: 'TLS calls whose memory the probe cannot read.' },
  hep_rejected: { means: 'HEP packets that calltap refused or cannot read.' },
  streams_refused: { means: 'RTP streams that found the table full.' },
  ice_role_conflicts: {
    means: 'Both sides of a call controlled ICE at once.',
    own: (f) => f.ingest.stun.roleConflicts,
  },
};
