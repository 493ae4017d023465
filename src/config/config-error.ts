/** A mistake in the configuration as one line: where it stands, what is wrong, what to do. */

import type { OptionSpec } from './option-spec.ts';
import { oneLine } from './option-value.ts';

export type ConfigError = {
  /** The option as the user wrote it: `--api`, `CALLTAP_API`, `api.listen in FILE`. */
  readonly option: string;
  readonly reason: string;
  readonly remedy: string;
};

export type Mistake = { readonly ok: false; readonly error: ConfigError };
export type Outcome<T> = { readonly ok: true; readonly value: T } | Mistake;

export function mistake(option: string, reason: string, remedy: string): Mistake {
  return { ok: false, error: { option, reason, remedy } };
}

/** The line for standard error; the exit code that goes with it is 2. */
export function configErrorLine(error: ConfigError): string {
  // A path may hold a line end.
  return oneLine(`calltap: ${error.option}: ${error.reason}; ${error.remedy}`);
}

/** The mistake of using an option whose part is not built in. */
export function notBuiltIn(where: string, spec: OptionSpec): Mistake {
  if (spec.refusal === undefined && spec.feature !== undefined) {
    return mistake(where, `this build was made without the feature ${spec.feature}`, 'use a build that has it');
  }
  const { reason = 'this is not built in this version', remedy = 'leave it out' } = spec.refusal ?? {};
  return mistake(where, reason, remedy);
}
