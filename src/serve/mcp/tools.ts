/**
 * The tools of the agent protocol: the questions of the port under names that a model finds. Each reads; none changes
 * anything. A row is a tool.
 */
import type { Static, TObject } from 'typebox';
import { Type } from 'typebox';
import type { AskMessage } from '../../contract/index.ts';
import { AskCallQuery, AskTrunksQuery, DEFAULT_LIMIT, SsrcParams, StreamQuery } from '../../contract/index.ts';
import { MCP_DOCUMENT_CHARS, MCP_MESSAGE_CHARS, MCP_MESSAGES, MCP_ROWS } from '../../core/item-limits.ts';
import type { AgentPort } from '../../explore/port.ts';
import { explainedNames, findingHelp } from '../../view/finding-help.ts';
import { readStream, streamFilterOf } from '../api/routes/streams.ts';
import { heavily, readCalls, readQuestion, readSelector, withNotes } from '../ask/asking.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { Answer } from './answer.ts';

/** Whom a tool asks. */
export type Asked = {
  readonly readers: AgentPort;
  /** `--api-max-rows`. */
  readonly maxRows: number;
  /** Aborted when nobody waits any more; absent where somebody always does. */
  readonly signal?: AbortSignal;
  /** Tools and resources wait for it; absent where nothing is to be waited for. */
  readonly whenReady?: Promise<void>;
  /** A line for the log: what was read, and how much of it. */
  readonly log: (line: string) => void;
};

export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly input: TObject;
  readonly answer: (args: unknown, asked: Asked) => Promise<Answer>;
};

const { q, sort, cursor } = AskCallQuery.properties;
const { orphaned, mos_below, offset } = StreamQuery.properties;
const call = Type.String({
  maxLength: 12_288,
  description: 'The call: its Call-ID, id:CALL-ID, or ssrc:0xSSRC of one of its streams.',
});
const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MCP_ROWS, default: DEFAULT_LIMIT, description: 'Rows at most.' }),
);
const legs = Type.Optional(Type.Boolean({ description: 'With the other legs of the call.' }));

const STYLE = { width: null, color: false, isUtc: true } as const;

/** An input that takes these properties and no others. */
function taking<P extends Parameters<typeof Type.Object>[0]>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** The server has checked the arguments by the input's schema. */
function tool<S extends TObject>(
  name: string,
  description: string,
  input: S,
  answer: (args: Static<S>, asked: Asked) => Promise<Answer>,
): Tool {
  return { name, description, input, answer: (args, asked) => answer(args as Static<S>, asked) };
}

