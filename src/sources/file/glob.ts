/**
 * Patterns that a shell left to the program: quoted, or in a unit or a configuration file. `*`, `?` and `[a-z]`, `[!a-z]`
 * within a name, as in glob(7). A name that begins with a dot needs a dot in the pattern.
 *
 * Matching goes back to the last `*` alone, so it takes at most the product of both lengths.
 */

import { existsSync, readdirSync } from 'node:fs';

/** Capture files of one run, those of folders and patterns included; some 500 bytes each. @cap */
export const MAX_INPUT_FILES = 16_384;

const MAGIC = /[*?[]/;

/** True for a word that may be a pattern. */
export function isPattern(word: string): boolean {
  return MAGIC.test(word);
}

/** What the pattern names, in order of name; at most one more than a run can read. */
export function expandPattern(pattern: string): string[] {
  const segments = pattern.split('/').filter((segment) => segment !== '');
  let found = [pattern.startsWith('/') ? '/' : ''];
  for (const segment of segments) {
    found = found.flatMap((base) => under(base, segment)).slice(0, MAX_INPUT_FILES + 1);
  }
  return found;
}

/** The paths below `base` that one segment names. */
function under(base: string, segment: string): string[] {
  const place = base === '' || base.endsWith('/') ? base : `${base}/`;
  if (!isPattern(segment)) return existsSync(place + segment) ? [place + segment] : [];
  const matches = compileGlob(segment);
  return namesIn(place === '' ? '.' : place)
    .filter((name) => (segment.startsWith('.') || !name.startsWith('.')) && matches(name))
    .sort()
    .map((name) => place + name);
}

/** A shell passes over what it cannot list, too. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** One character of a name: any, one of a set, or `*` for any number of them. */
type Token = '*' | ((character: string) => boolean);

/** The pattern of one name. */
export function compileGlob(pattern: string): (name: string) => boolean {
  const tokens = [...tokensOf([...pattern])];
  return (name) => matches(tokens, [...name]);
}

function* tokensOf(pattern: readonly string[]): Generator<Token> {
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i] ?? '';
    // A bracket right after the opening one, or after the `!`, is a member.
    const from = i + (pattern[i + 1] === '!' || pattern[i + 1] === '^' ? 2 : 1);
    const end = c === '[' ? pattern.indexOf(']', from + 1) : -1;
    if (end >= 0) {
      yield setOf(pattern.slice(from, end), from === i + 2);
      i = end;
    } else if (c === '*') yield '*';
    else yield c === '?' ? () => true : (other) => other === c;
  }
}

function setOf(members: readonly string[], isNegated: boolean): Token {
  const ranges: (readonly [number, number])[] = [];
  for (let i = 0; i < members.length; i++) {
    const isRange = members[i + 1] === '-' && i + 2 < members.length;
    ranges.push([codeOf(members[i]), codeOf(members[isRange ? i + 2 : i])]);
    if (isRange) i += 2;
  }
  return (character) => {
    const code = codeOf(character);
    return ranges.some(([from, to]) => code >= from && code <= to) !== isNegated;
  };
}

function codeOf(character: string | undefined): number {
  return character?.codePointAt(0) ?? -1;
}

function matches(tokens: readonly Token[], name: readonly string[]): boolean {
  let [token, at, star, starAt] = [0, 0, -1, 0];
  while (at < name.length) {
    const here = tokens[token];
    if (here === '*') {
      star = token++;
      starAt = at;
    } else if (here?.(name[at] ?? '') === true) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else return false;
  }
  return tokens.slice(token).every((each) => each === '*');
}
