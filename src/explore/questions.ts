/**
 * The table of questions that can be asked of calls, a row a question. The port, the routes of `/ask`, those of
 * `/v1` that answer with a document, their OpenAPI, the client of a
 * running service, the tools of the agent protocol and what a hub asks its agents are made of these rows. Who answers from memory
 * stands in memory-explorer.ts and memory-asker.ts, who answers from the store in clickhouse/store-explorer.ts.
 */
import { Type } from 'typebox';
import {
  AskAudioQuery,
  AskCallQuery,
  AskCalls,
  AskCompare,
  AskCompareQuery,
  AskFindings,
  AskHead,
  AskLadder,
  AskLegsQuery,
  AskMessages,
  AskPulse,
  AskQuality,
  AskRegistrations,
  AskReportQuery,
  AskSecurity,
  AskSipp,
  AskSpanQuery,
  AskTrunks,
  AskTrunksQuery,
  CallDocument,
  CallTree,
  CaptureReport,
  Correlation,
  DEFAULT_LIMIT,
  Dialog,
  DialogList,
  DialogQuery,
  LintResult,
  RtpStream,
  SsrcParams,
  Stats,
  StreamList,
  StreamQuery,
} from '../contract/index.ts';
import { hexWord } from '../core/fixed-digits.ts';
import type { AudioSpan, CallAudio } from '../export/audio.ts';
import { AUDIO_FILE_BYTES } from '../export/audio.ts';
import type { SippPair } from '../export/sipp.ts';
import type { Bounds } from '../net/answer.ts';
import type { DialogFilter } from '../view/dialog-query.ts';
import type { LadderStyle } from '../view/ladder-text.ts';
import type { Pulse } from '../view/pulse.ts';
import { toAskPulse } from '../view/pulse.ts';
import type { StreamFilter } from '../view/stream-query.ts';
import type { CallCapture } from './captures.ts';
import type { Changes } from './changes.ts';
import type { Container } from './containers.ts';
import { knownLadder, knownLegs, knownMessages, knownPage, knownPulse } from './known-answers.ts';
import {
  AGENT_DOCUMENT_BYTES,
  AGENT_HEALTH_BYTES,
  AGENT_REPORT_BYTES,
  AGENT_SECURITY_BYTES,
  AGENT_VALUES,
  MCP_MESSAGES,
  MCP_ROWS,
  REMOTE_ANSWER_BYTES,
  REMOTE_FILE_BYTES,
  REMOTE_LIST_BYTES,
  REMOTE_PROBLEM_BYTES,
} from './limits.ts';
import type { CallsQuestion } from './question.ts';
import {
  callOf,
  callsOf,
  ofCall,
  ofCallId,
  ofCalls,
  ofFilter,
  ofNothing,
  ofTiedCall,
  readDialogFilter,
  readQuestion,
  readSpan,
  readSsrc,
  readStreamFilter,
  rowsOf,
  selectorOf,
  writeCalls,
  writeQuestion,
  writeSpan,
} from './question-kinds.ts';
import type { HubAnswerer, OtherLegs } from './question-row.ts';
import { document, inStore, ofAgent, ofAgents } from './question-row.ts';
import type { Selected } from './selector.ts';

/** `text` and `markdown` are the report; `ladder` is the ladder alone, over all the calls. */
export type TextLayout = 'text' | 'markdown' | 'ladder';

/** `only`: the messages of this index alone, which a capture here knows. */
export type MessagesAsked = { readonly showsSecrets: boolean; readonly only?: number | undefined };

/** Of a page; a ladder in a browser or a file is as wide as it must be. */
const PAGE_STYLE: LadderStyle = { width: null, color: false, isUtc: true };

const DOCUMENT: Bounds = { bytes: REMOTE_ANSWER_BYTES, ms: 30_000 };
const LIST: Bounds = { bytes: REMOTE_LIST_BYTES, ms: 30_000 };
/** Such an answer waits for files that are still read, or for others before it. */
const FILE: Bounds = { bytes: REMOTE_FILE_BYTES, ms: 300_000 };
/** A report is written to files too, which a terminal shows later. */
const REPORT: Bounds = { bytes: REMOTE_LIST_BYTES, ms: 300_000 };
const PULSE: Bounds = { bytes: REMOTE_PROBLEM_BYTES, ms: 5_000 };

