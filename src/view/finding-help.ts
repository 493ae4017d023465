/**
 * Explains each finding and each lint rule: what was seen, what usually causes it, and where to look next. It is for readers
 * who do not have the documentation at hand.
 */
import { rowsOf } from '../analysis/finding-names.ts';
import { FINDINGS } from '../analysis/finding-table.ts';
import { LINT_RULES } from '../analysis/lint/lint.ts';

export type FindingHelp = {
  readonly finding: string;
  /** What was seen. */
  readonly meaning: string;
  /** What usually causes it. */
  readonly causes: readonly string[];
  /** Where to look next. */
  readonly look: string;
  /** What mends it at the usual servers. */
  readonly remedy?: string;
  /** Of a lint rule: what it stands on. */
  readonly source?: string;
};

/** The words of a finding or of a lint rule; null for a name that neither has. */
export function findingHelp(name: string): FindingHelp | null {
  const row = rowsOf(FINDINGS).find(([known]) => known === name)?.[1];
  if (row !== undefined) {
    const { meaning, causes, look, remedy } = row;
    return { finding: name, meaning, causes, look, ...(remedy === undefined ? {} : { remedy }) };
  }
  const rule = LINT_RULES.find(({ id }) => id === name);
  if (rule === undefined) return null;
  return {
    finding: rule.id,
    meaning: rule.explanation,
    causes: [],
    look: `Expected: ${rule.expected}`,
    source: `${rule.rfc} ${rule.section}`,
  };
}

/** Every name that findingHelp() knows. */
export function explainedNames(): readonly string[] {
  return [...rowsOf(FINDINGS).map(([name]) => name), ...LINT_RULES.map(({ id }) => id)];
}
