/** The screen from which one came to a call: the way back leads there. */
import { hashOf, routeOf } from './route.ts';
import { shown } from './words.ts';

export const SCREENS: readonly (readonly [screen: string, title: string])[] = [
  ['overview', 'Overview'],
  ['calls', 'Calls'],
  ['findings', 'Findings'],
  ['streams', 'Streams'],
  ['trunks', 'Trunks'],
  ['registrations', 'Registrations'],
  ['security', 'Security'],
  ['health', 'Health'],
];

/** These belong to the list. */
export const OF_CALLS: readonly string[] = ['call', 'compare'];

/** Characters of a filter in the words of the way back. */
const FILTER_CHARS = 40;

let left = hashOf('calls');

/** Called for each address that the page shows. */
export function noteScreen(hash: string): void {
  if (!OF_CALLS.includes(routeOf(hash).screen)) left = hash === '' ? hashOf('overview') : hash;
}

export function wayBack(): { readonly hash: string; readonly title: string } {
  const { screen, query } = routeOf(left);
  const title = SCREENS.find(([name]) => name === screen)?.[1] ?? 'Calls';
  const q = query.get('q') ?? '';
  const filter = q.length > FILTER_CHARS ? `${q.slice(0, FILTER_CHARS)}\u2026` : q;
  return { hash: left, title: filter === '' ? title : `${title}: ${shown(filter)}` };
}
