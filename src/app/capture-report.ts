/**
 * The report over the whole capture: every dialog and stream is looked at in short turns, so that whoever asks for it
 * does not hold up those who ask for less.
 */

import { CaptureFindings } from '../analysis/capture-findings.ts';
import type { CaptureReport } from '../contract/index.ts';
import { endpointKeyText } from '../core/ip.ts';
import { alertText } from '../export/security-line.ts';
import type { Dialog } from '../store/dialog.ts';
import { toCaptureFinding } from '../view/capture-report.ts';
import type { Slice, Turns } from '../view/turns.ts';
import type { CaptureSession } from './capture-session.ts';
import type { DialogFacts } from './documents.ts';
import { dialogFacts, qualityOf } from './documents.ts';
import { AUDIBLE } from './report-input.ts';

/** Failures that the called side decides: busy, no answer, declined, unknown or gone number. */
const BY_CALLEE: ReadonlySet<number> = new Set([404, 410, 480, 484, 486, 487, 600, 603, 604, 607]);

/** Makes the report. While one is made, who else asks gets the same; so does who asks before anything changed. */
export class CaptureReporter {
  readonly #session: CaptureSession;
  readonly #turns: Turns;
  #pending: Promise<CaptureReport> | null = null;
  #made: { readonly key: string; readonly report: CaptureReport } | null = null;

  /** The walk rests together with those of the lists. */
  constructor(session: CaptureSession, turns: Turns) {
    this.#session = session;
    this.#turns = turns;
  }

  report(): Promise<CaptureReport> {
    const key = this.#key();
    if (this.#made?.key === key) return Promise.resolve(this.#made.report);
    this.#pending ??= this.#turns
      .alone((slice) => this.#make(slice))
      .finally(() => {
        this.#pending = null;
      });
    return this.#pending;
  }

  /** What the report is made of, as far as it can change. */
  #key(): string {
    const { dialogs, streams, source, nowUs, isExhausted, security } = this.#session;
    const alerts = security?.counts().map(([, n]) => n) ?? [];
    return [...alerts, dialogs.generation, streams.generation, source.counter('frames'), nowUs, isExhausted].join(' ');
  }

  async #make(slice: Slice): Promise<CaptureReport> {
    const session = this.#session;
    const key = this.#key();
    const findings = new CaptureFindings();
    const framesRead = session.source.counter('frames');
    const isComplete = addLosses(session, findings);
    addAlerts(session, findings);
    const { nextSerial } = session.dialogs;
    const { opened } = session.streams;
    let dialogs = 0;
    for (const d of session.dialogs.oldestFirst()) {
      if (slice.isOver) await slice.rest();
      // Its slot belongs to another dialog when it was evicted while the walk rested; what came meanwhile is left out.
      if (d.serial >= nextSerial || session.dialogs.bySlot(d.slot) !== d) continue;
      dialogs++;
      addDialog(d, dialogFacts(session, d), findings);
    }
    let streams = 0;
    for (const stream of session.streams.order.fromNewest()) {
      if (slice.isOver) await slice.rest();
      const q = stream.serial < opened ? qualityOf(session, stream) : null;
      if (q === null) continue;
      streams++;
      const where = {
        endpoints: [endpointKeyText(stream.srcKey), endpointKeyText(stream.dstKey)],
        atUs: q.snapshot.firstUs,
        ...(stream.dialog === null ? {} : { callId: stream.dialog.callId }),
      };
      if (q.lossPct >= AUDIBLE.lossPct)
        findings.add('packet_loss', {
          ...where,
          note: `${q.snapshot.lost} of ${q.snapshot.expected} packets (${q.lossPct.toFixed(1)} %)`,
        });
      if (q.jitterMs >= AUDIBLE.jitterMs)
        findings.add('high_jitter', { ...where, note: `${q.jitterMs.toFixed(1)} ms` });
      if (q.mos !== null && q.mos < AUDIBLE.mos)
        findings.add('poor_quality', { ...where, note: `MOS ${q.mos.toFixed(2)}` });
      if (stream.dialog === null) findings.add('orphaned_stream', { ...where, note: `${q.snapshot.packets} packets` });
    }
    const report: CaptureReport = {
      frames_read: framesRead,
      dialogs_examined: dialogs,
      streams_examined: streams,
      complete: isComplete,
      findings: findings.list().map(toCaptureFinding),
    };
    this.#made = { key, report };
    return report;
  }
}

