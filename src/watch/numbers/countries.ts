/**
 * The country of a called number: of E.164 by its longest known prefix. A number is in E.164 where it begins with + or 00, and a
 * national one where the country code of our own side is known (`--country-code`).
 */
import { COUNTRY_PREFIXES } from './country-prefixes.ts';

export const UNKNOWN_COUNTRY = 'unknown';
const CODES: readonly string[] = [...Object.keys(COUNTRY_PREFIXES), UNKNOWN_COUNTRY];
export const COUNTRY_VALUES = CODES.length;
const UNKNOWN = CODES.length - 1;

/** Digits of a number of E.164 (ITU-T E.164 section 6): fewer than these are an extension or a service. */
const LEAST_DIGITS = 7;
const MOST_DIGITS = 15;

const BY_PREFIX: ReadonlyMap<string, number> = new Map(
  Object.values(COUNTRY_PREFIXES).flatMap((prefixes, i) => prefixes.split(' ').map((prefix) => [prefix, i] as const)),
);
const LONGEST = Math.max(...[...BY_PREFIX.keys()].map((prefix) => prefix.length));

/** What a person may write between digits (RFC 3966 section 5.1.1), and the parameters after them. */
const SEPARATORS = /[-.() ]/g;
const NUMBER = /^(\+?)([0-9]+)$/;

export function countryName(country: number): string {
  return CODES[country] ?? UNKNOWN_COUNTRY;
}

/** The number of the country of a user part; `countryCode` is that of our own side, null where nobody said it. */
export function countryOf(user: string, countryCode: string | null): number {
  const [, plus = '', digits = ''] = NUMBER.exec((user.split(';', 1)[0] ?? '').replace(SEPARATORS, '')) ?? [];
  const international =
    plus === '+' ? digits : digits.startsWith('00') ? digits.slice(2) : national(digits, countryCode);
  if (international.length < LEAST_DIGITS || international.length > MOST_DIGITS) return UNKNOWN;
  for (let length = Math.min(LONGEST, international.length); length > 0; length--) {
    const found = BY_PREFIX.get(international.slice(0, length));
    if (found !== undefined) return found;
  }
  return UNKNOWN;
}

/** A national number in E.164; '' where it cannot be told. The trunk prefix 0 is not a part of it. */
function national(digits: string, countryCode: string | null): string {
  return countryCode === null || digits === '' ? '' : `${countryCode}${digits.replace(/^0/, '')}`;
}
