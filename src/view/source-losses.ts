/** Losses of the sources, rows of the one table (view/loss-table.ts): frames, interfaces, HEP and TLS probes. */
import type { DecodeCounters } from '../decode/counters.ts';
import type { Figures } from './figures.ts';
import type { Count, Loss, More } from './loss-row.ts';
import { loss, reasons, snake } from './loss-row.ts';

function native(name: string, means: string, more?: More): Loss {
  return loss(name, (f) => f.source.counter(name), means, more);
}

function hepTcp(name: keyof NonNullable<Figures['listener']>['tcp']['counts'], means: string, more?: More): Loss {
  return loss(`hep_tcp_${snake(name)}`, (f) => f.listener?.tcp.counts[name] ?? 0, means, more);
}

function probe(name: string, means: string, more?: More): Loss {
  return loss(`uprobe_${name}`, (f) => f.tls?.source.counter(name), means, more);
}

const plaintext =
  (name: 'gaps' | 'gapBytes' | 'evicted' | 'aborted' | 'unbound'): Count =>
  (f) =>
    f.tls?.ingest.streams.counters[name];
const plaintextDecode =
  (name: keyof DecodeCounters): Count =>
  (f) =>
    f.tls?.ingest.decode[name];

function largestOffsetMs({ ingest: { clocks } }: Figures): number {
  let largestUs = 0;
  for (const { offsetUs } of clocks.known()) largestUs = Math.max(largestUs, Math.abs(offsetUs));
  return Math.round(largestUs / 1000);
}

export const FRAME_LOSSES: readonly Loss[] = [
  reasons('frame_', (f) => f.source.losses(), 'Frames that break the rules of their own headers, or SIP over SCTP.', {
    quality: 'undecodable_frames',
    remedy: 'Look for a snap length, a cut file, an unknown encapsulation.',
  }),
  loss('frame_copies', (f) => f.source.counter('copied_frames'), 'No loss: another source gave the same frame.'),
  loss(
    'frame_copies_missed',
    (f) => f.source.counter('copies_missed'),
    'Frames not compared with other sources: too many came at once.',
  ),
  loss('frame_bpf_skipped', (f) => f.source.counter('bpf_skipped'), 'No loss: `--bpf` does not match these frames.'),
  loss('frame_bpf_unfit', (f) => f.source.counter('bpf_unfit'), 'Frames of a link type that `--bpf` cannot be for.', {
    remedy: 'Leave out what only other link types have, such as `ether` or `vlan`.',
  }),
  loss('file_records_abandoned', (f) => f.file?.abandoned ?? 0, 'Records of a file that a signal left unread.'),
  loss('record_cut', (f) => f.source.counter('records_cut'), 'Records that are longer than a slab.', {
    quality: 'queue_dropped_packets',
  }),
  native('rtp_from_fragments_dropped', 'Reassembled RTP that found its queue full.', {
    quality: 'queue_dropped_packets',
  }),
  native('rtp_malformed', 'Packets with a broken RTP header.'),
  native('rtp_probing_recycled', 'Stream candidates that newer ones replaced.'),
  native('rtp_streams_refused', 'Streams that found the table full, each counted once.', {
    quality: 'streams_refused',
    remedy: 'Raise `--max-streams`; [streams beyond the cap](memory.md#streams-beyond-the-cap).',
  }),
  native('rtp_packets_refused', 'Packets of refused streams; they are in no stream.', {
    remedy: 'Raise `--max-streams`.',
  }),
];

export const LIVE_LOSSES: readonly Loss[] = [
  loss('live_ring', (f) => f.live?.liveLosses().kernel ?? 0, 'Packets that the capture ring had no room for.', {
    quality: 'kernel_dropped_packets',
    remedy:
      'Give it a core; narrow `-d`; [loss that the capture made itself](diagnosis.md#loss-that-the-capture-made-itself).',
  }),
  loss('live_interface', (f) => f.live?.liveLosses().interface ?? 0, 'Packets that the card had no room for.', {
    quality: 'interface_dropped_packets',
    remedy: 'Give the card larger rings (`ethtool -G`).',
  }),
  loss('live_queue', (f) => f.live?.liveLosses().queue ?? 0, 'Packets that JavaScript was too late to take.', {
    quality: 'queue_dropped_packets',
    remedy: 'Lower `--max-dialogs`, take a faster core, send less HEP.',
  }),
  loss(
    'live_offload_unsplit',
    (f) => f.live?.liveLosses().unsplit ?? 0,
    'Packets that the card merged and that calltap cannot split into datagrams.',
  ),
];

