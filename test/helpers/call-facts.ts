/**
 * What a diagnosis says of a call, one word each: its findings, how it failed, and what its hints doubt. Calls whose truth
 * is known are measured in these words.
 */
import { FINDING_NAMES, findingNames } from '../../src/analysis/finding-names.ts';
import { endpointKeyText } from '../../src/core/ip.ts';
import type { Dialog } from '../../src/store/dialogs/dialog.ts';
import { callHints } from '../../src/view/explained.ts';
import { ssrcText } from '../../src/view/stream-document.ts';
import { dialogFacts } from './at-once.ts';
import type { OpenSession } from './open-session.ts';

/** A hint that has no finding, by a part of its sentence. What only explains a call is not among them. */
const HINTS = {
  'hint:late': 'Late media: the first packet',
  'hint:codec': 'Codec asymmetry',
  'hint:ptime': 'Packet time asymmetry',
  'hint:cn': 'Comfort noise asymmetry',
  'hint:remote-loss': 'they were lost after it',
  'hint:unseen': 'this capture saw none of them',
} as const;

/** All that can be said; `final` stands for every code. */
export const WORDS: readonly string[] = [...FINDING_NAMES, 'final', ...Object.keys(HINTS)];

export function callFacts(session: OpenSession, d: Dialog): string[] {
  const facts = dialogFacts(session.evidence, d);
  const hints = callHints(facts);
  const code = facts.signaling?.finalFailure?.code;
  return [
    ...findingNames(facts),
    ...(code === undefined ? [] : [`final:${code}`]),
    ...Object.entries(HINTS).flatMap(([name, part]) => (hints.some((hint) => hint.includes(part)) ? [name] : [])),
  ];
}

/** Streams that the program holds to be the call's, as test/helpers/measured-loss.ts names them. */
export function streamNames({ streams }: OpenSession, d: Dialog): string[] {
  return streams
    .ownedBy(d)
    .map(({ srcKey, dstKey, ssrc }) => `${endpointKeyText(srcKey)} > ${endpointKeyText(dstKey)} ${ssrcText(ssrc)}`);
}
