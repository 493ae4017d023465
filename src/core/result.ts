/** Results of parsers: a value or a reason from a closed set. Hostile input is never exceptional. */

export type Ok<T> = { readonly ok: true; readonly value: T };
export type Fail<R extends string> = { readonly ok: false; readonly reason: R };
export type Result<T, R extends string> = Ok<T> | Fail<R>;

export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

export function fail<R extends string>(reason: R): Fail<R> {
  return { ok: false, reason };
}
