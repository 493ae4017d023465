/**
 * How things are shown, on all screens alike: the zone of times, what stands before a message, and what colours mean.
 */
import type { LadderStep } from '../../contract/index.ts';
import type { LadderTime } from '../../view/ladder-text.ts';
import { LADDER_TIMES } from '../../view/ladder-text.ts';
import type { Look } from './cells.ts';
import { LOOK } from './cells.ts';

/** By method and answer, by call, or none. */
const COLORINGS = ['status', 'call', 'off'] as const;
type Coloring = (typeof COLORINGS)[number];

const CALLS = [LOOK.cyan, LOOK.yellow, LOOK.green, LOOK.magenta, LOOK.blue, LOOK.red];
/** Of answers by the first digit of their code. */
const ANSWERS = [LOOK.plain, LOOK.yellow, LOOK.green, LOOK.cyan, LOOK.red, LOOK.red, LOOK.red];

const TIME_NAMES: Readonly<Record<LadderTime, string>> = {
  clock: 'times of day',
  first: 'seconds since the first message',
  before: 'seconds since the message before',
};
const COLOR_NAMES: Readonly<Record<Coloring, string>> = {
  status: 'colours by method and answer',
  call: 'a colour a call',
  off: 'no colours',
};

export class Shown {
  isUtc: boolean;
  time: LadderTime = 'clock';
  coloring: Coloring = 'status';
  /** The list shows the day and the minute in place of the second. */
  hasDates = false;

  /** Some address has a name; it stays so, for columns do not move. */
  hasNames = false;
  /** The rows are those of a hub, each with its host; it stays so too. */
  hasHosts = false;

  constructor(isUtc: boolean) {
    this.isUtc = isUtc;
  }

  /** Turn to the next one; what is shown then, in words. */
  nextTime(): string {
    this.time = next(LADDER_TIMES, this.time);
    return TIME_NAMES[this.time];
  }

  nextColoring(): string {
    this.coloring = next(COLORINGS, this.coloring);
    return COLOR_NAMES[this.coloring];
  }

  turnZone(): string {
    this.isUtc = !this.isUtc;
    return this.isUtc ? 'times in UTC' : 'local times';
  }

  /** `call`: which of the calls of a ladder the message is of. */
  lookOfStep(step: LadderStep, call: number): Look {
    if (this.coloring === 'off') return LOOK.plain;
    if (this.coloring === 'call') return CALLS[call % CALLS.length] ?? LOOK.plain;
    return lookOfSummary(step.summary);
  }
}

/** By the first line: a code, or a method. */
function lookOfSummary(summary: string): Look {
  const code = /^([1-6])\d\d\b/.exec(summary)?.[1];
  if (code !== undefined) return ANSWERS[Number(code)] ?? LOOK.plain;
  return /^(BYE|CANCEL)\b/.test(summary) ? LOOK.magenta : LOOK.cyan;
}

function next<T>(all: readonly T[], now: T): T {
  return all[(all.indexOf(now) + 1) % all.length] ?? now;
}
