/** The rows of the table of questions (questions.ts) that ask about calls: a page of them, and each. */
import { Type } from 'typebox';
import {
  AskAudioQuery,
  AskCallQuery,
  AskCalls,
  AskCaptureQuery,
  AskCompare,
  AskCompareQuery,
  AskHead,
  AskLadder,
  AskLegsQuery,
  AskMessages,
  AskQuality,
  AskReportQuery,
  AskSipp,
  CallDocument,
  CallTree,
  Correlation,
  Dialog,
  LintResult,
} from '../contract/index.ts';
import type { AudioSpan, CallAudio } from '../export/audio.ts';
import { AUDIO_FILE_BYTES } from '../export/audio.ts';
import type { SippPair } from '../export/sipp.ts';
import type { Bounds } from '../net/answer.ts';
import type { LadderStyle } from '../view/ladder-text.ts';
import type { CallCapture } from './captures.ts';
import type { Container } from './containers.ts';
import { knownLadder, knownLegs, knownMessages, knownPage } from './known-answers.ts';
import {
  AGENT_DOCUMENT_BYTES,
  AGENT_VALUES,
  DOCUMENT,
  LIST,
  MCP_MESSAGES,
  REMOTE_FILE_BYTES,
  REMOTE_LIST_BYTES,
} from './limits.ts';
import type { CallsQuestion } from './question.ts';
import {
  callOf,
  callsOf,
  limit,
  ofCall,
  ofCallId,
  ofCapture,
  ofDrawnCalls,
  ofTiedCall,
  readQuestion,
  readSpan,
  rowsOf,
  selectorOf,
  writeCalls,
  writeCapture,
  writeQuestion,
  writeSpan,
} from './question-kinds.ts';
import type { OtherLegs } from './question-row.ts';
import { document, inStore, ofAgent } from './question-row.ts';
import type { Selected } from './selector.ts';

/** `text` and `markdown` are the report; `ladder` is the ladder alone, over all the calls. */
export type TextLayout = 'text' | 'markdown' | 'ladder';

/** `only`: the messages of this index alone, which a capture here knows. */
export type MessagesAsked = { readonly showsSecrets: boolean; readonly only?: number | undefined };

/** `notes`: why legs may be missing, in sentences. */
export type PageAsked = { readonly notes: readonly string[]; readonly isUtc: boolean; readonly isAnonymized?: boolean };

/** Of a page; a ladder in a browser or a file is as wide as it must be. */
const PAGE_STYLE: LadderStyle = { width: null, color: false, isUtc: true };

/** Such an answer waits for files that are still read, or for others before it. */
const FILE: Bounds = { bytes: REMOTE_FILE_BYTES, ms: 300_000 };
/** A report is written to files too, which a terminal shows later. */
const REPORT: Bounds = { bytes: REMOTE_LIST_BYTES, ms: 300_000 };
const AGENT_FILE_MS = 30_000;
const AGENT_DOCUMENT: Bounds = { bytes: AGENT_DOCUMENT_BYTES, values: AGENT_VALUES, ms: 2_000 };

const call = Type.String({
  maxLength: 12_288,
  description: 'The call: its Call-ID, id:CALL-ID, or ssrc:0xSSRC of one of its streams.',
});
const legs = Type.Optional(Type.Boolean({ description: 'With the other legs of the call.' }));

const { q, sort, cursor } = AskCallQuery.properties;

export const CALL_QUESTIONS = {
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

  /** For somebody without access: one HTML file without scripts, and without credentials and keys. */
  html: inStore<[callIds: readonly string[], asked: PageAsked], string>({
    path: '/ask/calls/:selector/page',
    ask: {
      id: 'askPage',
      summary: 'A page of the call as one HTML file without scripts, credentials and keys, to be mailed',
      query: AskCaptureQuery,
    },
    answer: { kind: 'page' },
    bounds: REPORT,
    weight: 'text',
    isHeavy: true,
    told: (page) => ['saved the page of', page.length],
    async read(given, reading) {
      const { callIds, notes } = await callsOf(given, reading, true);
      return { asked: [callIds, { notes, isUtc: true, isAnonymized: given.anonymize === true }] };
    },
    write: ([callIds, { isAnonymized = false }]) => writeCapture(callIds, isAnonymized),
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
    ...ofDrawnCalls,
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
      const { callIds, notes } = await callsOf(given, reading, true);
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
  capture: ofAgent<[callIds: readonly string[], isAnonymized?: boolean], CallCapture>({
    path: '/ask/calls/:selector/capture',
    ask: {
      id: 'askCapture',
      summary:
        'The frames of a call with its media as pcapng; of a live source those that -O wrote, else its SIP, rebuilt',
      query: AskCaptureQuery,
    },
    answer: { kind: 'capture' },
    bounds: FILE,
    agentBounds: { ...FILE, ms: AGENT_FILE_MS },
    weight: 'file',
    isHeavy: true,
    cannot: 'no-capture',
    told: ({ bytes }) => ['fetched the capture of', bytes],
    ...ofCapture,
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
