/** The overview over all hosts, of the calls and minutes that agents ship. */
import type { AskOverview, AskOverviewQuery } from '../../contract/index.ts';
import type { Asking } from './filter-sql.ts';
import type { StoreReader } from './store-reader.ts';

/** Rejects with a refusal. */
export async function overviewOf(
  _reader: StoreReader,
  _asking: Asking,
  _asked: AskOverviewQuery,
): Promise<AskOverview> {
  throw new Error('not built yet');
}
