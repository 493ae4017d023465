/** What changed between two spans: an arrow, words, and whether it is worse. */

/** How a figure is compared: by its share, in points of percent, or as it is. */
export type Scale = 'share' | 'points' | 'plain';
/** Which way is worse; of some figures neither is. */
export type Worse = 'up' | 'down' | 'neither';

export type Change = { readonly sign: string; readonly text: string; readonly isWorse: boolean };

/** A change from here on is coloured where it is for the worse. */
const MATERIAL: Readonly<Record<Scale, number>> = { share: 20, points: 3, plain: 0.2 };
/** A change below is none. */
const LEAST: Readonly<Record<Scale, number>> = { share: 0.5, points: 0.05, plain: 0.005 };
const DIGITS: Readonly<Record<Scale, number>> = { share: 0, points: 1, plain: 2 };
const UNIT: Readonly<Record<Scale, string>> = { share: ' %', points: ' pt', plain: '' };
/** A share beyond says how many times as much. */
const MANY_PCT = 400;

/** Null where one of them is not known. */
export function changeOf(now: number | undefined, then: number | undefined, scale: Scale, worse: Worse): Change | null {
  if (now === undefined || then === undefined) return null;
  if (scale === 'share' && then === 0) return now === 0 ? same() : { ...up(worse, true), text: 'from 0' };
  const by = scale === 'share' ? ((now - then) / then) * 100 : now - then;
  if (Math.abs(by) < LEAST[scale]) return same();
  const isMuch = Math.abs(by) >= MATERIAL[scale];
  const text = by > MANY_PCT && scale === 'share' ? `\u00d7${Math.round(now / then)}` : amount(by, scale);
  return { ...(by > 0 ? up(worse, isMuch) : down(worse, isMuch)), text };
}

function amount(by: number, scale: Scale): string {
  return `${Math.abs(by).toFixed(DIGITS[scale])}${UNIT[scale]}`;
}

function same(): Change {
  return { sign: '=', text: 'as', isWorse: false };
}

function up(worse: Worse, isMuch: boolean): Omit<Change, 'text'> {
  return { sign: '\u25b2', isWorse: isMuch && worse === 'up' };
}

function down(worse: Worse, isMuch: boolean): Omit<Change, 'text'> {
  return { sign: '\u25bc', isWorse: isMuch && worse === 'down' };
}
