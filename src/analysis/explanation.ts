/**
 * Puts what was found in a call in the order in which an expert says it: the cause first, and under it what follows from it
 * (`effects` of the table of findings).
 */
import { FINDING_SEVERITIES } from '../core/words.ts';
import { q850Text } from '../protocols/sip/q850.ts';
import { parseReasons } from '../protocols/sip/reason.ts';
import type { DialogFacts } from './dialog-facts.ts';
import { found, rowsOf } from './finding-names.ts';
import type { FindingRow } from './finding-row.ts';
import type { AnyFinding } from './finding-table.ts';
import { CALL_FINDINGS, FINDINGS, REPORT_FINDINGS } from './finding-table.ts';
import type { FinalFailure } from './signaling/failure.ts';

/** A finding, and how many causes stand over it. */
export type Ordered = { readonly finding: AnyFinding; readonly depth: number };

const WEIGHTS: readonly FindingRow['severity'][] = [...FINDING_SEVERITIES, 'note'];

/** A refusal is said before what is only worth a look, also where the called side decided it. */
function weightOf(finding: AnyFinding): number {
  const { severity } = FINDINGS[finding];
  return WEIGHTS.indexOf(finding === 'refused-by-callee' ? 'major' : severity);
}

const { 'final-failure': failure, 'refused-by-callee': refusal } = REPORT_FINDINGS;
/** What a call can have, the worst first; of the same weight in the order of the table. */
const ROWS = rowsOf({ ...CALL_FINDINGS, 'final-failure': failure, 'refused-by-callee': refusal }).sort(
  ([a], [b]) => weightOf(a) - weightOf(b),
);

export function explanationOf(facts: DialogFacts): Ordered[] {
  const names = found(facts, ROWS);
  if (names.length < 2) return names.map((finding) => ({ finding, depth: 0 }));
  const causeOf = (name: AnyFinding): AnyFinding | undefined =>
    names.find((other) => FINDINGS[other].effects?.includes(name) === true);
  const ordered: Ordered[] = [];
  const add = (finding: AnyFinding, depth: number): void => {
    ordered.push({ finding, depth });
    for (const name of names) if (causeOf(name) === finding) add(name, depth + 1);
  };
  for (const name of names) if (causeOf(name) === undefined) add(name, 0);
  return ordered;
}

/** What an expert says first, in a word or two: a finding, or code and reason of a refusal; undefined where nothing is wrong. */
export function causeText(facts: DialogFacts): string | undefined {
  const first = explanationOf(facts)[0]?.finding;
  const refused = facts.signaling?.finalFailure ?? null;
  if ((first === 'final-failure' || first === 'refused-by-callee') && refused !== null)
    return `${refused.code} ${whyRefused(refused)}`.trimEnd();
  return first;
}

/** What the network said, else the text of the warning, else the phrase. */
function whyRefused({ reasonHeader, warning, reasonPhrase }: FinalFailure): string {
  for (const { protocol, code, text } of parseReasons(reasonHeader ?? '')) {
    const said = text ?? (protocol.toUpperCase() === 'Q.850' ? q850Text(code) : null);
    if (said !== null) return said;
  }
  return /"([^"]+)"/.exec(warning ?? '')?.[1] ?? reasonPhrase;
}
