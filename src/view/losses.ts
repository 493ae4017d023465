/**
 * Every loss of a run by its reason: nothing that was captured goes missing without a name here.
 */

import { SCAN_REASONS } from '../protocols/sip/scanner/scan.ts';
import type { Figures } from './figures.ts';
import { probeLossesByReason } from './probe-status.ts';

/** Decode counters that are losses; the others count what was seen. */
const DECODE_LOSSES = [
  'tcpEvicted',
  'tcpTimeouts',
  'tcpGaps',
  'tcpGapBytes',
  'tcpBytesIgnored',
  'tcpMessageTooLong',
  'tcpMessagesTruncated',
  'tcpMessagesAborted',
  'wsBadFrames',
  'wsCompressedUndecodable',
  'wsInflateOverBudget',
  'wsContextsEvicted',
  'fragmentDatagramsDiscarded',
  'fragmentsMalformed',
  'fragmentsSnapped',
  'fragmentsEvicted',
  'fragmentTimeouts',
  'fragmentBytesIgnored',
] as const;

/** Of HEP over TCP: connections that were not read to their end, and bytes that were no packets. */
const HEP_TCP_LOSSES = [
  'refusedAddress',
  'refusedFull',
  'evicted',
  'closedIdle',
  'notHep',
  'closedTls',
  'closedNotHep',
  'closedWithoutKey',
  'resyncs',
  'skippedBytes',
  'cutPackets',
  'errors',
] as const;

/** The name that metrics and losses have for a counter. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
}

function largestOffsetMs({ ingest: { clocks } }: Figures): number {
  let largestUs = 0;
  for (const { offsetUs } of clocks.known()) largestUs = Math.max(largestUs, Math.abs(offsetUs));
  return Math.round(largestUs / 1000);
}

/** Count by reason, zero included: the list is complete. */
export function lossesByReason(f: Figures): Record<string, number> {
  const { source, file, live, listener } = f;
  const { decode, sip, sdp, rtcp, stun, icmp, hep, tracker, clocks } = f.ingest;
  const { log, dialogs, streams, identifiers } = f.evidence.stores;
  const { omitted } = f.evidence;
  const out: Record<string, number> = {};
  for (const [reason, count] of source.losses()) out[`frame_${reason}`] = count;
  // The first is no loss: another source gave the same frame.
  out['frame_copies'] = source.counter('copied_frames');
  out['frame_copies_missed'] = source.counter('copies_missed');
  out['file_records_abandoned'] = file?.abandoned ?? 0;
  out['record_cut'] = source.counter('records_cut');
  out['rtp_from_fragments_dropped'] = source.counter('rtp_from_fragments_dropped');
  out['rtp_malformed'] = source.counter('rtp_malformed');
  out['rtp_probing_recycled'] = source.counter('rtp_probing_recycled');
  out['rtp_streams_refused'] = source.counter('rtp_streams_refused');
  out['rtp_packets_refused'] = source.counter('rtp_packets_refused');
  for (const name of DECODE_LOSSES) out[snake(name)] = decode[name];
  SCAN_REASONS.forEach((reason, i) => {
    if (reason !== 'ok') out[`sip_${reason}`] = sip.refused[i] ?? 0;
  });
  out['sip_without_call_id'] = tracker.counts.withoutCallId;
  for (const [reason, count] of rtcp.refused) out[`rtcp_${reason}`] = count;
  out['rtcp_streams_untracked'] = rtcp.unseen.refused;
  out['rtcp_streams_evicted'] = rtcp.unseen.evicted;
  for (const [reason, count] of stun.refused) out[`stun_${reason}`] = count;
  for (const [reason, count] of icmp.refused) out[`icmp_${reason}`] = count;
  out['icmp_about_unknown_sip'] = icmp.signalingUnattributed;
  out['icmp_notes_evicted'] = icmp.notesEvicted;
  out['icmp_flows_untracked'] = icmp.media.untrackedFlows;
  out['icmp_flows_evicted'] = icmp.media.evictedFlows;
  out['icmp_endpoints_untallied'] = icmp.media.untalliedEndpoints;
  out['stun_attributes_cut'] = stun.cut;
  out['stun_flows_evicted'] = stun.flowsEvicted;
  out['stun_requests_evicted'] = stun.requestsEvicted;
  out['ice_fragments_evicted'] = stun.fragmentsEvicted;
  out['ice_fragments_refused'] = stun.fragmentsRefused;
  out['stun_aliases_refused'] = stun.aliasesRefused;
  out['audio_packets_overwritten'] = f.evidence.stores.payloads?.overwritten ?? 0;
  out['security_evicted'] = f.security?.evicted ?? 0;
  out['identifiers_refused'] = identifiers?.index.refused ?? 0;
  const lost = live?.liveLosses();
  out['live_ring'] = lost?.kernel ?? 0;
  out['live_interface'] = lost?.interface ?? 0;
  out['live_queue'] = lost?.queue ?? 0;
  out['live_offload_unsplit'] = lost?.unsplit ?? 0;
  out['hep_kernel_dropped'] = listener?.counter('kernel_dropped') ?? 0;
  for (const [reason, count] of listener?.refused() ?? []) out[`hep_${reason}`] = count;
  for (const name of HEP_TCP_LOSSES) out[`hep_tcp_${snake(name)}`] = listener?.tcp.counts[name] ?? 0;
  out['hep_rejected'] = hep.rejected;
  // Two of the reasons in it: work that was not done for its cost.
  out['hep_inflated_too_long'] = hep.refusals.get('inflated_too_long');
  out['hep_inflate_over_budget'] = hep.refusals.get('inflate_over_budget');
  out['hep_other_type'] = hep.otherTypes;
  out['hep_rtcp_bad_json'] = hep.badJson;
  out['hep_senders_evicted'] = clocks.evicted;
  // No loss, but what times of mirrored messages hang on: the largest of all senders.
  out['hep_clock_offset_ms'] = largestOffsetMs(f);
  Object.assign(out, probeLossesByReason(f.tls));
  out['messages_evicted'] = log.evicted;
  out['message_file_changed'] = file?.files.failed ?? 0;
  out['messages_beyond_dialog_cap'] = tracker.counts.beyondDialogCap;
  out['messages_of_outsiders'] = tracker.counts.ofOutsiders;
  out['dialogs_evicted'] = dialogs.evicted;
  out['dialogs_evicted_for_bytes'] = dialogs.evictedForBytes;
  out['call_ids_shortened'] = dialogs.longCallIds;
  out['dialog_texts_cut'] = tracker.counts.textsCut;
  out['sdp_dialogs_shed'] = sdp.shedDialogs;
  out['sdp_claims_shed'] = sdp.shedClaims;
  out['sdp_endpoints_beyond_cap'] = sdp.endpointsBeyondCap;
  out['sdp_entries_beyond_cap'] = sdp.entriesBeyondCap;
  out['streams_evicted'] = streams.evicted;
  out['quality_windows_dropped'] = streams.quality.dropped;
  out['streams_beyond_dialog_cap'] = streams.beyondDialogCap;
  out['lint_messages_unread'] = omitted.lintMessages;
  out['document_intervals_omitted'] = omitted.intervals;
  out['document_requests_refused'] = omitted.refused;
  for (const meter of f.meters) for (const [reason, count] of meter.losses()) out[reason] = count;
  return out;
}