/** What the capture itself missed or shed; false when a cap did it. */
function addLosses(session: CaptureSession, findings: CaptureFindings): boolean {
  const { dialogs, log, tracker, streams, source, listener } = session;
  // Counters only: the statistics document sorts the delays of all dialogs, which holds the loop too long here.
  const shed = [
    ['dialogs_evicted', dialogs.evicted],
    ['messages_evicted', log.evicted + tracker.counts.beyondDialogCap],
    ['streams_evicted', streams.evicted],
    ['streams_refused', source.counter('rtp_probing_recycled')],
  ] as const;
  for (const [kind, count] of shed) if (count > 0) findings.add(kind, null, count);
  const live = session.live?.liveLosses();
  const missed =
    (live?.kernel ?? 0) + (live?.interface ?? 0) + (live?.queue ?? 0) + (listener?.counter('kernel_dropped') ?? 0);
  if (missed > 0) findings.add('packets_missed', { note: 'dropped before they were read' }, missed);
  return shed.every(([, count]) => count === 0);
}

/** Who was reported as a scanner, a flood or a fraud, each source once. */
function addAlerts({ security }: CaptureSession, findings: CaptureFindings): void {
  for (const alert of security?.reported ?? []) {
    findings.add(alert.kind === 'reg-flood' ? 'reg_flood' : alert.kind, {
      endpoints: [alert.source],
      atUs: alert.atUs,
      note: alertText(alert),
    });
  }
}

function addDialog(d: Dialog, facts: DialogFacts, findings: CaptureFindings): void {
  const { media, signaling: s } = facts;
  const where = { callId: d.callId, atUs: d.createdUs };
  const hint = (start: string): { note: string } | Record<string, never> => {
    const note = media.hints.find((h) => h.startsWith(start));
    return note === undefined ? {} : { note };
  };
  if (media.noMedia) findings.add('no_media', { ...where, ...hint('The call was answered') });
  if (media.oneWayAudio) findings.add('one_way_audio', { ...where, ...hint('One-way audio') });
  if (media.natMismatch) findings.add('nat_mismatch', { ...where, ...hint('NAT mismatch') });
  if (media.privateMediaAddress) findings.add('private_media_address', where);
  if (s === null) return;
  if (s.finalFailure !== null) {
    const { code, reasonPhrase } = s.finalFailure;
    const kind = BY_CALLEE.has(code) ? 'refused_by_callee' : 'final_failure';
    findings.add(kind, { ...where, note: `${code} ${reasonPhrase}`.trim() });
  }
  if (s.icmpUnreachable !== null)
    findings.add('icmp_unreachable', {
      ...where,
      endpoints: [s.icmpUnreachable.unreachable],
      note: s.icmpUnreachable.description,
    });
  if (s.authLoop !== null) findings.add('auth_loop', { ...where, note: `${s.authLoop.challenges} challenges` });
  if (s.ackMissing !== null)
    findings.add('ack_missing', { ...where, note: `${s.ackMissing.waitedSec.toFixed(1)} s without an ACK` });
  if (s.abandoned?.kind === 'no_final_response') findings.add('no_final_response', where);
  if (s.postDialDelay !== null)
    findings.add('post_dial_delay', { ...where, note: `${s.postDialDelay.delaySec.toFixed(1)} s` });
  if (s.registrationFailure !== null)
    findings.add('registration_failure', { ...where, note: `${s.registrationFailure.code}` });
  if (s.retransmissions !== null)
    findings.add('retransmissions', { ...where, note: `${s.retransmissions.count} of ${s.retransmissions.method}` });
  if ((s.sourceDisagreement?.evidence.length ?? 0) > 0) findings.add('source_disagreement', where);
}
