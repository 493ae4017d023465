/** A mistake in the configuration: an error of the catalogue that says where it stands, what is wrong and what to do. */

import type { ErrorCode, ErrorParams, ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import type { OptionSpec } from './option-spec.ts';
import { oneLine } from './option-value.ts';

export type Mistake = { readonly ok: false; readonly error: ServiceError };
export type Outcome<T> = { readonly ok: true; readonly value: T } | Mistake;

export function mistake<C extends ErrorCode>(code: C, params: ErrorParams<C>): Mistake {
  return { ok: false, error: failure(code, params) };
}

/** The line for standard error. */
export function configErrorLine(error: ServiceError): string {
  // A path may hold a line end.
  return oneLine(`calltap: ${error.message}`);
}

/** The mistake of using an option whose part is not built in. */
export function notBuiltIn(option: string, { refusal, feature }: OptionSpec): Mistake {
  if (refusal === undefined && feature !== undefined) return mistake('OPTION_LEFT_OUT', { option, feature });
  const { reason = 'this is not built in this version', remedy = 'leave it out' } = refusal ?? {};
  return mistake('OPTION_NOT_BUILT_IN', { option, reason, remedy });
}
