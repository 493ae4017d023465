/**
 * Makes the report over the whole capture. It looks at every dialog and stream in short turns, so it does not hold up those
 * who ask for less.
 */

import { capturedText } from '../analysis/captured-at.ts';
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { dialogFactsSteps } from '../analysis/dialog-facts.ts';
import type { StreamQuality } from '../analysis/stream-quality.ts';
import { audible, streamQuality } from '../analysis/stream-quality.ts';
import type { CaptureReport, FindingEvidence } from '../contract/index.ts';
import { counted } from '../core/counted.ts';
import { endpointKeyText } from '../core/ip.ts';
import type { Steps, Turns } from '../core/turns.ts';
import { alertText } from '../security/outputs/security-line.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { visitAll } from '../store/dialogs/live-dialogs.ts';
import type { Stream } from '../store/media/stream.ts';
import { StandingAnswer } from '../watch/standing-answer.ts';
import type { FindingKind } from './capture-findings.ts';
import { CaptureFindings } from './capture-findings.ts';
import { clockStepText } from './clock-step-text.ts';
import type { Figures } from './figures.ts';
import { shedCaveats } from './losses.ts';

/** Failures that the called side decides: busy, no answer, declined, unknown or gone number. */
const BY_CALLEE: ReadonlySet<number> = new Set([404, 410, 480, 484, 486, 487, 600, 603, 604, 607]);

/** The report, made anew when somebody asks and something has changed. The walk rests together with those of the lists. */
export function captureReport(f: Figures, turns: Turns): StandingAnswer<CaptureReport> {
  const make = (): Promise<CaptureReport> => turns.whole('answer', reportSteps(f));
  return new StandingAnswer({ key: () => madeOf(f), make, standsMs: () => 0 }, turns);
}

/** What the report is made of, as far as it can change. */
function madeOf({ source, security, evidence }: Figures): string {
  const { dialogs, streams } = evidence.stores;
  const { nowUs, isExhausted } = evidence.capture;
  const alerts = security?.counts().map(([, n]) => n) ?? [];
  return [...alerts, dialogs.generation, streams.generation, source.counter('frames'), nowUs, isExhausted].join(' ');
}

function* reportSteps(f: Figures): Steps<CaptureReport> {
  const { evidence, source } = f;
  const { stores } = evidence;
  const findings = new CaptureFindings();
  const framesRead = source.counter('frames');
  const isComplete = addLosses(f, findings);
  addAlerts(f, findings);
  const { clockSteps } = evidence.capture;
  for (const step of clockSteps) findings.add('clock_step', () => clockEvidence(step, clockSteps));
  const { nextSerial } = stores.dialogs;
  const { opened } = stores.streams;
  let dialogs = 0;
  yield* visitAll(stores.dialogs, 'oldest', 1, function* (d) {
    // What came meanwhile is left out.
    if (d.serial >= nextSerial) return;
    const facts = yield* dialogFactsSteps(evidence, d);
    dialogs++;
    addDialog(d, facts, findings, clockSteps);
  });
  let streams = 0;
  for (const stream of stores.streams.fromNewest()) {
    const q = stream.serial < opened ? streamQuality(stream, evidence.capture.quality) : null;
    if (q !== null) {
      streams++;
      addStream(stream, q, findings, clockSteps);
    }
    yield;
  }
  return {
    frames_read: framesRead,
    dialogs_examined: dialogs,
    streams_examined: streams,
    complete: isComplete,
    findings: findings.list(),
  };
}

/** What the capture itself missed or shed; false when a cap did it. */
function addLosses(f: Figures, findings: CaptureFindings): boolean {
  const { ingest, source, live, listener } = f;
  const evicted = shedCaveats(f);
  // Counters only: the statistics document sorts the delays of all dialogs, which holds the loop too long here.
  const shed = [
    ['dialogs_evicted', evicted.dialogs_evicted],
    ['messages_evicted', evicted.messages_evicted],
    ['descriptions_evicted', ingest.sdp.shedDialogs],
    ['streams_evicted', evicted.streams_evicted],
    ['streams_refused', source.counter('rtp_streams_refused')],
  ] as const;
  for (const [kind, count] of shed) if (count > 0) findings.add(kind, null, count);
  const lost = live?.liveLosses();
  const missed =
    (lost?.kernel ?? 0) + (lost?.interface ?? 0) + (lost?.queue ?? 0) + (listener?.counter('kernel_dropped') ?? 0);
  if (missed > 0) findings.add('packets_missed', () => ({ note: 'dropped before they were read' }), missed);
  return shed.every(([, count]) => count === 0);
}