const HEALTH: Bounds = { bytes: AGENT_HEALTH_BYTES, values: AGENT_VALUES, ms: 2_000 };
const AGENT_FILE_MS = 30_000;
const AGENT_DOCUMENT: Bounds = { bytes: AGENT_DOCUMENT_BYTES, values: AGENT_VALUES, ms: 2_000 };

const call = Type.String({
  maxLength: 12_288,
  description: 'The call: its Call-ID, id:CALL-ID, or ssrc:0xSSRC of one of its streams.',
});
const legs = Type.Optional(Type.Boolean({ description: 'With the other legs of the call.' }));
const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MCP_ROWS, default: DEFAULT_LIMIT, description: 'Rows at most.' }),
);
const { q, sort, cursor } = AskCallQuery.properties;
const { orphaned, mos_below, offset } = StreamQuery.properties;

export const QUESTIONS = {
  /** A page of calls; `cursor` is that of the page before, '' for the first. An unknown cursor begins anew. */
  page: inStore<[question: CallsQuestion, limit: number, cursor: string], AskCalls>({
    path: '/ask/calls',
    ask: {
      id: 'askCalls',
      summary: 'Calls that a filter chooses; an empty answer says what could hide the call',
      query: AskCallQuery,
    },
    tool: {
      name: 'list_calls',
      description:
        'Calls that a filter chooses, with state, final code, worst MOS, loss and findings. q is the filter language: ' +
        'from:2001 to:+44* number:*0123 ip:192.0.2.0/24 code:5xx state:Failed since:10m mos<3.6 finding:one-way-audio ' +
        'ua:~yealink -tag:transferred; words are joined by and, "or" and ( ) group. ' +
        'An empty answer says in hidden_by what could hide the call.',
      args: { q, sort, limit, cursor },
    },
    answer: document(AskCalls, 'A page.', { known: (page, [, most]) => knownPage(page, most) }),
    bounds: LIST,
    read: (given, reading) => ({ asked: [readQuestion(given), rowsOf(given, reading), given.cursor ?? ''] }),
    write: ([asked, most, from], writing) => ({ ...writeQuestion(asked, writing), limit: most, cursor: from }),
  }),

  call: inStore<[callId: string], CallDocument>({
    path: '/ask/calls/:selector',
    ask: { id: 'askCall', summary: 'One call' },
    tool: {
      name: 'get_call',
      description: 'One call whole: state, timing, SDP, streams with quality by window, diagnosis with evidence.',
      args: { call },
    },
    answer: document(CallDocument, 'The dialog, with `created_at` and `updated_at`.'),
    bounds: DOCUMENT,
    ...ofCall,
  }),

  /** For people: lines. */
  text: inStore<[callIds: readonly string[], layout: TextLayout, style: LadderStyle], Iterable<string>>({
    path: '/ask/calls/:selector/report',
    ask: {
      id: 'askReport',
      summary: 'The report of a call for people: text, Markdown with a diagram, or the ladder alone',
      query: AskReportQuery,
    },
    tool: {
      name: 'call_report',
      description:
        'What happened to a call and why. layout json is the document with the cause that the wire named; text and markdown ' +
        'are for people.',
      args: { call, layout: Type.Optional(Type.Enum(['json', 'text', 'markdown'], { default: 'markdown' })), legs },
    },
    answer: { kind: 'lines', about: 'The report.', isMarkdown: ([, layout]) => layout === 'markdown' },
    bounds: REPORT,
    weight: 'text',
    isHeavy: true,
    async read(given, reading) {
      const { callIds, notes } = await callsOf(given, reading);
      return { asked: [callIds, given.layout ?? 'text', PAGE_STYLE], notes };
    },
    write: ([callIds, layout]) => ({ ...writeCalls(callIds), layout }),
  }),

  /** Who sent what to whom, and the media. */
  ladder: inStore<[callIds: readonly string[]], AskLadder>({
    path: '/ask/calls/:selector/ladder',
    ask: { id: 'askLadder', summary: 'Who sent what to whom, and the media', query: AskLegsQuery },
    tool: {
      name: 'call_ladder',
      description:
        'Who sent what to whom, message by message, with the time between, over all legs if asked, and the media.',
      args: { call, legs },
    },
    answer: document(AskLadder, 'Lifelines, steps and streams.', { takesNotes: true, known: knownLadder }),
    bounds: DOCUMENT,
    weight: 'text',
    ...ofCalls,
  }),

  /** The raw messages of calls, in one order of time; other Call-IDs than the first may be not here. */
  messages: inStore<[callIds: readonly string[], asked: MessagesAsked], AskMessages>({
    path: '/ask/calls/:selector/messages',
    ask: {
      id: 'askMessages',
      summary: 'The raw messages of a call, without credentials and keys',
      query: AskLegsQuery,
    },
    tool: {
      name: 'call_messages',
      description: `The raw SIP messages of a call, without credentials and keys, ${MCP_MESSAGES} at a time from message \`first\`.`,
      args: { call, legs, first: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })) },
    },
    answer: document(AskMessages, 'The messages in order of time.', { takesNotes: true, known: knownMessages }),
    bounds: DOCUMENT,
    weight: 'text',
    told: ({ messages }) => ['read messages of', messages.reduce((sum, m) => sum + m.text.length, 0)],
    async read(given, reading) {
      const { callIds, notes } = await callsOf(given, reading);
      return { asked: [callIds, { showsSecrets: false }], notes };
    },
    write: ([callIds]) => writeCalls(callIds),
  }),

  /** All legs of the call, at most `maxRows`. */
  tree: inStore<[callId: string, maxRows: number], CallTree>({
    path: '/v1/dialogs/:call_id/tree',
    v1: {
      id: 'getCallTree',
      summary: 'All legs of the call, followed from identifier to identifier',
      tag: 'dialogs',
    },
    tool: {
      name: 'call_tree',
      description: 'All legs of a call as a tree, followed from identifier to identifier.',
      args: { call },
    },
    answer: document(CallTree, 'The tree, its root the named leg.'),
    bounds: DOCUMENT,
    ...ofTiedCall,
  }),

  /** Legs tied to the dialog itself, at most `maxRows`. */
  correlated: inStore<[callId: string, maxRows: number], Correlation>({
    path: '/v1/dialogs/:call_id/correlated',
    v1: { id: 'getCorrelatedDialogs', summary: 'Dialogs tied to this one: one hop', tag: 'dialogs' },
    tool: {
      name: 'correlate',
      description: 'The legs that are tied to one leg of a call, and by what.',
      args: { call },
    },
    answer: document(Correlation, 'The legs, best first.'),
    bounds: DOCUMENT,
    ...ofTiedCall,
  }),

  lint: ofAgent<[callId: string], LintResult>({
    path: '/v1/dialogs/:call_id/lint',
    v1: {
      id: 'getDialogLint',
      summary: 'Lint findings of a dialog: each names the message and the RFC section it breaks',
      tag: 'dialogs',
    },
    tool: {
      name: 'lint',
      description:
        'Where the messages of a call break a rule of SIP or SDP: rule, RFC, section, what was seen and expected.',
      args: { call },
    },
    answer: document(LintResult, 'The findings, in the order of the messages.'),
    bounds: DOCUMENT,
    agentBounds: AGENT_DOCUMENT,
    ...ofCallId,
  }),

  streams: inStore<[filter: StreamFilter], StreamList>({
    path: '/v1/streams',
    v1: {
      id: 'listStreams',
      summary: 'RTP streams, newest first',
      tag: 'streams',
      query: StreamQuery,
      about: 'A page of the filtered set.',
    },
    ask: { path: '/ask/streams', id: 'askStreams', summary: 'RTP streams, newest first', query: StreamQuery },
    tool: {
      name: 'list_streams',
      description: 'RTP streams, the newest first, with loss, jitter and MOS.',
      args: { orphaned, mos_below, limit, offset },
    },
    answer: document(StreamList, 'A page.'),
    bounds: DOCUMENT,
    read: (given, reading) => ({ asked: [readStreamFilter(given, reading)] }),
    write: ([{ mosBelow, ...asked }]) => ({ ...asked, mos_below: mosBelow }),
  }),

  stream: inStore<[ssrc: number], RtpStream>({
    path: '/v1/streams/:ssrc',
    v1: {
      id: 'getStream',
      summary: 'One RTP stream by its SSRC; of several on the same sockets the newest, else the one with most packets',
      tag: 'streams',
    },
    tool: {
      name: 'get_stream',
      description: 'One RTP stream with its quality window by window.',
      args: { ssrc: SsrcParams.properties.ssrc },
    },
    answer: document(RtpStream, 'The stream.'),
    bounds: DOCUMENT,
    read: (given) => ({ asked: [readSsrc(given)] }),
    write: ([ssrc]) => ({ ssrc: hexWord(ssrc) }),
  }),

  /** Calls with a finding, by finding, the most frequent first. */
  findings: inStore<[question: CallsQuestion], AskFindings>({
    path: '/ask/findings',
    ask: {
      id: 'askFindings',
      summary: 'What is wrong with the calls of a filter, and their final failures by code',
      query: AskSpanQuery,
    },
    answer: document(AskFindings, 'The most frequent first.'),
    bounds: LIST,
    ...ofFilter,
  }),

  /** Who registers, from where, and who fails, by user and address. */
  registrations: inStore<[question: CallsQuestion], AskRegistrations>({
    path: '/ask/registrations',
    ask: { id: 'askRegistrations', summary: 'Who registers, from where, and who fails', query: AskSpanQuery },
    answer: document(AskRegistrations, 'The newest first.'),
    bounds: LIST,
    ...ofFilter,
  }),

  /** Whether trunks are up, what their calls came to, and how they sounded. */
  trunks: inStore<[asked: AskTrunksQuery], AskTrunks>({
    path: '/ask/trunks',
    ask: {
      id: 'askTrunks',
      summary: 'Whether trunks are up, what their calls came to, and how they sounded',
      query: AskTrunksQuery,
    },
    tool: {
      name: 'list_trunks',
      description:
        'Carriers and customers, by direction: up or down since when, what their calls came to (ASR, NER, ACD, codes), ' +
        'post-dial delay, MOS and loss. minutes narrows it to the last so many; trunk and series show one by minute.',
      args: AskTrunksQuery.properties,
    },
    answer: document(AskTrunks, 'Those that are down first.'),
    bounds: LIST,
    read: ({ minutes, trunk, series }) => ({
      asked: [
        {
          ...(minutes === undefined ? {} : { minutes }),
          ...(trunk === undefined ? {} : { trunk }),
          ...(series === undefined ? {} : { series }),
        },
      ],
    }),
    write: ([asked]) => asked,
  }),

  stats: ofAgents<[], Stats>({
    path: '/v1/stats',
    v1: {
      id: 'getStats',
      summary: 'What the capture holds and what it lost',
      tag: 'service',
      about: 'Counts of this moment.',
    },
    ask: { path: '/ask/health', id: 'askHealth', summary: 'How much of the wire the answers are drawn from' },
    tool: {
      name: 'capture_stats',
      description: 'What was captured, and what was lost on the way, by place.',
      args: {},
    },
    answer: document(Stats, 'The statistics.'),
    bounds: DOCUMENT,
    agentBounds: HEALTH,
    ...ofNothing,
  }),

  /** Across all dialogs and streams; takes turns. */
  captureReport: ofAgents<[], CaptureReport>({
    path: '/v1/report',
    v1: { id: 'getCaptureReport', summary: 'Findings across all dialogs and streams, worst first', tag: 'service' },
    tool: {
      name: 'capture_report',
      description: 'What is wrong across all calls and streams, the worst first.',
      args: {},
    },
    answer: document(CaptureReport, 'The report of this moment.'),
    bounds: DOCUMENT,
    // It looks at all calls of each agent.
    agentBounds: { bytes: AGENT_REPORT_BYTES, values: AGENT_VALUES, ms: 10_000 },
    ...ofNothing,
  }),

  /** How a live capture does: cheap enough for every second. */
  pulse: ofAgents<[], Pulse>({
    path: '/ask/pulse',
    ask: { id: 'askPulse', summary: 'How the capture does, in a few figures that cost nothing' },
    answer: document(AskPulse, 'The figures.', { shown: toAskPulse, known: knownPulse }),
    bounds: PULSE,
    agentBounds: HEALTH,
    ...ofNothing,
  }),

  /** Attackers that were reported, the newest first. */
  security: ofAgents<[], AskSecurity>({
    path: '/ask/security',
    ask: { id: 'askSecurity', summary: 'Attackers that the detection reported, the newest first' },
    answer: document(AskSecurity, 'The alerts; none where no option asks for the detection.'),
    bounds: LIST,
    agentBounds: { bytes: AGENT_SECURITY_BYTES, values: AGENT_VALUES, ms: 2_000 },
    ...ofNothing,
  }),

  /** Its list row, and what is wrong in sentences. */
  head: inStore<[callId: string], AskHead>({
    path: '/ask/calls/:selector/head',
    ask: { id: 'askHead', summary: 'The list row of a call, and what is wrong with it in sentences' },
    answer: document(AskHead, 'What stands on top of the call.'),
    bounds: DOCUMENT,
    ...ofCall,
  }),

  /** The call that a selector means; without a question neither rows nor prefixes are taken (explore/selector.ts). */
  select: inStore<[selector: string, question: CallsQuestion | null], Selected>({
    path: '/ask/calls/:selector/head',
    answer: document(AskHead, '', {
      known: ({ call: { call_id } }): Selected => ({ callId: call_id }),
      none: { none: true, near: null },
    }),
    bounds: DOCUMENT,
    read: ({ selector = '' }) => ({ asked: [selector, null] }),
    write: ([selector]) => ({ selector }),
  }),

  /** The other legs of a call, tied by identifiers. */
  legs: inStore<[callId: string], OtherLegs>({
    path: '/ask/calls/:selector/ladder',
    answer: document(AskLadder, '', { known: (ladder, [callId]) => knownLegs(ladder, callId) }),
    bounds: DOCUMENT,
    ...ofCall,
    write: ([callId]) => ({ selector: selectorOf(callId), legs: true }),
  }),

  /** The streams of a call with their windows. */
  quality: inStore<[callId: string], AskQuality>({
    path: '/ask/calls/:selector/quality',
    ask: { id: 'askQuality', summary: 'The streams of a call with their windows' },
    answer: document(AskQuality, 'The streams, the newest first.'),
    bounds: DOCUMENT,
    ...ofCall,
  }),

  compare: inStore<[a: string, b: string], AskCompare>({
    path: '/ask/calls/:selector/compare',
    ask: { id: 'askCompare', summary: 'Two calls side by side', query: AskCompareQuery },
    answer: document(AskCompare, 'What differs is marked.'),
    bounds: DOCUMENT,
    weight: 'text',
    isHeavy: true,
    read: async ({ selector, with: other }, { port }) => ({
      asked: [await callOf(port, selector), await callOf(port, other)],
    }),
    write: ([a, b]) => ({ selector: selectorOf(a), with: selectorOf(b) }),
  }),

  /** The capture of calls as pcapng. Rejects with ServiceError where the files have changed. */
  capture: ofAgent<[callIds: readonly string[]], CallCapture>({
    path: '/ask/calls/:selector/capture',
    ask: {
      id: 'askCapture',
      summary:
        'The frames of a call with its media as pcapng; of a live source those that -O wrote, else its SIP, rebuilt',
      query: AskLegsQuery,
    },
    answer: { kind: 'capture' },
    bounds: FILE,
    agentBounds: { ...FILE, ms: AGENT_FILE_MS },
    weight: 'file',
    isHeavy: true,
    cannot: 'no-capture',
    told: ({ bytes }) => ['fetched the capture of', bytes],
    ...ofCalls,
  }),

  /** A pair of SIPp scenarios that replay the call. */
  sipp: ofAgent<[callId: string, showsSecrets: boolean], SippPair>({
    path: '/ask/calls/:selector/sipp',
    ask: {
      id: 'askSipp',
      summary: 'A pair of SIPp scenarios that replay the call, without credentials and keys',
    },
    answer: document(AskSipp, 'The scenarios.', {
      shown: ({ uac, uas, notes }) => ({ schema_version: 1 as const, uac, uas, notes: [...notes] }),
      known: ({ uac, uas, notes }) => ({ uac, uas, notes }),
    }),
    bounds: DOCUMENT,
    agentBounds: { ...AGENT_DOCUMENT, ms: AGENT_FILE_MS },
    weight: 'text',
    isHeavy: true,
    cannot: 'no-scenario',
    told: ({ uac, uas }) => ['read scenarios of', uac.length + uas.length],
    read: async ({ selector }, { port }) => ({ asked: [await callOf(port, selector), false] }),
    write: ([callId]) => ({ selector: selectorOf(callId) }),
  }),

  /** The WAV of the call, or of a span of it. */
  audio: ofAgent<[callId: string, span?: AudioSpan | undefined], CallAudio>({
    path: '/ask/calls/:selector/audio',
    ask: {
      id: 'askAudio',
      summary: 'The audio of a call, or of a span of it, as WAV (needs --retain-audio)',
      query: AskAudioQuery,
    },
    answer: { kind: 'audio' },
    bounds: FILE,
    // A head, and the note in it, come on top of what the file may have.
    agentBounds: { bytes: AUDIO_FILE_BYTES + 64 * 1024, ms: AGENT_FILE_MS },
    isLarge: true,
    weight: 'audio',
    isHeavy: true,
    cannot: 'no-audio',
    told: ({ wav }) => ['heard', wav.length],
    async read(given, { port }) {
      const callId = await callOf(port, given.selector);
      return { asked: [callId, readSpan(given)] };
    },
    write: ([callId, span]) => ({
      selector: selectorOf(callId),
      ...(span === undefined ? {} : writeSpan(span)),
    }),
  }),

  /** Calls that changed after a moment of an earlier answer; null for a first moment. */
  changes: inStore<[since: number | null], Changes>({
    path: '/ask/changes',
    ask: {
      id: 'askChanges',
      summary: 'Calls as they change: server-sent events `change` (a list row) and `resync` (read the list again)',
    },
    answer: { kind: 'events' },
    bounds: LIST,
    read: () => ({ asked: [null] }),
    write: () => ({}),
  }),

  /** Newest first. */
  dialogs: inStore<[filter: DialogFilter], DialogList>({
    path: '/v1/dialogs',
    v1: { id: 'listDialogs', summary: 'Dialogs, newest first', tag: 'dialogs', query: DialogQuery },
    answer: document(DialogList, 'A page of the filtered set.'),
    bounds: LIST,
    read: (given, reading) => ({ asked: [readDialogFilter(given, reading)] }),
    write: ([{ limit: most, offset: first, state, fromPattern }]) => ({
      limit: most,
      offset: first,
      state,
      from: fromPattern,
    }),
  }),

  dialog: inStore<[callId: string], Dialog>({
    path: '/v1/dialogs/:call_id',
    v1: { id: 'getDialog', summary: 'One dialog by its Call-ID', tag: 'dialogs' },
    answer: document(Dialog, 'The dialog.'),
    bounds: DOCUMENT,
    ...ofCallId,
  }),

  /** The dialog with the cause that the wire named for its end. */
  report: inStore<[callId: string], Dialog>({
    path: '/v1/dialogs/:call_id/report',
    v1: { id: 'getDialogReport', summary: 'The dialog, and the cause the wire named for its end', tag: 'dialogs' },
    answer: document(Dialog, 'The dialog; `termination` only where a cause was named.'),
    bounds: DOCUMENT,
    ...ofCallId,
  }),

  /** A container made now, as JSON text while it is read; the audio in it may take a while. */
  vcon: ofAgent<[callId: string], Container>({
    path: '/v1/dialogs/:call_id/vcon',
    answer: { kind: 'container' },
    bounds: FILE,
    agentBounds: { bytes: REMOTE_LIST_BYTES, values: AGENT_VALUES, ms: AGENT_FILE_MS },
    isLarge: true,
    weight: 'text',
    ...ofCallId,
  }),
};

export type QuestionName = keyof typeof QUESTIONS;

/** Names of the questions that the store answers at a hub, the agent that saw the call, or all agents. */
export type AnsweredBy<From extends HubAnswerer> = {
  [K in QuestionName]: (typeof QUESTIONS)[K] extends { readonly from: From } ? K : never;
}[QuestionName];
