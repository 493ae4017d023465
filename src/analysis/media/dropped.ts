/** Says of a call that some of its loss is not known, since this capture dropped packets then (analysis/own-drops.ts). */
import { counted } from '../../core/counted.ts';
import { endpointKeyText } from '../../core/ip.ts';
import type { CallStream, JudgedCall } from '../call.ts';
import type { CallFindings } from '../findings.ts';
import { note } from '../hint.ts';

/** One hint, however many streams it is of. */
export function judgeDropped(call: JudgedCall, found: CallFindings): undefined {
  const dropped = call.streams.filter(({ quality }) => quality.ownLost > 0);
  if (dropped.length === 0) return;
  let [own, expected, unscored] = [0, 0, 0];
  for (const { quality: q } of dropped) {
    own += q.ownLost;
    expected += q.expected;
    if (q.mos === null && q.impairment !== null) unscored++;
  }
  const mos = unscored === 0 ? '' : ', so there is no MOS';
  found.media.hints.push(
    note(
      `Loss of ${own} of ${counted(expected, 'packet')} ${placeOf(dropped)} is not known: this capture dropped packets then${mos}.`,
    ),
  );
}

function placeOf(dropped: readonly CallStream[]): string {
  const [only] = dropped;
  if (only === undefined || dropped.length > 1) return `of ${dropped.length} streams`;
  return `from ${endpointKeyText(only.stream.srcKey)} to ${endpointKeyText(only.stream.dstKey)}`;
}
