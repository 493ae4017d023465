/**
 * What the call report says about one dialog of a session.
 */

import { messagesOf } from '../analysis/call-messages.ts';
import { capturedText } from '../analysis/captured-at.ts';
import { commonStrategies, identifierLegs } from '../analysis/correlation.ts';
import type { DialogFacts } from '../analysis/dialog-facts.ts';
import { dialogFactsSteps } from '../analysis/dialog-facts.ts';
import { keysPressed } from '../analysis/dtmf.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { whoHungUp } from '../analysis/hangup.ts';
import { probableLegs, probableText } from '../analysis/probable-legs.ts';
import type { StreamQuality } from '../analysis/stream-quality.ts';
import { spokenPacketMs } from '../analysis/stream-quality.ts';
import type { AskExplained, AskLadder, Termination } from '../contract/index.ts';
import { counted } from '../core/counted.ts';
import { endpointKeyText } from '../core/ip.ts';
import { grouped } from '../core/maps.ts';
import { reportRows } from '../core/report-text.ts';
import { spanSec } from '../core/rounded.ts';
import { fit } from '../core/terminal-text.ts';
import type { Steps } from '../core/turns.ts';
import { DIALOG_STATES, ORIGINS } from '../core/words.ts';
import { HEADER } from '../protocols/sip/header-name.ts';
import { callTiming } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { dialogLintSteps } from './documents.ts';
import { explained, withLook } from './explained.ts';
import { ladderSteps } from './ladder.ts';
import { commonNote } from './leg-notes.ts';
import { lintLines } from './lint.ts';
import type { Exchange } from './media-lines.ts';
import { linesBeyond, offerRows, toMediaFacts, toMediaLines } from './media-lines.ts';
import { lossText, mosText } from './own-drops.ts';
import { reportFacts } from './phone-reports.ts';
import { referToUri } from './recording.ts';
import { ssrcText } from './stream-document.ts';
import { toTermination } from './termination.ts';

/** What the report of one call shows. */
export type ReportInput = {
  callId: string;
  /** Label and value, in the order to be shown. */
  facts: readonly (readonly [string, string])[];
  timing: readonly (readonly [string, string])[];
  ladder: AskLadder;
  sdp: readonly (readonly string[])[];
  media: readonly (readonly string[])[];
  /** What phones and agents reported. */
  reported: readonly (readonly string[])[];
  /** What is wrong, cause before effect. */
  findings: readonly AskExplained[];
  /** Rules of the protocol that its messages break, the worst ones; empty at a hub. */
  lint: readonly string[];
};

/** Other legs of a call that its report names. @cap */
const LEGS_MAX = 10;

/** User-Agents that the report of a call names, and characters of one. @cap */
export const AGENTS_MAX = 6;
export const AGENT_CHARS = 256;

export function* reportSteps(e: Evidence, d: Dialog): Steps<ReportInput> {
  const facts = yield* dialogFactsSteps(e, d);
  const agents = yield* agentFacts(e, d);
  const keys = yield* keyFacts(e, d, facts);
  return {
    callId: d.callId,
    facts: [...callFacts(e, d), ...agents, ...endFacts(e, d), ...keys, ...videoFacts(d, facts), ...legFacts(e, d)],
    timing: timingFacts(d),
    ladder: yield* ladderSteps(e, [d]),
    sdp: offerRows(exchangesOf(d), toMediaLines(d.sdp ?? []), linesBeyond(d.sdp ?? [])),
    media: mediaRows(facts),
    reported: reportRows(reportFacts(e, d, facts.streams).phone_reports ?? []),
    findings: withLook(explained(facts)),
    lint: lintLines(yield* dialogLintSteps(e, d)),
  };
}

function exchangesOf(d: Dialog): Exchange[] {
  return (d.sdp ?? []).map(({ tsUs, isOffer, side, event }) => ({
    atSec: spanSec(d.createdUs, tsUs),
    what: `${isOffer ? 'offer' : 'answer'} of ${side === 0 ? 'caller' : 'callee'}`,
    event,
  }));
}

function callFacts(e: Evidence, d: Dialog): [string, string][] {
  const facts: [string, string][] = [
    ['State', DIALOG_STATES[d.state] ?? ''],
    ['Method', d.methodText],
    ['From', d.fromDisplay === null ? d.from : `${d.fromDisplay} <${d.from}>`],
    ['To', d.toDisplay === null ? d.to : `${d.toDisplay} <${d.to}>`],
    ['Started', capturedText(d.createdUs, e.capture.clockSteps)],
    ['Lasted', `${spanSec(d.createdUs, d.updatedUs).toFixed(3)} s, ${counted(d.msgCount, 'message')}`],
    ['Seen by', ORIGINS[d.origin] ?? ''],
  ];
  if (d.finalCode !== 0) facts.splice(2, 0, ['Final response', `${d.finalCode} ${d.finalReason}`]);
  if (d.grantedExpirySec >= 0) facts.push(['Granted', grantedText(d)]);
  const cause = toTermination(d, []);
  if (cause !== null) facts.push(['Cause', causeText(cause)]);
  if (d.referTo !== null) facts.push(['Referred to', referToUri(d.referTo)]);
  return facts;
}

