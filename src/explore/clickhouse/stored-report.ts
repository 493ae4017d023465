/** The report of a call for people, from the agent's document and the messages of all hosts. */
import type { AskHead, AskLadder, CallDocument, MediaLine, RtpStream, SdpExchange } from '../../contract/index.ts';
import { counted } from '../../core/counted.ts';
import { reportRows } from '../../core/report-text.ts';
import { spanSec } from '../../core/rounded.ts';
import { fit } from '../../core/terminal-text.ts';
import { usOf } from '../../core/timestamp.ts';
import type { Steps } from '../../core/turns.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import type { Exchange } from '../../view/media-lines.ts';
import { offerRows } from '../../view/media-lines.ts';
import type { ReportInput } from '../../view/report-input.ts';
import { AGENT_CHARS, AGENTS_MAX } from '../../view/report-input.ts';
import type { TracedMessage } from './trace.ts';
import { parsed } from './trace.ts';

/** What the store has of a call. */
export type ReportParts = {
  readonly document: CallDocument;
  readonly head: AskHead;
  readonly ladder: AskLadder;
  readonly messages: readonly TracedMessage[];
};

export function* storedReport({ document, head, ladder, messages }: ReportParts): Steps<ReportInput> {
  const agents = yield* agentFacts(messages);
  return {
    callId: document.call_id,
    facts: [...callFacts(document), ...agents, ...endFacts(head), ...videoFacts(document)],
    timing: timingFacts(document, head),
    ladder,
    sdp: offerRows(
      exchangesOf(document),
      document.media_lines ?? document.sdp_timeline.map(onlyLine),
      document.media_lines_not_shown ?? 0,
    ),
    media: document.streams.map(mediaRow),
    reported: reportRows(document.phone_reports ?? []),
    findings: head.explanation,
    lint: [],
  };
}

function exchangesOf(d: CallDocument): Exchange[] {
  return d.sdp_timeline.map(({ timestamp, direction, event }) => ({
    atSec: spanSec(usOf(d.created_at), usOf(timestamp)),
    what: direction,
    event: event ?? null,
  }));
}

/** Where the document names no lines, each description has one audio line, or an agent of an earlier version shipped it. */
function onlyLine({ mode, codecs, media_addr, media_port }: SdpExchange, exchange: number): MediaLine {
  const line = { exchange, line: 0, type: 'audio', transport: 'RTP/AVP', mode, codecs, media_port: media_port ?? 0 };
  return media_addr === undefined ? line : { ...line, media_addr };
}

function videoFacts(d: CallDocument): [string, string][] {
  return (d.media_notes ?? []).map((note) => ['Note', note]);
}

function callFacts(d: CallDocument): [string, string][] {
  const who = (display: string | undefined, user = ''): string =>
    display === undefined ? user : `${display} <${user}>`;
  const facts: [string, string][] = [
    ['State', d.state],
    ['Method', d.method],
    ['From', who(d.from_display, d.from)],
    ['To', who(d.to_display, d.to)],
    ['Started', d.created_at],
    ['Lasted', `${d.duration_sec.toFixed(3)} s, ${counted(d.msg_count, 'message')}`],
    ['Seen by', (d.hosts ?? []).join(', ')],
  ];
  if (d.final_status_code !== undefined)
    facts.splice(2, 0, ['Final response', `${d.final_status_code} ${d.final_status_reason ?? ''}`]);
  if (d.refer_to !== undefined) facts.push(['Referred to', d.refer_to]);
  return facts;
}

/** What the sides say they are. A step a message. */
function* agentFacts(messages: readonly TracedMessage[]): Steps<[string, string][]> {
  const agents = new Set<string>();
  for (const { row } of messages) {
    yield;
    if (agents.size >= AGENTS_MAX) break;
    const message = parsed(row);
    const agent = message?.value(HEADER.USER_AGENT) || message?.value(HEADER.SERVER) || '';
    if (agent !== '') agents.add(`${fit(agent, AGENT_CHARS)} (${row.src.replace(/:\d+$/, '')})`);
    yield;
  }
  return [...agents].map((agent) => ['User-Agent', agent]);
}

function endFacts({ call }: AskHead): [string, string][] {
  return call.ended_by === undefined ? [] : [['Ended by', call.ended_by]];
}

function timingFacts({ timing }: CallDocument, { call }: AskHead): [string, string][] {
  const list: [string, number | null | undefined][] = [
    ['Trying after', timing.trying_delay_ms],
    ['Post-dial delay', timing.pdd_ms],
    ['Ringing', timing.ring_ms],
    ['Set up', timing.setup_ms],
    ['Talk', call.timing.duration_ms],
    ['Tear-down', timing.teardown_ms],
  ];
  const known = list.flatMap(([name, ms]): [string, string][] =>
    ms === undefined || ms === null ? [] : [[name, `${ms} ms`]],
  );
  if (timing.retransmits > 0) known.push(['Retransmissions', String(timing.retransmits)]);
  return known;
}

/** Lost packets and the packet time stand in no document. */
function mediaRow(s: RtpStream): string[] {
  return [
    s.ssrc,
    s.src,
    s.dst,
    s.codec ?? `type ${s.payload_type}`,
    String(s.packets),
    '-',
    `${s.loss_pct.toFixed(2)} %`,
    '-',
    `${s.jitter_ms.toFixed(2)} ms`,
    s.mos === undefined ? '-' : s.mos.toFixed(2),
    s.round_trip_ms === undefined ? '-' : `${s.round_trip_ms.toFixed(0)} ms`,
  ];
}
