/**
 * Makes the report over the whole capture. It looks at every dialog and stream in short turns, so it does not hold up those
 * who ask for less.
 */

import { capturedText } from '../analysis/captured-at.ts';
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { dialogFactsSteps } from '../analysis/dialog-facts.ts';
import { found, rowsOf } from '../analysis/finding-names.ts';
import type { AnyFinding } from '../analysis/finding-table.ts';
import { FINDINGS } from '../analysis/finding-table.ts';
import type { SignalingFindings } from '../analysis/signaling/diagnose.ts';
import type { FinalFailure } from '../analysis/signaling/failure.ts';
import { fragmentsLost, lostMessageText } from '../analysis/signaling/lost-fragments.ts';
import type { StreamQuality } from '../analysis/stream-quality.ts';
import { audible, streamQuality } from '../analysis/stream-quality.ts';
import type { CaptureReport, FindingEvidence } from '../contract/index.ts';
import { rawText } from '../core/byte-text.ts';
import { counted } from '../core/counted.ts';
import { endpointKeyText } from '../core/ip.ts';
import type { Steps, Turns } from '../core/turns.ts';
import { alertText } from '../security/outputs/security-line.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { visitAll } from '../store/dialogs/live-dialogs.ts';
import type { Stream } from '../store/media/stream.ts';
import { StandingAnswer } from '../watch/standing-answer.ts';
import { CaptureFindings } from './capture-findings.ts';
import { clockStepText } from './clock-step-text.ts';
import type { Figures } from './figures.ts';
import { shedCaveats } from './losses.ts';

/** What a call proves as a whole; streams are looked at one by one. */
const OF_DIALOGS = rowsOf(FINDINGS).filter(([, { unit }]) => unit === 'dialogs');

/** What evidence of a call says beside the call and its time, where there is more to say. */
const MORE: { readonly [Name in AnyFinding]?: (facts: DialogFacts) => Pick<FindingEvidence, 'note' | 'endpoints'> } = {
  'no-media': hinted('no-media'),
  'one-way-audio': hinted('one-way-audio'),
  'nat-mismatch': hinted('nat-mismatch'),
  'final-failure': noted('finalFailure', failureText),
  'refused-by-callee': noted('finalFailure', failureText),
  'auth-loop': noted('authLoop', ({ challenges }) => counted(challenges, 'challenge')),
  'ack-missing': noted('ackMissing', ({ waitedSec }) => `${waitedSec.toFixed(1)} s without an ACK`),
  'post-dial-delay': noted('postDialDelay', ({ delaySec }) => `${delaySec.toFixed(1)} s`),
  'registration-failure': noted('registrationFailure', ({ code }) => `${code}`),
  'no-response': noted('retransmissions', ({ count, method }) => `${count} of ${method}`),
  unreachable: ({ signaling }) => {
    const icmp = signaling?.icmpUnreachable ?? null;
    return icmp === null ? {} : { endpoints: [icmp.unreachable], note: icmp.description };
  },
};

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
  addFragments(f, findings);
  const { clockSteps } = evidence.capture;
  for (const step of clockSteps) findings.add('clock-step', () => clockEvidence(step, clockSteps));
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
    ['dialogs-evicted', evicted.dialogs_evicted],
    ['messages-evicted', evicted.messages_evicted],
    ['descriptions-evicted', ingest.sdp.shedDialogs],
    ['streams-evicted', evicted.streams_evicted],
    ['streams-refused', source.counter('rtp_streams_refused')],
  ] as const;
  for (const [name, count] of shed) if (count > 0) findings.add(name, null, count);
  const lost = live?.liveLosses();
  const missed =
    (lost?.kernel ?? 0) + (lost?.interface ?? 0) + (lost?.queue ?? 0) + (listener?.counter('kernel_dropped') ?? 0);
  if (missed > 0) findings.add('packets-missed', () => ({ note: 'dropped before they were read' }), missed);
  return shed.every(([, count]) => count === 0);
}

/** When the clock of the host was set: nothing else is found because of it. */
function clockEvidence(step: ClockStep, steps: readonly ClockStep[]): FindingEvidence {
  return { at: capturedText(step.atUs, steps), note: clockStepText(step) };
}

/** Datagrams that came in part, the newest first. */
function addFragments({ evidence }: Figures, findings: CaptureFindings): void {
  const { lost, beyond } = fragmentsLost(evidence);
  for (const one of lost.toReversed())
    findings.add('fragment-lost', () => ({
      ...(one.callId === '' ? {} : { call_id: rawText(Buffer.from(one.callId, 'latin1'), 0, one.callId.length) }),
      endpoints: [endpointKeyText(one.src), endpointKeyText(one.dst)],
      at: capturedText(one.atUs, evidence.capture.clockSteps),
      note: lostMessageText(one),
    }));
  if (beyond > 0) findings.add('fragment-lost', null, beyond);
}

/** Who was reported as a scanner, a flood or a fraud, each source once. */
function addAlerts({ security, evidence }: Figures, findings: CaptureFindings): void {
  for (const alert of security?.reported ?? []) {
    findings.add(alert.kind, () => ({
      endpoints: [alert.source],
      at: capturedText(alert.atUs, evidence.capture.clockSteps),
      note: alertText(alert),
    }));
  }
}

function addDialog(d: Dialog, facts: DialogFacts, findings: CaptureFindings, steps: readonly ClockStep[]): void {
  for (const name of found(facts, OF_DIALOGS))
    findings.add(name, () => {
      const { endpoints, note } = MORE[name]?.(facts) ?? {};
      return {
        call_id: d.callId,
        ...(endpoints === undefined ? {} : { endpoints }),
        at: capturedText(d.createdUs, steps),
        ...(note === undefined ? {} : { note }),
      };
    });
}

/** The first sentence of the finding. */
function hinted(name: AnyFinding) {
  return ({ media }: DialogFacts): { note?: string } => {
    const hint = media.hints.find(({ finding }) => finding === name);
    return hint === undefined ? {} : { note: hint.text };
  };
}

function noted<K extends keyof SignalingFindings>(
  key: K,
  words: (found: NonNullable<SignalingFindings[K]>) => string,
): (facts: DialogFacts) => { note?: string } {
  return ({ signaling }) => {
    const one = signaling?.[key] ?? null;
    return one === null ? {} : { note: words(one) };
  };
}

function failureText({ code, reasonPhrase }: FinalFailure): string {
  return `${code} ${reasonPhrase}`.trim();
}

function addStream(stream: Stream, q: StreamQuality, findings: CaptureFindings, steps: readonly ClockStep[]): void {
  const { snapshot: s, ownLost, knownLossPct, jitterMs, mos } = q;
  const add = (name: AnyFinding, note: () => string): void =>
    findings.add(name, () => ({
      ...(stream.dialog === null ? {} : { call_id: stream.dialog.callId }),
      endpoints: [endpointKeyText(stream.srcKey), endpointKeyText(stream.dstKey)],
      at: capturedText(s.firstUs, steps),
      note: note(),
    }));
  const { isLossy, isJittery, isPoor } = audible(q);
  if (isLossy)
    add('packet-loss', () => `${q.lost - ownLost} of ${q.expected - ownLost} packets (${knownLossPct.toFixed(1)} %)`);
  if (isJittery) add('jitter', () => `${jitterMs.toFixed(1)} ms`);
  if (isPoor && mos !== null) add('poor-audio', () => `MOS ${mos.toFixed(2)}`);
  if (stream.dialog === null) add('orphaned-stream', () => counted(s.packets, 'packet'));
}