export const TOOLS: readonly Tool[] = [
  tool(
    'list_calls',
    'Calls that a filter chooses, with state, final code, worst MOS, loss and findings. q is the filter language: ' +
      'from:2001 to:+44* number:*0123 ip:192.0.2.0/24 code:5xx state:Failed since:10m mos<3.6 finding:one-way-audio ' +
      'ua:~yealink -tag:transferred; words are joined by and, "or" and ( ) group. ' +
      'An empty answer says in hidden_by what could hide the call.',
    taking({ q, sort, limit, cursor }),
    async ({ limit: most = DEFAULT_LIMIT, cursor: from = '', ...asks }, { readers, maxRows, signal }) => ({
      document: await readers.page(readQuestion(asks), Math.min(most, maxRows), from, signal),
    }),
  ),
  tool(
    'get_call',
    'One call whole: state, timing, SDP, streams with quality by window, diagnosis with evidence.',
    taking({ call }),
    async ({ call: selector }, { readers, signal }) => ({
      document: await readers.call(await readSelector(readers, selector), signal),
    }),
  ),
  tool(
    'call_report',
    'What happened to a call and why. layout json is the document with the cause that the wire named; text and markdown ' +
      'are for people.',
    taking({
      call,
      layout: Type.Optional(Type.Enum(['json', 'text', 'markdown'], { default: 'markdown' })),
      legs,
    }),
    async ({ call: selector, layout = 'markdown', legs: hasLegs }, { readers, signal }) => {
      if (layout === 'json') return { document: await readers.report(await readSelector(readers, selector), signal) };
      const { calls, notes } = await readCalls(readers, signal, selector, hasLegs);
      const lines = await heavily(signal, () => readers.text(calls, layout, STYLE, signal));
      return { lines: [...lines, ...notes].join('\n') };
    },
  ),
  tool(
    'call_ladder',
    'Who sent what to whom, message by message, with the time between, over all legs if asked, and the media.',
    taking({ call, legs }),
    async ({ call: selector, legs: hasLegs }, { readers, signal }) => {
      const { calls, notes } = await readCalls(readers, signal, selector, hasLegs);
      return { document: withNotes(await readers.ladder(calls, signal), notes) };
    },
  ),
  tool(
    'call_messages',
    `The raw SIP messages of a call, without credentials and keys, ${MCP_MESSAGES} at a time from message \`first\`.`,
    taking({
      call,
      legs,
      first: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
    }),
    async ({ call: selector, legs: hasLegs, first = 0 }, { readers, signal, log }) => {
      const { calls, notes } = await readCalls(readers, signal, selector, hasLegs);
      const all = withNotes(await readers.messages(calls, false, signal), notes);
      const messages = fitting(all.messages.slice(first, first + MCP_MESSAGES));
      const chars = messages.reduce((sum, m) => sum + m.text.length, 0);
      log(`messages of ${JSON.stringify(selector)}, ${chars} characters`);
      const until = first + messages.length;
      return {
        document: { ...all, messages },
        note: `Messages ${first} to ${until - 1} of ${all.messages.length}; each is cut after ${MCP_MESSAGE_CHARS} characters.`,
      };
    },
  ),
  tool(
    'call_tree',
    'All legs of a call as a tree, followed from identifier to identifier.',
    taking({ call }),
    async ({ call: selector }, { readers, maxRows, signal }) => {
      const { calls, notes } = await readCalls(readers, signal, selector, true);
      const document = await readers.tree(calls[0] ?? '', maxRows, signal);
      return noted(document, notes);
    },
  ),
  tool(
    'correlate',
    'The legs that are tied to one leg of a call, and by what.',
    taking({ call }),
    async ({ call: selector }, { readers, maxRows, signal }) => {
      const { calls, notes } = await readCalls(readers, signal, selector, true);
      const document = await readers.correlated(calls[0] ?? '', maxRows);
      return noted(document, notes);
    },
  ),
  tool(
    'lint',
    'Where the messages of a call break a rule of SIP or SDP: rule, RFC, section, what was seen and expected.',
    taking({ call }),
    async ({ call: selector }, { readers, signal }) => ({
      document: await readers.lint(await readSelector(readers, selector), signal),
    }),
  ),
  tool(
    'list_streams',
    'RTP streams, the newest first, with loss, jitter and MOS.',
    taking({ orphaned, mos_below, limit, offset }),
    async (query, { readers, maxRows, signal }) => ({
      document: await readers.streams(streamFilterOf(query, maxRows), signal),
    }),
  ),
  tool(
    'get_stream',
    'One RTP stream with its quality window by window.',
    taking({ ssrc: SsrcParams.properties.ssrc }),
    async ({ ssrc }, { readers }) => ({ document: await readStream(readers, ssrc) }),
  ),
  tool(
    'list_trunks',
    'Carriers and customers, by direction: up or down since when, what their calls came to (ASR, NER, ACD, codes), ' +
      'post-dial delay, MOS and loss. minutes narrows it to the last so many; trunk and series show one by minute.',
    taking(AskTrunksQuery.properties),
    async (asks, { readers, signal }) => ({ document: await readers.trunks(asks, signal) }),
  ),
  tool('capture_stats', 'What was captured, and what was lost on the way, by place.', taking({}), async (_, asked) => ({
    document: await asked.readers.stats(),
  })),
  tool(
    'capture_report',
    'What is wrong across all calls and streams, the worst first.',
    taking({}),
    async (_, { readers }) => ({ document: await readers.captureReport() }),
  ),
  tool(
    'explain_finding',
    'What a finding or lint rule means, what usually causes it, and where to look next.',
    taking({ finding: Type.String({ maxLength: 64, description: 'A name from findings or a rule_id of lint.' }) }),
    async ({ finding }) => {
      const help = findingHelp(finding);
      if (help === null) throw new ProblemError('not-found', `There is no such finding; known are ${known()}.`);
      const { meaning, causes, look, source } = help;
      return {
        words: [
          `${help.finding}: ${meaning}`,
          ...(causes.length === 0 ? [] : [`Usual causes: ${causes.join('; ')}.`]),
          look.endsWith('.') ? look : `${look}.`,
          ...(source === undefined ? [] : [`Source: RFC ${source}.`]),
        ].join('\n'),
      };
    },
  ),
];

/** As many as the answer holds, each cut: JSON makes six characters of a control byte. */
function fitting(messages: readonly AskMessage[]): AskMessage[] {
  const shown: AskMessage[] = [];
  let chars = 0;
  for (const m of messages) {
    const cut = { ...m, text: m.text.slice(0, MCP_MESSAGE_CHARS) };
    chars += JSON.stringify(cut).length;
    if (chars > MCP_DOCUMENT_CHARS / 2) break;
    shown.push(cut);
  }
  return shown;
}

function known(): string {
  return explainedNames().join(', ');
}

function noted(document: object, notes: readonly string[]): Answer {
  return notes.length === 0 ? { document } : { document, note: notes.join(' ') };
}
