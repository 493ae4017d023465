/** How a span of time becomes a question of the overview, and that becomes parameters again. */
import type { AskOverviewQuery } from '../contract/index.ts';
import { OVERVIEW_MINUTES } from '../core/overview-words.ts';
import { timestampText } from '../core/timestamp.ts';
import type { Given, ParametersRead } from './question-row.ts';
import { Cannot } from './refusal.ts';

const MINUTE_MS = 60_000;

export const ofSpan = {
  read: (given: Given): ParametersRead<[asked: AskOverviewQuery]> => ({ asked: [readSpan(given)] }),
  write: ([asked]: [asked: AskOverviewQuery]): Given => asked,
};

/** Throws Cannot where the span is none. */
function readSpan({ minutes, since, until, by }: Given): AskOverviewQuery {
  const coloured = by === undefined ? {} : { by };
  if (since === undefined && until === undefined) return minutes === undefined ? coloured : { minutes, ...coloured };
  const [fromMs, toMs] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
  if (since === undefined || until === undefined) throw wrong('since and until: give both, or minutes alone.');
  if (Number.isNaN(fromMs)) throw noTime('since');
  if (Number.isNaN(toMs)) throw noTime('until');
  if (toMs <= fromMs) throw wrong('until: give a time that is later than since.');
  if (toMs - fromMs > OVERVIEW_MINUTES * MINUTE_MS)
    throw wrong(`since: ask for ${OVERVIEW_MINUTES / 60} hours at most.`);
  return { since: timestampText(fromMs * 1000), until: timestampText(toMs * 1000), ...coloured };
}

/** A plus in an address is a blank: an offset is the usual mistake. */
function noTime(name: string): Cannot {
  return wrong(`${name}: it is not a time; write one such as 2026-11-22T02:00:00Z, and %2B for the plus of an offset.`);
}

function wrong(text: string): Cannot {
  return new Cannot('invalid-parameter', text);
}
