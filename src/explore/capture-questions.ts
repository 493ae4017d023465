/** The rows of the table of questions (questions.ts) that ask about streams, sums over calls, and the capture itself. */
import {
  AskFindings,
  AskOverview,
  AskOverviewQuery,
  AskPulse,
  AskRegistrations,
  AskSecurity,
  AskSpanQuery,
  AskTrunks,
  AskTrunksQuery,
  CaptureReport,
  DialogList,
  DialogQuery,
  RtpStream,
  SsrcParams,
  Stats,
  StreamList,
  StreamQuery,
} from '../contract/index.ts';
import { hexWord } from '../core/fixed-digits.ts';
import type { Bounds } from '../net/answer.ts';
import type { DialogFilter } from '../view/dialog-query.ts';
import type { Pulse } from '../view/pulse.ts';
import { toAskPulse } from '../view/pulse.ts';
import type { StreamFilter } from '../view/stream-query.ts';
import type { Changes } from './changes.ts';
import { knownPulse } from './known-answers.ts';
import {
  AGENT_HEALTH_BYTES,
  AGENT_REPORT_BYTES,
  AGENT_SECURITY_BYTES,
  AGENT_VALUES,
  DOCUMENT,
  LIST,
  REMOTE_PROBLEM_BYTES,
} from './limits.ts';
import { ofSpan } from './overview-question.ts';
import type { CallsQuestion } from './question.ts';
import { limit, ofFilter, ofNothing, readDialogFilter, readSsrc, readStreamFilter } from './question-kinds.ts';
import { document, inStore, ofAgents } from './question-row.ts';

const PULSE: Bounds = { bytes: REMOTE_PROBLEM_BYTES, ms: 5_000 };
const HEALTH: Bounds = { bytes: AGENT_HEALTH_BYTES, values: AGENT_VALUES, ms: 2_000 };

const { orphaned, mos_below, offset } = StreamQuery.properties;

export const CAPTURE_QUESTIONS = {
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
        'post-dial delay, MOS and loss. minutes is how many of the last minutes count; trunk and series show one by minute.',
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

  /** How the host is doing: its calls over time, the trunks that do worst, who calls whom. */
  overview: inStore<[asked: AskOverviewQuery], AskOverview>({
    path: '/ask/overview',
    ask: {
      id: 'askOverview',
      summary: 'Calls over time, the trunks that do worst, who calls whom, and what went wrong lately',
      query: AskOverviewQuery,
    },
    tool: {
      name: 'overview',
      description:
        'How the host is doing: attempts, answers, failures by code, ASR, NER, post-dial delay, MOS and loss over time, beside the ' +
        'span before and the day before; the trunks that do worst; who calls whom; the newest calls that went wrong.',
      args: AskOverviewQuery.properties,
    },
    answer: document(AskOverview, 'The oldest cells first.'),
    bounds: LIST,
    ...ofSpan,
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
};