/** When the clock of the host was set: nothing else is found because of it. */
function clockEvidence(step: ClockStep, steps: readonly ClockStep[]): FindingEvidence {
  return { at: capturedText(step.atUs, steps), note: clockStepText(step) };
}

/** Who was reported as a scanner, a flood or a fraud, each source once. */
function addAlerts({ security, evidence }: Figures, findings: CaptureFindings): void {
  for (const alert of security?.reported ?? []) {
    findings.add(alert.kind === 'reg-flood' ? 'reg_flood' : alert.kind, () => ({
      endpoints: [alert.source],
      at: capturedText(alert.atUs, evidence.capture.clockSteps),
      note: alertText(alert),
    }));
  }
}

function addDialog(d: Dialog, facts: DialogFacts, findings: CaptureFindings, steps: readonly ClockStep[]): void {
  const { media, signaling: s } = facts;
  const add = (kind: FindingKind, note: () => string | undefined = () => undefined, endpoint?: string): void =>
    findings.add(kind, () => {
      const said = note();
      return {
        call_id: d.callId,
        ...(endpoint === undefined ? {} : { endpoints: [endpoint] }),
        at: capturedText(d.createdUs, steps),
        ...(said === undefined ? {} : { note: said }),
      };
    });
  const hint = (start: string) => (): string | undefined => media.hints.find((h) => h.startsWith(start));
  if (media.noMedia) add('no_media', hint('The call was answered'));
  if (media.oneWayAudio) add('one_way_audio', hint('One-way audio'));
  if (media.natMismatch) add('nat_mismatch', hint('NAT mismatch'));
  if (media.privateMediaAddress) add('private_media_address');
  if (s === null) return;
  const { finalFailure, icmpUnreachable, authLoop, ackMissing, postDialDelay, registrationFailure, retransmissions } =
    s;
  if (finalFailure !== null) {
    const { code, reasonPhrase } = finalFailure;
    add(BY_CALLEE.has(code) ? 'refused_by_callee' : 'final_failure', () => `${code} ${reasonPhrase}`.trim());
  }
  if (icmpUnreachable !== null) add('icmp_unreachable', () => icmpUnreachable.description, icmpUnreachable.unreachable);
  if (authLoop !== null) add('auth_loop', () => counted(authLoop.challenges, 'challenge'));
  if (ackMissing !== null) add('ack_missing', () => `${ackMissing.waitedSec.toFixed(1)} s without an ACK`);
  if (s.abandoned?.kind === 'no_final_response') add('no_final_response');
  if (postDialDelay !== null) add('post_dial_delay', () => `${postDialDelay.delaySec.toFixed(1)} s`);
  if (registrationFailure !== null) add('registration_failure', () => `${registrationFailure.code}`);
  if (retransmissions !== null) add('retransmissions', () => `${retransmissions.count} of ${retransmissions.method}`);
  if (s.sourceDisagreement !== null) add('source_disagreement');
}

function addStream(stream: Stream, q: StreamQuality, findings: CaptureFindings, steps: readonly ClockStep[]): void {
  const { snapshot: s, ownLost, knownLossPct, jitterMs, mos } = q;
  const add = (kind: FindingKind, note: () => string): void =>
    findings.add(kind, () => ({
      ...(stream.dialog === null ? {} : { call_id: stream.dialog.callId }),
      endpoints: [endpointKeyText(stream.srcKey), endpointKeyText(stream.dstKey)],
      at: capturedText(s.firstUs, steps),
      note: note(),
    }));
  const { isLossy, isJittery, isPoor } = audible(q);
  if (isLossy)
    add('packet_loss', () => `${q.lost - ownLost} of ${q.expected - ownLost} packets (${knownLossPct.toFixed(1)} %)`);
  if (isJittery) add('high_jitter', () => `${jitterMs.toFixed(1)} ms`);
  if (isPoor && mos !== null) add('poor_quality', () => `MOS ${mos.toFixed(2)}`);
  if (stream.dialog === null) add('orphaned_stream', () => counted(s.packets, 'packet'));
}
