/**
 * What all agents answer of themselves, as one: who is missing is named. Whoever asks meanwhile, or shortly after, gets the same answer,
 * so that many askers ask the agents once.
 */
import type { Questions } from '../port.ts';
import type { AgentQuestion } from '../question-row.ts';
import type { AnsweredBy } from '../questions.ts';
import { QUESTIONS } from '../questions.ts';
import { readAnswer } from '../remote/answers.ts';
import type { Agents, Missing } from './agents.ts';
import { addPulse, addReport, addSecurity, addStats, noPulse, noReport, noSecurity, noStats } from './fleet-sums.ts';

/** So long an answer is good, in milliseconds. */
const FRESH_MS = 2_000;

type FleetQuestion = AnsweredBy<'agents'>;
type AnswerTo<Name extends FleetQuestion> = Awaited<ReturnType<Questions[Name]>>;

/** How the answers of agents to one question become one. */
type Sum<T> = {
  none(): T;
  add(whole: T, host: string, one: T): T;
  /** What the whole is where agents have no answer; nobody is missing in an empty list. */
  without(whole: T, missing: readonly Missing[]): T;
};

const SUMS: { readonly [Name in FleetQuestion]: Sum<AnswerTo<Name>> } = {
  stats: {
    none: noStats,
    add: (whole, _, one) => addStats(whole, one),
    without({ capture_quality, ...stats }, missing) {
      const degraded = capture_quality.degraded || missing.length > 0;
      return { ...stats, capture_quality: { ...capture_quality, degraded } };
    },
  },
  pulse: {
    none: noPulse,
    add: (whole, _, one) => addPulse(whole, one),
    without: (whole, missing) => ({ ...whole, isDegraded: whole.isDegraded || missing.length > 0 }),
  },
  security: {
    none: noSecurity,
    add: addSecurity,
    without: (whole, missing) => ({ ...whole, missing: [...missing] }),
  },
  captureReport: {
    none: noReport,
    add: addReport,
    without: (whole, missing) => ({ ...whole, complete: whole.complete && missing.length === 0 }),
  },
};

/** What came of a question to all agents, and who did not answer it. */
export type Fleet = {
  [Name in FleetQuestion]: () => Promise<{ readonly answer: AnswerTo<Name>; readonly missing: readonly Missing[] }>;
};

export function fleetOf(agents: Agents): Fleet {
  const method = <T>(row: AgentQuestion<[], T>, { none, add, without }: Sum<T>) =>
    shared(async () => {
      let whole = none();
      const missing = await agents.everywhere(
        (requests) => readAnswer(requests, row, row.write([], NO_TIMES), [], row.agentBounds),
        (host, one) => {
          whole = add(whole, host, one);
        },
      );
      return { answer: without(whole, missing), missing };
    });
  const names = Object.keys(SUMS) as FleetQuestion[];
  // A method for each name, with the sum of its own answers.
  return Object.fromEntries(names.map((name) => [name, method<unknown>(QUESTIONS[name], SUMS[name])])) as Fleet;
}

/** No time stands in what agents are asked. */
const NO_TIMES = { isUtc: true, nowUs: 0 };

/** Asks once for all who ask at a time. */
function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  let atMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (made !== null && performance.now() - atMs < FRESH_MS) return made;
    atMs = Number.POSITIVE_INFINITY;
    made = make().finally(() => {
      atMs = performance.now();
    });
    return made;
  };
}
