/**
 * The tools of the agent protocol: the questions that have one (explore/questions.ts), under names that a model finds. Each reads; none
 * changes anything.
 */
import type { TObject } from 'typebox';
import { Type } from 'typebox';
import type { AskMessage, AskMessages } from '../../contract/index.ts';
import { MCP_MESSAGES } from '../../explore/limits.ts';
import type { Given } from '../../explore/question-row.ts';
import type { QuestionName } from '../../explore/questions.ts';
import { QUESTIONS } from '../../explore/questions.ts';
import { explainedNames, findingHelp } from '../../view/finding-help.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { Client } from '../questions/asking.ts';
import { ask, documentOf, linesOf } from '../questions/asking.ts';
import type { Answer } from './answer.ts';
import { MCP_DOCUMENT_CHARS } from './answer.ts';

/** Agent protocol: characters of each message of an answer. @cap */
export const MCP_MESSAGE_CHARS = 4_096;

/** Whom a tool asks. */
export type ToolClient = Client & {
  /** Tools and resources wait for it; absent where nothing is to be waited for. */
  readonly whenReady?: Promise<void>;
  /** A line for the log: what was read, and how much of it. */
  readonly log: (line: string) => void;
};

/** Arguments as the schema of the tool has checked them. */
type Args = Given & { readonly call?: string; readonly first?: number };

export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly input: TObject;
  readonly answer: (args: Record<string, unknown>, asked: ToolClient) => Promise<Answer>;
};

/** An input that takes these properties and no others. */
function taking<P extends Parameters<typeof Type.Object>[0]>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** Tools whose answer is more than that of their question. */
const MADE: { readonly [Name in QuestionName]?: (args: Args, asked: ToolClient) => Promise<Answer> } = {
  text: async (args, asked) => {
    const { layout = 'markdown', ...rest } = args as Omit<Args, 'layout'> & { layout?: Given['layout'] | 'json' };
    if (layout === 'json') return answerTo('report', rest, asked);
    return answerTo('text', { ...rest, layout }, asked);
  },
  async messages(args, asked) {
    const { first = 0 } = args;
    // The document of this question.
    const all = documentOf(await ask('messages', givenOf(args), asked)) as AskMessages;
    const messages = fitting(all.messages.slice(first, first + MCP_MESSAGES));
    const chars = messages.reduce((sum, m) => sum + m.text.length, 0);
    asked.log(`messages of ${JSON.stringify(args.call)}, ${chars} characters`);
    const until = first + messages.length;
    return {
      document: { ...all, messages },
      note: `Messages ${first} to ${until - 1} of ${all.messages.length}; each is cut after ${MCP_MESSAGE_CHARS} characters.`,
    };
  },
};

/** A tool names a call, a route its selector. */
function givenOf({ call, first: _first, ...given }: Args): Given {
  return call === undefined ? given : { ...given, selector: call };
}

async function answerTo(name: QuestionName, args: Args, asked: ToolClient): Promise<Answer> {
  const answered = await ask(name, givenOf(args), asked);
  const { row, notes } = answered;
  if (row.answer.kind === 'lines') return { lines: linesOf(answered).join('\n') };
  const document = documentOf(answered);
  const isSaid = 'leg_notes' in document || notes.length === 0;
  return isSaid ? { document } : { document, note: notes.join(' ') };
}

const EXPLAIN: Tool = {
  name: 'explain_finding',
  description: 'What a finding or lint rule means, what usually causes it, and where to look next.',
  input: taking({ finding: Type.String({ maxLength: 64, description: 'A name from findings or a rule_id of lint.' }) }),
  answer: async ({ finding }) => {
    const help = findingHelp(String(finding));
    if (help === null) throw new ProblemError('not-found', `There is no such finding; known are ${known()}.`);
    const { meaning, causes, look, remedy, source } = help;
    return {
      words: [
        `${help.finding}: ${meaning}`,
        ...(causes.length === 0 ? [] : [`Usual causes: ${causes.join('; ')}.`]),
        look.endsWith('.') ? look : `${look}.`,
        ...(remedy === undefined ? [] : [`Remedy: ${remedy}`]),
        ...(source === undefined ? [] : [`Source: RFC ${source}.`]),
      ].join('\n'),
    };
  },
};

export const TOOLS: readonly Tool[] = [
  ...Object.entries(QUESTIONS).flatMap(([name, { tool }]) => toolsOf(name, tool)),
  EXPLAIN,
];

function toolsOf(key: string, tool: (typeof QUESTIONS)[QuestionName]['tool']): Tool[] {
  if (tool === undefined) return [];
  // The keys of the table are the names.
  const question = key as QuestionName;
  const answer = MADE[question] ?? ((args: Args, asked: ToolClient) => answerTo(question, args, asked));
  const { name, description, args } = tool;
  return [{ name, description, input: taking(args), answer }];
}

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
