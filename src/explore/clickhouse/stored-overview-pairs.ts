/**
 * Who calls whom over all hosts. A row of a call has the ends of its first hop, and all trunks that it met: one that is at neither
 * end was called from between. A hop that several hosts saw counts once.
 */
import type { Static } from 'typebox';
import type { OverviewPairs } from '../../contract/index.ts';
import type { Steps } from '../../core/turns.ts';
import type { PairEnd, PairSum } from '../../view/overview-pairs.ts';
import { pairsPicture } from '../../view/overview-pairs.ts';
import type { CellSpan } from '../../view/overview-span.ts';
import { MAX_CALL_PAIRS } from '../../watch/overview/call-pairs.ts';
import { COUNT, rowShape, TEXT } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';
import { begun, MINUTE_US, textOf } from './stored-overview-cells.ts';
import { isConfigured } from './stored-trunks.ts';

/** Characters of an end: whoever may insert can write long ones. @cap */
const HUB_END_CHARS = 256;
/** Trunks of a call: as many as an agent ships. */
const TRUNKS = 16;

const PAIR_ROW = rowShape({
  ...{ from_name: TEXT, from_trunk: COUNT, from_own: COUNT },
  ...{ to_name: TEXT, to_trunk: COUNT, to_own: COUNT },
  ...{ attempts: COUNT, answered: COUNT, all_attempts: COUNT, all_answered: COUNT },
});
type PairRow = Static<typeof PAIR_ROW>;

/** Of whole hours. Rejects with a refusal. */
export async function pairsOf(reader: StoreReader, hours: CellSpan): Promise<OverviewPairs> {
  const rows = await pairRows(reader, hours);
  return { from: textOf(hours.from), to: textOf(hours.to), ...(await reader.inTurns(pictureSteps(rows))) };
}

/** A step a pair. */
function* pictureSteps(rows: readonly PairRow[]): Steps<Pick<OverviewPairs, 'nodes' | 'edges'>> {
  const pairs: PairSum[] = [];
  const others = { attempts: rows[0]?.all_attempts ?? 0, answered: rows[0]?.all_answered ?? 0 };
  for (const row of rows) {
    const { attempts, answered } = row;
    others.attempts -= attempts;
    others.answered -= answered;
    const [from, to] = [
      endOf(row.from_name, row.from_trunk, row.from_own),
      endOf(row.to_name, row.to_trunk, row.to_own),
    ];
    pairs.push({ from, to, attempts, answered });
    yield;
  }
  return pairsPicture(pairs, others);
}

function endOf(name: string, is_trunk: number, is_own: number): PairEnd {
  // What is called a trunk may be one by its address.
  const isTrunk = is_trunk === 1 && isConfigured(name);
  return { name, isTrunk, isOwn: !isTrunk && is_own === 1 };
}

/**
 * The busiest pairs, each with the sums of all. An end that no agent calls a trunk is its own side's where the agent knows trunks. Of
 * several trunks that were tried the last one answered.
 */
function pairRows(reader: StoreReader, { from, to }: CellSpan): Promise<PairRow[]> {
  const parameters = new SqlParameters();
  return reader.rows(
    PAIR_ROW,
    `SELECT from_name, max(hop.1.2) AS from_trunk, max(hop.1.3) AS from_own, to_name, max(hop.2.2) AS to_trunk,
       max(hop.2.3) AS to_own, uniqExactMerge(calls) AS attempts, uniqExactMergeIf(answers, hop.3) AS answered,
       sum(attempts) OVER () AS all_attempts, sum(answered) OVER () AS all_answered
     FROM (
       SELECT calls, answers, arrayFilter(x -> x != caller AND x != called, trunks) AS others,
         notEmpty(trunks) AS is_known, is_known AND caller = '' AND called != '' AS is_tried,
         (if(caller = '', src, caller), caller != '', is_known AND caller = '') AS source,
         (if(called = '', dst, called), called != '', is_known AND called = '') AS target,
         arrayConcat([(source, target, NOT is_tried OR empty(others))],
           arrayMap((x, i) -> (if(is_tried, source, target), (x, true, false), i = length(others)), others, arrayEnumerate(others))) AS hops
       FROM (
         SELECT left(src_host, ${HUB_END_CHARS}) AS src, left(dst_host, ${HUB_END_CHARS}) AS dst,
           left(trunk_in, ${HUB_END_CHARS}) AS caller, left(trunk_out, ${HUB_END_CHARS}) AS called,
           arrayMap(x -> left(x, ${HUB_END_CHARS}), arraySlice(trunks, 1, ${TRUNKS})) AS trunks,
           uniqExactState(call_hash) AS calls, uniqExactStateIf(call_hash, code BETWEEN 200 AND 299) AS answers
         FROM calls FINAL WHERE ${begun(from * MINUTE_US, to * MINUTE_US, parameters)} GROUP BY src, dst, caller, called, trunks
       )
     )
     ARRAY JOIN hops AS hop, hops.1.1 AS from_name, hops.2.1 AS to_name
     GROUP BY from_name, to_name ORDER BY attempts DESC, from_name, to_name LIMIT ${MAX_CALL_PAIRS}`,
    parameters,
    MAX_CALL_PAIRS,
  );
}