export const HEP_LOSSES: readonly Loss[] = [
  loss(
    'hep_kernel_dropped',
    (f) => f.listener?.counter('kernel_dropped') ?? 0,
    'Packets that the receive buffer of `-L` had no room for.',
    { quality: 'kernel_dropped_packets', remedy: 'Give it a core; raise `net.core.rmem_max`.' },
  ),
  reasons(
    'hep_',
    (f) => f.listener?.refused() ?? [],
    'Packets that `-L` refused: `not_allowed`, `auth_failed`, `over_rate`, `too_long`, `ring_full`.',
    {
      quality: 'hep_rejected',
      remedy: 'Correct the option or the agent; `calltap_hep_sender_refused_total` names the senders with most.',
    },
  ),
  hepTcp('refusedAddress', 'Connections from outside `--hep-allow`.'),
  hepTcp('refusedFull', 'Connections that found all 1,024 places taken.', {
    remedy: 'Look at who holds them.',
  }),
  hepTcp('refusedSource', 'Connections from a source that holds 64 already.', {
    remedy: 'Look at the agent: it opens new connections and does not close the old ones.',
  }),
  hepTcp('evicted', 'Connections that gave a place: those of the source that holds most.', {
    remedy: 'Look at who holds them.',
  }),
  hepTcp('closedIdle', 'Connections that were silent for ten minutes.'),
  hepTcp('notHep', 'Connections that do not begin with HEP.', { remedy: 'Send HEP 3.' }),
  hepTcp('closedTls', 'Connections that begin with a TLS handshake where `-L` is plain; calltap closes them.', {
    remedy: 'Give `--hep-listen-cert` and `--hep-listen-key`.',
  }),
  hepTcp('notTls', 'Connections that do not begin with TLS where `-L` has a certificate.', {
    remedy: 'Send HEP by TLS.',
  }),
  hepTcp('handshakesOverRate', 'Connections beyond 100 TLS handshakes a second, or beyond 4 of a source.', {
    remedy: 'Look at the agent: it connects again and again.',
  }),
  hepTcp('handshakeTimeouts', 'TLS handshakes that took more than five seconds.'),
  hepTcp('handshakesFailed', 'TLS handshakes that failed, or whose agent went away.', {
    remedy: 'Read the line on standard error: does the agent trust the certificate, and know its name?',
  }),
  hepTcp('uncertified', 'Agents without a certificate of `--hep-listen-client-ca`.', {
    remedy: 'Give the agent a certificate.',
  }),
  hepTcp('closedNotHep', 'Connections that brought 256 KiB without a packet.'),
  hepTcp('closedWithoutKey', 'Connections whose first packet had no key.', {
    remedy: 'Give the agent its key.',
  }),
  hepTcp('resyncs', 'Places where a stream was out of step.', {
    remedy: 'Look at the agent or the relay: it mixes something in.',
  }),
  hepTcp('skippedBytes', 'Bytes that calltap skipped there.'),
  hepTcp('cutPackets', 'Packets that the end of their connection cut.'),
  hepTcp('errors', 'Connections that broke.'),
  loss(
    'hep_rejected',
    (f) => f.ingest.hep.rejected,
    'Packets that `-L` took and that calltap cannot read; `calltap_hep_total{event="refused_..."}` has the reasons.',
    { quality: 'hep_rejected', remedy: 'Look at the agent.' },
  ),
  loss(
    'hep_inflated_too_long',
    (f) => f.ingest.hep.refusals.get('inflated_too_long'),
    'HEP packets with a compressed payload of more than 128 KiB.',
    { remedy: 'No SIP message is so long: look at the agent.' },
  ),
  loss(
    'hep_inflate_over_budget',
    (f) => f.ingest.hep.refusals.get('inflate_over_budget'),
    "HEP packets with a compressed payload beyond their sender's share of the second.",
    { remedy: 'Send them uncompressed; [what inflation may cost](memory.md#what-inflation-may-cost).' },
  ),
  loss(
    'hep_other_type',
    (f) => f.ingest.hep.otherTypes,
    'Packets that carry neither SIP, nor RTCP, nor a report of quality.',
  ),
  loss('hep_rtcp_bad_json', (f) => f.ingest.hep.badJson, 'RTCP as JSON that does not parse.'),
  loss(
    'hep_pieces_unframed',
    (f) => f.ingest.hep.flows.unframed,
    'HEP packets with a piece of SIP over TCP whose beginning did not come.',
    {
      quality: 'hep_rejected',
      remedy: 'Let the agent send whole messages, or by TCP; look for packets that it loses.',
    },
  ),
  loss(
    'hep_messages_cut',
    (f) => f.ingest.hep.flows.cut,
    'SIP messages over TCP that an agent sends in pieces, where one piece did not come; calltap keeps the others.',
    { quality: 'reassembly_timeouts', remedy: 'The same.' },
  ),
  loss('hep_flows_evicted', (f) => f.ingest.hep.flows.evicted, 'Of these, those that gave way to stay under a cap.', {
    remedy: 'Look at the sender with many unfinished messages.',
  }),
  loss(
    'hep_piece_message_too_long',
    (f) => f.ingest.hep.flows.decode.tcpMessageTooLong,
    'Messages in pieces that are beyond a size cap.',
  ),
  loss(
    'hep_implausible_times',
    (f) => f.ingest.hep.implausibleTimes,
    'HEP packets that say a time before the year 2000, or ten years after their arrival. Their time is that of their arrival; in a file, that of the frame.',
    { quality: 'invalid_timestamps', remedy: 'Set the clock of that host; standard error names the sender.' },
  ),
  loss(
    'hep_senders_evicted',
    (f) => f.ingest.clocks.evicted,
    'Senders that gave their place: of 512 with a known offset, or 512 without, the longest silent one.',
  ),
  loss('hep_clock_offset_ms', largestOffsetMs, 'No loss: the largest offset of a clock, fast or slow.', {
    remedy: 'Set that clock; [clocks of HEP senders](hep.md#clocks-of-hep-senders).',
  }),
];

