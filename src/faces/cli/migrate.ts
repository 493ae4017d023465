/** `calltap hub --migrate`: makes the tables of a store and says in one line what it made. */
import type { Config } from '../../config/config.ts';
import { counted } from '../../core/counted.ts';
import { failure } from '../../core/errors.ts';
import { type Migrated, migrate } from '../../explore/clickhouse/migrate.ts';
import { storeOf } from '../../explore/clickhouse/place.ts';
import { RemoteFailure } from '../../net/failures.ts';

/** The exit code. Throws ServiceError. */
export async function runMigrate(config: Config): Promise<number> {
  const { place, login } = storeOf(config);
  try {
    const made = await migrate(place, login, config.cluster);
    process.stdout.write(`calltap: the store at ${place.url} has schema ${made.schema}: ${whatIsNew(made)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    throw failure('CONNECT_FAILED', { option: '--store', url: place.url, reason: error.message, remedy: error.remedy });
  }
}

function whatIsNew({ tables, columns }: Migrated): string {
  const parts = [
    ...(tables > 0 ? [`${counted(tables, 'table')} made`] : []),
    ...(columns > 0 ? [`${counted(columns, 'column')} added`] : []),
  ];
  return parts.length === 0 ? 'nothing is missing' : parts.join(', ');
}
