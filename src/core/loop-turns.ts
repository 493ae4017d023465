/**
 * How long the turns of the main thread's event loop take, and what ran in the long ones.
 *
 * A turn lasts from one wait for events to the next. The addon measures each (native/binding/loop_turns.cc) and tells of
 * the long ones. Whoever runs work that a stranger can lengthen notes its time under a name.
 */

/**
 * Milliseconds of processor time that a turn of the event loop may take, and how long it may hold the loop whatever the
 * reason; a longer one is counted and said.
 *
 * @cap
 */
export const LOOP_TURN_CPU_MS = 250;
export const LOOP_TURN_HELD_MS = 1_000;

/** What can be named; 'other' is everything else. */
export const LOOP_WORK = ['other', 'records', 'tick', 'answer', 'list', 'shipping', 'probes'] as const;
export type LoopWork = (typeof LOOP_WORK)[number];

/** A turn: the time in which nothing else ran, and the processor time of the thread in it. */
export type LoopTurn = { readonly heldMs: number; readonly cpuMs: number };

/** Turns below this are not told. */
export const LOOP_TURN_TOLD_MS = 10;
/** The longest turns are those of the last one to two of these. */
const SPAN_MS = 60_000;
const NO_TURN: LoopTurn = { heldMs: 0, cpuMs: 0 };

type Longest = Map<LoopWork, LoopTurn>;

export class LoopTurns {
  /** Turns so far, in [0]; the addon counts them. */
  readonly ended = new Float64Array(1);
  /** Turns that took longer than a turn may. */
  overlong = 0;
  readonly #nowMs: () => number;
  /** Told a line about a turn that took longer than a turn may, at most one a minute. */
  say: ((line: string) => void) | null = null;
  #saidMs = Number.NEGATIVE_INFINITY;
  #notedIn = -1;
  /** Milliseconds by work, in LOOP_WORK order, noted in that turn. */
  readonly #notedMs = new Float64Array(LOOP_WORK.length);
  #longest: Longest = new Map();
  #before: Longest = new Map();
  #sinceMs: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
  }

  /** This work ran for so long in this turn. */
  note(work: LoopWork, ms: number): void {
    const turn = this.ended[0] ?? 0;
    if (turn !== this.#notedIn) {
      this.#notedIn = turn;
      this.#notedMs.fill(0);
    }
    const at = LOOP_WORK.indexOf(work);
    this.#notedMs[at] = (this.#notedMs[at] ?? 0) + ms;
  }

  /** Runs work that rests nowhere, and notes it. */
  run<T>(work: LoopWork, how: () => T): T {
    const startMs = this.#nowMs();
    try {
      return how();
    } finally {
      this.note(work, this.#nowMs() - startMs);
    }
  }

  /** The turn before this one took so long. */
  onTurn(turn: LoopTurn): void {
    this.#turnPages();
    const work = this.#mostOf(turn);
    const known = this.#longest.get(work) ?? NO_TURN;
    this.#longest.set(work, {
      heldMs: Math.max(known.heldMs, turn.heldMs),
      cpuMs: Math.max(known.cpuMs, turn.cpuMs),
    });
    if (turn.cpuMs <= LOOP_TURN_CPU_MS && turn.heldMs <= LOOP_TURN_HELD_MS) return;
    this.overlong++;
    this.#tell(work, turn);
  }

  /** The longest turn of each kind of work in the last one to two minutes; 0 where none took long. */
  longest(): ReadonlyMap<LoopWork, LoopTurn> {
    this.#turnPages();
    const of = (work: LoopWork): LoopTurn => {
      const [a, b] = [this.#longest.get(work) ?? NO_TURN, this.#before.get(work) ?? NO_TURN];
      return { heldMs: Math.max(a.heldMs, b.heldMs), cpuMs: Math.max(a.cpuMs, b.cpuMs) };
    };
    return new Map(LOOP_WORK.map((work) => [work, of(work)]));
  }

  /** What ran for at least half of the turn before this one. */
  #mostOf({ heldMs }: LoopTurn): LoopWork {
    if (this.#notedIn !== (this.ended[0] ?? 0) - 1) return 'other';
    return LOOP_WORK.find((_, i) => (this.#notedMs[i] ?? 0) >= heldMs / 2 && heldMs > 0) ?? 'other';
  }

  #turnPages(): void {
    const pages = Math.floor((this.#nowMs() - this.#sinceMs) / SPAN_MS);
    if (pages === 0) return;
    this.#before = pages === 1 ? this.#longest : new Map();
    this.#longest = new Map();
    this.#sinceMs += pages * SPAN_MS;
  }

  #tell(work: LoopWork, { heldMs, cpuMs }: LoopTurn): void {
    const nowMs = this.#nowMs();
    if (this.say === null || nowMs - this.#saidMs < SPAN_MS) return;
    this.#saidMs = nowMs;
    const times = `${seconds(heldMs)} s (${seconds(cpuMs)} s of processor time)`;
    this.say(
      `the main thread did nothing else for ${times}: ${WORDS[work]}; calltap_loop_held_seconds has the longest turns`,
    );
  }
}

const WORDS: Readonly<Record<LoopWork, string>> = {
  other: 'what it did has no name',
  records: 'it read captured packets',
  tick: 'it looked for calls that time ended',
  answer: 'it made the answer about a call',
  list: 'it made a list of calls or streams',
  shipping: 'it made rows for the store',
  probes: 'it looked for programs to probe',
};

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

/** Those of this process. */
export const loopTurns = new LoopTurns(() => performance.now());
