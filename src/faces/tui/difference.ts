/**
 * The difference of two texts as lines of the screen: what stands in one alone has a mark and a colour.
 */
import { lineDifference } from '../../core/line-difference.ts';
import type { Look } from './cells.ts';
import { LOOK } from './cells.ts';

export type ShownLine = { readonly text: string; readonly look: Look };

const SHOWN = {
  both: { mark: ' ', look: LOOK.plain },
  a: { mark: '-', look: LOOK.red },
  b: { mark: '+', look: LOOK.green },
} as const;

export function difference(before: readonly string[], after: readonly string[]): ShownLine[] {
  return lineDifference(before, after).map(({ text, side }) => {
    const { mark, look } = SHOWN[side];
    return { text: `${mark} ${text}`, look };
  });
}
