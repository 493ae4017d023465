/** What an overview says of a row of a call that went wrong. */
import type { OverviewTrouble } from '../../contract/index.ts';
import { timestampText, usOf } from '../../core/timestamp.ts';
import { explanationIn } from '../clickhouse/stored-document.ts';

/** Who is busy or declines is not in trouble, and notes only explain. */
export const NO_TROUBLE = ['refused-by-callee', 'note'] as const;

type TroubleRow = Readonly<
  Record<'call_id' | 'created_at' | 'from_user' | 'to_user' | 'state' | 'explanation', string>
> & { readonly hints: string[] };

/** Null for a call that is in no trouble. */
export function troubleOfRow(row: TroubleRow): OverviewTrouble | null {
  const [first] = explanationIn(row);
  const [cause] = first?.texts ?? [];
  if (first === undefined || cause === undefined || NO_TROUBLE.some((finding) => finding === first.finding))
    return null;
  return {
    call_id: row.call_id,
    at: timestampText(usOf(row.created_at)),
    from: row.from_user,
    to: row.to_user,
    state: row.state,
    cause,
  };
}
