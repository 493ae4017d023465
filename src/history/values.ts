/** Values of an index that anybody may have written: each is looked at before it is used. */

/** An object of JSON that is no list; null for anything else. */
export function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  const value = jsonOf(text);
  return isObject(value) ? value : null;
}

/** A list of finite numbers. */
export function numbersOf(text: string): number[] | null {
  const value = jsonOf(text);
  return areNumbers(value) ? value : null;
}

/** Undefined where it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function areNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((one) => Number.isFinite(one));
}

/** A whole number from 0 on. */
export function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
