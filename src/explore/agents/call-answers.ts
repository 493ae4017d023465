/**
 * What the agent alone has of a call: its capture, audio, scenarios, lint and container. It is asked of the agent of the part that
 * saw the first INVITE, or of the host that the Call-ID names.
 */
import { Places } from '../../core/places.ts';
import { RemoteFailure } from '../../net/failures.ts';
import type { CallCapture } from '../captures.ts';
import type { StoreExplorer } from '../clickhouse/store-explorer.ts';
import { MAX_LEGS_SHOWN } from '../limits.ts';
import type { Questions } from '../port.ts';
import { writeCapture } from '../question-kinds.ts';
import type { AgentQuestion, Given } from '../question-row.ts';
import type { AnsweredBy } from '../questions.ts';
import { QUESTIONS } from '../questions.ts';
import type { Refusal } from '../refusal.ts';
import { Away, Busy, Cannot, goneBy, ifHere, NotHere } from '../refusal.ts';
import { readAnswer } from '../remote/answers.ts';
import { type Agents, whySentence } from './agents.ts';

/** Audio files and containers of agents that are fetched at a time, and that wait. @cap */
const AGENT_FILES = 2;
const AGENT_FILES_WAITING = 8;

/** Captures of agents on their way to their readers; one more is answered with 503. @cap */
export const AGENT_CAPTURES = 8;

/** Its capture is made anonymous first, and read. */
const AGENT_PAGE_MS = 30_000;

/** A call as its agent knows it. */
type AgentCall = { readonly host: string; readonly callId: string };

type CallAnswers = Pick<Questions, AnsweredBy<'agent'> | 'html'>;

/** The store has no frames that could be made anonymous. */
const PAGE = { ...QUESTIONS.html, agentBounds: { ...QUESTIONS.html.bounds, ms: AGENT_PAGE_MS } };

/** No time stands in what an agent is asked. */
const NO_TIMES = { isUtc: true, nowUs: 0 };

export function callAnswers(agents: Agents, { partsOf }: Pick<StoreExplorer, 'partsOf'>): CallAnswers {
  const places = new Places(AGENT_FILES, AGENT_FILES_WAITING);
  // A capture that nobody reads keeps a question to its agent open.
  const relays = new Places(AGENT_CAPTURES, 0);

  const agentCallOf = async (callId: string): Promise<AgentCall> => {
    const [first] = await partsOf(callId);
    if (first === undefined) throw new NotHere();
    return { host: first.host, callId: idAt(first.host, callId) };
  };
  /** The answer of the agent of a call, asked with the parameters that `givenAt` makes. */
  const ask = async <A extends readonly unknown[], T>(
    row: AgentQuestion<A, T>,
    callId: string,
    asked: A,
    givenAt: (at: AgentCall) => Given,
  ): Promise<T> => {
    const at = await agentCallOf(callId);
    try {
      return await agents.ask(at.host, (requests) => readAnswer(requests, row, givenAt(at), asked, row.agentBounds));
    } catch (error) {
      throw await refusalOf(row, agents, at.host, error);
    }
  };
  const methods = Object.entries(QUESTIONS).flatMap(([name, row]) => {
    if (row.from !== 'agent') return [];
    const method = async (...args: [callId: string, ...unknown[]]): Promise<unknown> => {
      // The row says which arguments it takes.
      const question = row as AgentQuestion<readonly unknown[], unknown>;
      const given = question.write(args, NO_TIMES);
      const work = () => ask(question, args[0], args, ({ callId }) => exactly(given, callId));
      return question.isLarge === true ? heavily(places, signalIn(args), work) : work();
    };
    return [[name, method] as const];
  });
  const captureOf = async (first: string, legs: readonly string[], isAnonymized: boolean): Promise<CallCapture> => {
    const [here, elsewhere] = await legsAt(legs, agentCallOf, await agentCallOf(first));
    const capture = await ask(QUESTIONS.capture, first, [[first, ...here], isAnonymized], ({ callId }) =>
      exactly(writeCapture([callId, ...here], isAnonymized), callId),
    );
    if (elsewhere.length === 0) return capture;
    const lack = [...(capture.lack === '' ? [] : [capture.lack]), `the legs on ${elsewhere.join(', ')}`].join(', ');
    return { ...capture, lack };
  };

  return {
    // A method for each row that an agent answers.
    ...(Object.fromEntries<unknown>(methods) as CallAnswers),
    async capture(callIds, isAnonymized = false, signal) {
      const [first, ...legs] = callIds.slice(0, MAX_LEGS_SHOWN);
      if (first === undefined) throw new NotHere();
      const leave = await relays.enter(goneBy(signal));
      if (leave === null) throw new Busy();
      try {
        const capture = await captureOf(first, legs, isAnonymized);
        capture.file.once('close', leave);
        return capture;
      } catch (error) {
        leave();
        throw error;
      }
    },
    /** With the legs that the agent has too; anonymized alone. */
    async html(callIds) {
      const [first, ...legs] = callIds.slice(0, MAX_LEGS_SHOWN);
      if (first === undefined) throw new NotHere();
      const [here] = await legsAt(legs, agentCallOf, await agentCallOf(first));
      const asked = { notes: [], isUtc: true, isAnonymized: true };
      return ask(PAGE, first, [[first, ...here], asked], ({ callId }) =>
        exactly(writeCapture([callId, ...here], true), callId),
      );
    },
  };
}

