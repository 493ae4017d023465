/**
 * Every loss of a session by its reason: nothing that was captured goes missing without a name here.
 */
import { HEP_OUT_LOSSES } from '../export/hep-out.ts';
import { SCAN_REASONS } from '../sip/scan.ts';
import type { CaptureSession } from './capture-session.ts';
import { standardError, standardOutput } from './standard-streams.ts';
import { probeLossesByReason } from './tls-status.ts';

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
  'fragmentDatagramsDiscarded',
  'fragmentsMalformed',
  'fragmentsSnapped',
  'fragmentsEvicted',
  'fragmentTimeouts',
  'fragmentBytesIgnored',
] as const;

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
}

/** Count by reason, zero included: the list is complete. */
export function lossesByReason(session: CaptureSession): Record<string, number> {
  const { source, decode, sip, rtcp, stun, icmp, hep, tracker, log, dialogs, streams, outputs } = session;
  const out: Record<string, number> = {};
  for (const [reason, count] of source.losses()) out[`frame_${reason}`] = count;
  out['record_cut'] = source.counter('records_cut');
  out['rtp_from_fragments_dropped'] = source.counter('rtp_from_fragments_dropped');
  out['rtp_malformed'] = source.counter('rtp_malformed');
  out['rtp_probing_recycled'] = source.counter('rtp_probing_recycled');
  for (const name of DECODE_LOSSES) out[snake(name)] = decode[name];
  SCAN_REASONS.forEach((reason, i) => {
    if (reason !== 'ok') out[`sip_${reason}`] = sip.refused[i] ?? 0;
  });
  out['sip_without_call_id'] = tracker.counts.withoutCallId;
  for (const [reason, count] of rtcp.refused) out[`rtcp_${reason}`] = count;
  out['rtcp_streams_untracked'] = rtcp.unseen.refused;
  for (const [reason, count] of stun.refused) out[`stun_${reason}`] = count;
  for (const [reason, count] of icmp.refused) out[`icmp_${reason}`] = count;
  out['icmp_about_unknown_sip'] = icmp.signalingUnattributed;
  out['icmp_notes_evicted'] = icmp.notesEvicted;
  out['icmp_flows_untracked'] = icmp.media.untrackedFlows;
  out['stun_attributes_cut'] = stun.cut;
  out['stun_flows_evicted'] = stun.flowsEvicted;
  out['stun_requests_evicted'] = stun.requestsEvicted;
  out['ice_fragments_evicted'] = stun.fragmentsEvicted;
  out['audio_packets_overwritten'] = session.payloads?.overwritten ?? 0;
  out['identifiers_refused'] = session.identifiers?.index.refused ?? 0;
  const lost = session.live?.liveLosses();
  out['live_ring'] = lost?.kernel ?? 0;
  out['live_interface'] = lost?.interface ?? 0;
  out['live_queue'] = lost?.queue ?? 0;
  out['live_offload_unsplit'] = lost?.unsplit ?? 0;
  out['hep_kernel_dropped'] = session.listener?.counter('kernel_dropped') ?? 0;
  for (const [reason, count] of session.listener?.refused() ?? []) out[`hep_${reason}`] = count;
  out['hep_rejected'] = hep.rejected;
  out['hep_other_type'] = hep.otherTypes;
  out['hep_rtcp_bad_json'] = hep.badJson;
  Object.assign(out, probeLossesByReason(session.tls));
  out['messages_evicted'] = log.evicted;
  out['message_file_changed'] = session.file?.files.failed ?? 0;
  out['messages_beyond_dialog_cap'] = tracker.counts.beyondDialogCap;
  out['dialogs_evicted'] = dialogs.evicted;
  out['streams_evicted'] = streams.evicted;
  if (outputs.mirror !== null) {
    for (const name of HEP_OUT_LOSSES) out[`hep_out_${snake(name)}`] = outputs.mirror.counters.get(name);
  }
  for (const [reason, count] of outputs.file?.losses() ?? []) out[`output_${reason}`] = count;
  out['stdout_lines_lost'] = standardOutput.lost;
  out['stderr_lines_lost'] = standardError.lost;
  return out;
}
