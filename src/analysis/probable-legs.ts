/**
 * Calls that are probably other legs of a call, although no identifier ties them: a back-to-back user agent that keeps none begins
 * the second leg where the first one ends, at once, for the same number, and both are answered and end together.
 *
 * A guess is drawn apart and followed no further: it is in no capture, judgement or sum.
 */
import * as METHOD from '../core/methods.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CallWay } from './call-way.ts';
import { callWayOf } from './call-way.ts';
import { guessedLegs, identifierLegs } from './correlation.ts';
import type { Evidence } from './evidence.ts';

/** Dialogs near in time that are looked at for probable legs, and guesses of them that are compared. @cap */
const PROBABLE_STEPS = 2_000;
const PROBABLE_COMPARED = 32;
/** Probable legs of a call that are shown, the likeliest first. @cap */
const PROBABLE_LEGS = 3;

/** A guess alone; what it gains; and what makes it worth a line. */
const GUESS = 50;
const LEAST = 70;
const MOST = 95;
/** Beginnings of two legs, and their answers and ends. */
const AT_ONCE_US = 100_000;
const TOGETHER_US = 500_000;
/** Digits from the end that make two numbers one, however their beginnings are written. */
const SAME_DIGITS = 7;

export type ProbableLeg = {
  readonly dialog: Dialog;
  /** Of 100; a leg that an identifier ties has 80 or more. */
  readonly score: number;
  /** Why, in parts of a sentence: "it begins 4 ms later at 192.0.2.10, where this call ends". */
  readonly reason: string;
};

/** The likeliest first; none of a call that an identifier ties to others. */
export function probableLegs(d: Dialog, e: Evidence): ProbableLeg[] {
  const { dialogs, identifiers, log } = e.stores;
  if (d.methodId !== METHOD.INVITE || identifiers === null) return [];
  const stores = { dialogs, identifiers };
  if (identifierLegs(d, stores, 1).length > 0) return [];
  const own = callWayOf(d, log);
  if (own === null) return [];
  const { legs } = guessedLegs(d, stores, new Set(), PROBABLE_STEPS, PROBABLE_COMPARED);
  return legs
    .flatMap(({ dialog }) => {
      const other = callWayOf(dialog, log);
      const leg = other === null ? null : compared({ d, way: own }, { d: dialog, way: other });
      // What an identifier ties to a third call is a leg of that.
      return leg === null || identifierLegs(dialog, stores, 1).length > 0 ? [] : [leg];
    })
    .sort((a, b) => b.score - a.score || a.dialog.serial - b.dialog.serial)
    .slice(0, PROBABLE_LEGS);
}

/** As faces say it. */
export function probableText({ dialog, score, reason }: ProbableLeg): string {
  return `${dialog.callId} (${score} of 100): ${reason}`;
}

type Placed = { readonly d: Dialog; readonly way: CallWay };

function compared(own: Placed, other: Placed): ProbableLeg | null {
  const isLater = other.d.createdUs >= own.d.createdUs;
  const [first, second] = isLater ? [own, other] : [other, own];
  // Whoever is called calls on: two calls of one caller, or to one host, are two calls.
  const middle = first.way.dst.host;
  if (middle !== second.way.src.host || first.way.src.host === middle) return null;
  const gapUs = second.d.createdUs - first.d.createdUs;
  const later = `${Math.round(gapUs / 1000)} ms`;
  const reasons = [
    isLater
      ? `it begins ${later} later at ${middle}, where this call ends`
      : `it ends at ${middle}, where this call begins ${later} later`,
  ];
  let score = GUESS + (gapUs <= AT_ONCE_US ? 10 : 0);
  const says = (points: number, reason: string): void => {
    score += points;
    reasons.push(reason);
  };
  const [a, b] = [first.d, second.d];
  if (isSameNumber(a.toUser, b.toUser)) says(20, `both go to ${other.d.toUser}`);
  if (isSameNumber(a.fromUser, b.fromUser)) says(10, `both come from ${other.d.fromUser}`);
  if (isNear(a.answerUs, b.answerUs)) says(10, 'both are answered together');
  if (a.finalCode >= 300 && a.finalCode === b.finalCode && isNear(a.finalUs, b.finalUs))
    says(15, `both fail with ${a.finalCode} together`);
  if (isNear(a.byeUs, b.byeUs)) says(10, 'both end together');
  return score < LEAST ? null : { dialog: other.d, score: Math.min(MOST, score), reason: reasons.join('; ') };
}

/** False where one of the times is not known. */
function isNear(aUs: number, bUs: number): boolean {
  return Math.abs(aUs - bUs) <= TOGETHER_US;
}

function isSameNumber(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  if (a === b) return true;
  const [x, y] = [a.replace(/\D/g, ''), b.replace(/\D/g, '')];
  return x.length >= SAME_DIGITS && y.length >= SAME_DIGITS && x.slice(-SAME_DIGITS) === y.slice(-SAME_DIGITS);
}