export const PROBE_LOSSES: readonly Loss[] = [
  probe('lost_calls', 'TLS calls that the kernel could not follow.'),
  probe('lost_events', 'TLS calls that came faster than calltap read them.', {
    quality: 'uprobe_lost_events',
    remedy: 'Limit the processes, give priority or a larger ring (`--uprobe-ring-bytes`).',
  }),
  probe('lost_bytes', 'Bytes of these calls. The message in the gap is cut, the next is whole.', {
    quality: 'uprobe_lost_bytes',
  }),
  probe('lost_notices', 'Notices of sockets and programs that found the ring full.'),
  probe('over_share', 'Of these calls and notices, those of a process that had a quarter of the ring waiting.', {
    remedy: 'Look at that process, or give a larger ring (`--uprobe-ring-bytes`).',
  }),
  probe('truncated', 'Calls of more than 1 MiB.', { quality: 'uprobe_truncated_calls' }),
  probe('faults', 'Calls whose memory the probe cannot read, or that Go gave away before they returned.', {
    quality: 'uprobe_faults',
  }),
  probe('return_without_entry', 'Calls that were open when the probes came: once a thread, and of Go each.'),
  probe('stale_frames', 'Calls that were left by a jump or with their thread, or whose stack was copied away.'),
  probe(
    'frames_full',
    'Calls nested more than four deep, or on more than 4,096 stack pages or 16,384 goroutines of a process.',
  ),
  probe('no_room', 'Connections that found a table of the kernel full.'),
  probe('skipped', 'Socket calls and process events that a preemptible kernel hid: their addresses may be missing.'),
  probe('probation_over', 'Connections whose first bytes did not decide what they carry.'),
  probe(
    'heads_over',
    'Web requests with a head of more than 16 KB, or an unreadable one. calltap does not read their WebSocket.',
    { remedy: 'Shorten the cookies.' },
  ),
  probe('malformed', 'Events of the kernel that do not parse.'),
  loss('uprobe_gaps', plaintext('gaps'), 'Holes in the plaintext of a connection.'),
  loss('uprobe_gap_bytes', plaintext('gapBytes'), 'Bytes in these holes.'),
  loss('uprobe_connections_evicted', plaintext('evicted'), 'Connections that gave their place to newer ones.'),
  loss('uprobe_messages_aborted', plaintext('aborted'), 'Messages that were unfinished when their connection ended.'),
  loss('uprobe_messages_truncated', plaintextDecode('tcpMessagesTruncated'), 'Messages cut by a hole; kept in part.'),
  loss('uprobe_message_too_long', plaintextDecode('tcpMessageTooLong'), 'Messages beyond a size cap.'),
  loss('uprobe_bytes_ignored', plaintextDecode('tcpBytesIgnored'), 'Plaintext bytes that became part of no message.'),
  loss('uprobe_ws_bad_frames', plaintextDecode('wsBadFrames'), 'WebSocket frames that break RFC 6455.'),
  loss(
    'uprobe_ws_compressed_undecodable',
    plaintextDecode('wsCompressedUndecodable'),
    'Compressed WebSocket messages that calltap cannot read.',
  ),
  loss(
    'uprobe_unbound_messages',
    plaintext('unbound'),
    "Messages whose connection's address did not become known; they are in their dialogs.",
    { quality: 'uprobe_unbound_messages' },
  ),
  loss(
    'uprobe_files_beyond_cap',
    (f) => f.tls?.source.discovery.files.beyondCap,
    'Files beyond those that calltap remembers.',
  ),
  loss(
    'uprobe_unproven',
    (f) => f.tls?.source.unproven,
    'Events of functions named by offset or debug file that were not shown: no proof that they are TLS.',
    { remedy: 'Standard error names the function; correct its address, or leave it out.' },
  ),
  loss(
    'uprobe_files_unread',
    (f) => f.tls?.source.discovery.unreadFiles,
    'Files of processes that took too much to read, or that failed; calltap puts no probes there.',
    { remedy: 'Standard error names the first sixteen, `--uprobe-list` all.' },
  ),
  loss('uprobe_look_failures', (f) => f.tls?.source.lookFailures, 'Looks at the processes that failed by an error.', {
    remedy: 'Standard error has it; report it.',
  }),
  loss('uprobe_scan_failures', (f) => f.tls?.source.discovery.scanFailures, 'Failed attempts to list the processes.'),
  loss(
    'uprobe_functions_unread',
    (f) => f.tls?.source.discovery.files.unreadFunctions,
    'Functions that carry plaintext and whose exits calltap cannot find.',
    { remedy: 'Standard error and `--uprobe-list` name them and say why; mirror their SIP by HEP.' },
  ),
];
