/**
 * What a row of the table of questions holds (explore/questions.ts): how a question is written on the wire, what answers it, and who
 * does. Routes, clients and tools are made of it.
 */
import type { Static, TProperties, TSchema } from 'typebox';
import type {
  AskAudioQuery,
  AskCallQuery,
  AskCaptureQuery,
  AskCompareQuery,
  AskOverviewQuery,
  AskReportQuery,
  AskTrunksQuery,
  CallIdParams,
  DialogQuery,
  Named,
  SelectorParams,
  SsrcParams,
  StreamQuery,
} from '../contract/index.ts';
import type { Bounds } from '../net/answer.ts';
import type { Answer, Cannot } from './refusal.ts';
import type { Selected } from './selector.ts';

type Parameters = Static<typeof SelectorParams> &
  Static<typeof CallIdParams> &
  Static<typeof SsrcParams> &
  AskCallQuery &
  AskTrunksQuery &
  AskOverviewQuery &
  StreamQuery &
  Static<typeof AskCaptureQuery> &
  Static<typeof AskReportQuery> &
  Static<typeof AskCompareQuery> &
  Omit<Static<typeof AskAudioQuery>, 'from'>;

/** Parameters of a request by their names on the wire: those of the path, of the query, or arguments of a tool. */
export type Given = { readonly [K in keyof Parameters]?: Parameters[K] | undefined } & {
  readonly state?: DialogQuery['state'];
  /** A pattern, or the second where a span begins. */
  readonly from?: string | number | undefined;
};

/**
 * Call-IDs, the call itself not among them: of legs that identifiers tie, and of those that are probable without one; and why some may
 * be missing, in sentences.
 */
export type OtherLegs = {
  readonly callIds: readonly string[];
  readonly probable: readonly string[];
  readonly notes: readonly string[];
};

/** Calls of the port that reading a question may need. */
export type CallFinder = {
  select(selector: string, question: null): Answer<Selected>;
  legs(callId: string, signal?: AbortSignal): Answer<OtherLegs>;
};

export type ReadContext = {
  readonly port: CallFinder;
  /** `--api-max-rows`. */
  readonly maxRows: number;
  readonly signal: AbortSignal | undefined;
};

/** The arguments of the port's method, and why legs of the calls in them may be missing. */
export type ParametersRead<A> = { readonly asked: A; readonly notes?: readonly string[] };

/** How times are written for whoever answers: `nowUs` is how far the capture has come there. */
export type AnswererClock = { readonly isUtc: boolean; readonly nowUs: number };

/** A document of the contract; `T` is what the port gives. */
export type InDocument<A, T> = {
  readonly kind: 'document';
  readonly schema: Named<TSchema>;
  /** For OpenAPI. */
  readonly about: string;
  /** The document can say in `leg_notes` why legs are missing. */
  readonly takesNotes?: true;
  /** The document of an answer, where that is not the answer itself. */
  shown?(answer: T): object;
  /** The answer in a document that fits the schema; null where the document does not hold together. */
  known?(document: unknown, asked: A): T | null;
  /** What 404 means, where that is an answer. */
  readonly none?: T;
};

/** Lines for people. */
export type InLines<A> = {
  readonly kind: 'lines';
  readonly about: string;
  isMarkdown(asked: A): boolean;
};

/**
 * A page is the text of an HTML file. A capture and a container come while they are read, audio comes whole, and events come as
 * long as somebody reads.
 */
export type InBytes = { readonly kind: 'page' | 'capture' | 'audio' | 'container' | 'events' };

/** A route of `/ask` or `/v1`; `id` is its operationId. */
export type Route = {
  /** Where it is another than the question's own. */
  readonly path?: string;
  readonly id: string;
  readonly summary: string;
  readonly query?: TSchema;
  /** What OpenAPI says of the answer, where that is other than what the row says. */
  readonly about?: string;
};

/** A tool of the agent protocol. Its arguments have the names of the parameters, but `call` is the selector. */
export type Tool = { readonly name: string; readonly description: string; readonly args: TProperties };

/** Who answers where a hub is asked: the store, the agent that saw the call, or all agents together. */
export type HubAnswerer = 'store' | 'agent' | 'agents';

/** A question with the arguments `A`, which `T` answers. */
export type Question<A extends readonly unknown[], T> = {
  /** Where it is asked; what stands after a colon is a parameter. */
  readonly path: string;
  /** Left out where no route below /ask is made of this row. */
  readonly ask?: Route;
  /** Likewise for /v1, where `tag` names the chapter of OpenAPI. */
  readonly v1?: Route & { readonly tag: 'dialogs' | 'streams' | 'service' };
  readonly tool?: Tool;
  readonly answer: InDocument<A, T> | InLines<A> | InBytes;
  /** What a client takes for an answer. */
  readonly bounds: Bounds;
  /** What a hub takes for the answer of an agent. */
  readonly agentBounds?: Bounds;
  /** The hub keeps the whole of it while it is sent on. */
  readonly isLarge?: true;
  /** What answers of this kind share room with until they are read; left out where the answer is small. */
  readonly weight?: 'text' | 'file' | 'audio';
  /** Few are made at a time: making it holds much memory. */
  readonly isHeavy?: true;
  /** The refusal of calls that lack what is asked for. */
  readonly cannot?: ConstructorParameters<typeof Cannot>[0];
  /** For the log, where what leaves the process was said by people: what was done, and how many bytes went. */
  told?(answer: T): readonly [what: string, bytes: number];
  /** Rejects with a refusal. */
  read(given: Given, reading: ReadContext): Answer<ParametersRead<A>>;
  /** The parameters that `read` makes these arguments of. */
  write(asked: A, writing: AnswererClock): Given;
};

/** A question that a hub hands on. */
export type AgentQuestion<A extends readonly unknown[], T> = Question<A, T> & { readonly agentBounds: Bounds };

/** A question whose arguments and answer its reader need not know. */
export type AnyQuestion = Question<readonly unknown[], unknown>;

/** The method of the port for a row. */
export type Method<Row> =
  Row extends Question<infer A, infer T> ? (...asked: [...A, signal?: AbortSignal]) => Answer<T> : never;

/** What the store answers at a hub. */
export function inStore<A extends readonly unknown[], T>(row: Question<A, T>) {
  return { ...row, from: 'store' as const };
}

/** What the agent that saw the call answers. */
export function ofAgent<A extends readonly unknown[], T>(row: AgentQuestion<A, T>) {
  return { ...row, from: 'agent' as const };
}

/** What all agents answer together. */
export function ofAgents<A extends readonly unknown[], T>(row: AgentQuestion<A, T>) {
  return { ...row, from: 'agents' as const };
}

export function document<S extends TSchema, T = Static<S>, A = unknown>(
  schema: Named<S>,
  about: string,
  more: {
    readonly takesNotes?: true;
    shown?(answer: T): Static<S>;
    known?(document: Static<S>, asked: A): T | null;
    readonly none?: T;
  } = {},
): InDocument<A, T> {
  return { kind: 'document', schema, about, ...more };
}

/** The address of a question with these parameters; what is empty is left out. */
export function addressOf(path: string, given: Given): string {
  const rest = new Map(Object.entries(given));
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of rest) if (value !== undefined && value !== '') query.set(name, String(value));
  return query.size === 0 ? filled : `${filled}?${query}`;
}
