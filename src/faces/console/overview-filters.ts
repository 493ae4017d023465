/** The filters behind the marks of the overview: the calls of a cell, of a code in it, of a trunk, between two places. */
import { CALLS_ONLY } from '../../core/call-fields.ts';
import { begunBetween, valueText } from '../../query/write.ts';
import { hashOf } from './route.ts';

/** Times from one until before another. */
export type Between = { readonly from: string; readonly to: string };

/** The calls that began between, and of them those that `rest` chooses. */
export function callsOf(between: Between, rest = ''): string {
  return `${CALLS_ONLY} ${rest === '' ? '' : `${rest} `}${begunBetween(between.from, between.to)}`;
}

export function trunkCalls(trunk: string, between: Between): string {
  return callsOf(between, `trunk=${valueText(trunk)}`);
}

/** The list of what a filter finds, in this order; without one the newest first. */
export function listOf(q: string, sort = ''): string {
  return hashOf('calls', '', { q, sort });
}