/** Makes what holds the whole file in memory. */
async function heavily<T>(places: Places, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const made = await places.run(goneBy(signal), async () => ({ answer: await work() }));
  if (made === null) throw new Busy();
  return made.answer;
}

function signalIn(args: readonly unknown[]): AbortSignal | undefined {
  return args.find((each) => each instanceof AbortSignal);
}

/** `host:NAME:CALLID` names the part of one host. */
function idAt(host: string, callId: string): string {
  const prefix = `host:${host}:`;
  return callId.startsWith(prefix) ? callId.slice(prefix.length) : callId;
}

/** The parameters with the Call-ID that the agent knows, whatever it looks like. */
function exactly(given: Given, callId: string): Given {
  return 'selector' in given ? { ...given, selector: `id:${callId}` } : { ...given, call_id: callId };
}

/** Why the agent of a host has no answer. */
async function refusalOf<A extends readonly unknown[], T>(
  { cannot }: AgentQuestion<A, T>,
  agents: Agents,
  host: string,
  error: unknown,
): Promise<Refusal> {
  const isGone = error instanceof RemoteFailure && error.kind === 'gone';
  const why = isGone ? await goneSentence(agents, host) : whySentence(host, error);
  if (cannot !== undefined) return new Cannot(cannot, why);
  return isGone ? new NotHere(why) : new Away('agent-away', why);
}

/** The legs that the agent of `first` adds itself, and the hosts of the others. */
async function legsAt(
  legs: readonly string[],
  agentCallOf: (callId: string) => Promise<AgentCall>,
  { host }: AgentCall,
): Promise<readonly [here: readonly string[], elsewhere: readonly string[]]> {
  const here: string[] = [];
  const elsewhere = new Set<string>();
  for (const leg of legs) {
    const at = await ifHere(() => agentCallOf(leg));
    if (at === null) continue;
    if (at.host === host) here.push(at.callId);
    else elsewhere.add(at.host);
  }
  return [here, [...elsewhere]];
}

/** It answers, but not this: the call has left its memory, or it does not serve /ask. */
async function goneSentence(agents: Agents, host: string): Promise<string> {
  const { path, agentBounds } = QUESTIONS.pulse;
  const isServed = await agents
    .ask(host, (requests) => requests.read(path, agentBounds))
    .then(
      () => true,
      (error: unknown) => !(error instanceof RemoteFailure && error.kind === 'gone'),
    );
  return isServed
    ? `${host}: its agent does not keep this call any more.`
    : `${host}: its agent does not serve /ask; add "ask = true" below [api] in its configuration, and restart it.`;
}
