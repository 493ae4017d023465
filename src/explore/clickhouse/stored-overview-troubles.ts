/** The newest calls of a span that went wrong, over all hosts, each with the sentence that its agent says first. */
import type { OverviewTrouble } from '../../contract/index.ts';
import type { CellSpan } from '../../view/overview-span.ts';
import { OVERVIEW_TROUBLES } from '../../view/overview-troubles.ts';
import { NO_TROUBLE, troubleOfRow } from '../stored/trouble-of-row.ts';
import { KEY } from './parts.ts';
import { rowShape, TEXT, TEXTS, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';
import { begun, ENDED, MINUTE_US } from './stored-overview-cells.ts';

const TROUBLE_ROW = rowShape({
  call_id: TEXT,
  created_at: TIME,
  from_user: TEXT,
  to_user: TEXT,
  state: TEXT,
  explanation: TEXT,
  hints: TEXTS,
});
/** Some of them may say nothing that can be read. */
const ROWS = 3 * OVERVIEW_TROUBLES;

/** Of each call the first part that says something. Rejects with a refusal. */
export async function troublesOf(reader: StoreReader, { from, to }: CellSpan): Promise<OverviewTrouble[]> {
  const parameters = new SqlParameters();
  const isWrong = NO_TROUBLE.map((finding) => `NOT startsWith(explanation, '[{"finding":"${finding}"')`).join(' AND ');
  const newest = `SELECT argMin((${KEY}), created_at) FROM calls FINAL
    WHERE ${begun(from * MINUTE_US, to * MINUTE_US, parameters)} AND state IN ${ENDED} AND explanation != '' AND ${isWrong}
    GROUP BY call_hash ORDER BY min(created_at) DESC LIMIT ${ROWS}`;
  const rows = await reader.rows(
    TROUBLE_ROW,
    `SELECT ${Object.keys(TROUBLE_ROW.properties).join(', ')} FROM calls FINAL WHERE (${KEY}) IN (${newest})
     ORDER BY created_at DESC, host, boot, number LIMIT ${ROWS}`,
    parameters,
    ROWS,
  );
  return rows.flatMap((row) => troubleOfRow(row) ?? []).slice(0, OVERVIEW_TROUBLES);
}
