/**
 * SQL with parameters: whatever a person or the network wrote goes to the store as a value, never as text of the statement.
 */

/** Types that values are sent as. */
export type SqlType =
  | 'String'
  | 'Float64'
  | 'UInt32'
  | 'UInt64'
  | 'Int64'
  | 'Array(String)'
  | 'Array(UInt32)'
  | 'Array(UInt64)';

export type SqlValue = string | number | readonly string[] | readonly number[];

export class SqlParameters {
  readonly values: Record<string, SqlValue> = {};
  #count = 0;

  /** Where the value stands in the statement. */
  add(value: SqlValue, type: SqlType): string {
    const name = `p${this.#count++}`;
    this.values[name] = value;
    return `{${name}:${type}}`;
  }

  /** A time in microseconds since the epoch. */
  time(us: number): string {
    return `fromUnixTimestamp64Micro(${this.add(heldUs(us), 'Int64')}, 'UTC')`;
  }
}

/** Years that the store's DateTime64(6) can hold: 1900 to 2299. */
const FIRST_US = Date.UTC(1900, 0, 1) * 1000;
const LAST_US = Date.UTC(2299, 11, 31) * 1000;

function heldUs(us: number): string {
  return String(BigInt(Math.round(Math.min(Math.max(us, FIRST_US), LAST_US))));
}

/** All of them; what is empty holds. */
export function allOf(conditions: readonly string[]): string {
  return conditions.length === 0
    ? '1'
    : conditions.length === 1
      ? (conditions[0] ?? '1')
      : `(${conditions.join(' AND ')})`;
}

/** One of them; what is empty does not hold. */
export function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0
    ? '0'
    : conditions.length === 1
      ? (conditions[0] ?? '0')
      : `(${conditions.join(' OR ')})`;
}
