/** Refuses the name of a lint rule that there is none of: a misspelt --lint-suppress would leave the rule running. */

import { LINT_RULES } from '../analysis/lint/lint.ts';
import { nearest } from '../config/spelling.ts';
import { failure } from '../core/errors.ts';

/** Throws ServiceError for the first name that no rule has. */
export function refuseUnknownRules(names: readonly string[]): void {
  const known = new Set(LINT_RULES.map((rule) => rule.id));
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const hint = meant === null ? 'the rule_id of each finding names its rule' : `did you mean ${JSON.stringify(meant)}?`;
  throw failure('LINT_RULE_UNKNOWN', { rule: JSON.stringify(unknown), hint });
}