/** What the two sides say they are. */
function* agentFacts(e: Evidence, d: Dialog): Steps<[string, string][]> {
  const agents = new Set<string>();
  for (const m of messagesOf(d, e.stores.log)) {
    yield;
    if (agents.size >= AGENTS_MAX) break;
    if (!m.isFirst) continue;
    const parsed = m.parse();
    const agent = parsed?.value(HEADER.USER_AGENT) || parsed?.value(HEADER.SERVER) || '';
    if (agent !== '') agents.add(`${fit(agent, AGENT_CHARS)} (${m.src.host})`);
  }
  return [...agents].map((agent) => ['User-Agent', agent]);
}

function endFacts(e: Evidence, d: Dialog): [string, string][] {
  const end = whoHungUp(d, messagesOf(d, e.stores.log));
  if (end === null) return [];
  const who = end.side === 'caller' ? d.from : d.to;
  return [['Ended by', `${end.side}${who === '' ? '' : ` (${who})`}, ${end.method}`]];
}

/** Keys by who pressed them, in order. */
function* keyFacts(e: Evidence, d: Dialog, facts: DialogFacts): Steps<[string, string][]> {
  const streams = facts.streams.map(({ stream }) => stream);
  const keys = yield* keysPressed(d, streams, e.stores.keys, e.stores.log);
  const byWay = grouped(keys, (k) => `${k.by === 'rtp' ? 'RTP events' : 'INFO'} from ${k.from}`);
  return [...byWay].map(([way, list]) => ['Keys pressed', `${list.map((k) => k.key).join(' ')} (${way})`]);
}

function videoFacts(d: Dialog, facts: DialogFacts): [string, string][] {
  return (toMediaFacts(d, facts).media_notes ?? []).map((note) => ['Note', note]);
}

/** Other calls that an identifier ties to this one, and identifiers that too many calls share. */
function legFacts(e: Evidence, d: Dialog): [string, string][] {
  const { dialogs, identifiers } = e.stores;
  if (identifiers === null) return [];
  const legs = identifierLegs(d, { dialogs, identifiers });
  const facts = legs
    .slice(0, LEGS_MAX)
    .map(({ dialog, strategy }): [string, string] => ['Other leg', `${dialog.callId} (by ${strategy})`]);
  if (legs.length > LEGS_MAX) facts.push(['Other legs', `${legs.length - LEGS_MAX} more`]);
  for (const leg of probableLegs(d, e)) facts.push(['Probable leg', probableText(leg)]);
  for (const strategy of commonStrategies(d, identifiers)) facts.push(['No legs', commonNote(strategy)]);
  return facts;
}

function grantedText({ grantedExpirySec: granted, requestedExpirySec: asked }: Dialog): string {
  return asked < 0 || asked === granted ? `${granted} s` : `${granted} s of ${asked} s`;
}

function causeText(t: Termination): string {
  const words = [t.protocol, t.cause_code, t.cause_text].filter((w) => w !== undefined);
  return `${words.join(' ')} (${t.source_header})`;
}

function timingFacts(d: Dialog): [string, string][] {
  const t = callTiming(d);
  const list: [string, number | null][] = [
    ['Trying after', t.tryingDelayMs],
    ['Post-dial delay', t.pddMs],
    ['Ringing', t.ringMs],
    ['Set up', t.setupMs],
    ['Talk', t.durationMs],
    ['Tear-down', t.teardownMs],
  ];
  const known = list
    .filter((e): e is [string, number] => e[1] !== null)
    .map(([k, v]): [string, string] => [k, `${v} ms`]);
  if (d.retransmits > 0) known.push(['Retransmissions', String(d.retransmits)]);
  return known;
}

function mediaRows(facts: DialogFacts): string[][] {
  return facts.streams.map(({ stream, quality: q }) => [
    ssrcText(stream.ssrc),
    endpointKeyText(stream.srcKey),
    endpointKeyText(stream.dstKey),
    q.codec ?? `type ${q.payloadType}`,
    String(q.snapshot.packets),
    String(q.lost),
    lossText(q, 2),
    packetTimeText(q),
    `${q.jitterMs.toFixed(2)} ms`,
    mosText(q),
    roundTripText(stream.rtcp?.roundTrip ?? null),
  ]);
}

/** The packet time that was used; a dash where nobody spoke. */
function packetTimeText(q: StreamQuality): string {
  const ms = spokenPacketMs(q);
  return ms > 0 ? `${ms.toFixed(0)} ms` : '-';
}

function roundTripText(roundTrip: { readonly ms: number } | null): string {
  return roundTrip === null ? '-' : `${roundTrip.ms.toFixed(0)} ms`;
}
