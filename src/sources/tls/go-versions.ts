/**
 * Which versions of Go are observed: those that were tried, because where the socket of a connection is found and how
 * arguments are passed is no promise of Go's.
 *
 * `npm run go-versions` tries each, and docs/tls-coverage.md has what it found.
 */

import { BY_HEP } from './unread-tls.ts';

/** The second number of each. */
const TRIED: readonly number[] = [19, 20, 21, 22, 23, 24, 25, 26];

/** Why a version is not observed, with the remedy; null when it is. */
export function whyNotTried(version: string): string | null {
  if (version === '') return `Go before 1.18 was not tried; build it with a newer Go, or ${BY_HEP}`;
  const release = /^go1\.(\d+)(\.\d+)?(?=$|[ -])/.exec(version);
  if (release !== null && TRIED.includes(Number(release[1]))) return null;
  return `${version.slice(0, 24)} was not tried (tried: ${triedVersions()}); build it with one of those, or ${BY_HEP}`;
}

/** In words. */
export function triedVersions(): string {
  return TRIED.map((n) => `1.${n}`).join(', ');
}
