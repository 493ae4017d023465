/**
 * Opens the store that --store names.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { ClickHouseClient } from '@clickhouse/client';
import { STORE_TIMEOUT_MS } from '../../core/item-limits.ts';
import { type StoreLogin, type StorePlace, storeLookup } from './place.ts';

/**
 * A client of this database, or of none where that is null. Nothing is connected yet. Rejects with RemoteFailure where the
 * password may not go. Whoever opens closes.
 */
export async function openStore(
  place: StorePlace,
  login: StoreLogin,
  database: string | null,
): Promise<ClickHouseClient> {
  const { user, password, ca } = login;
  const lookup = storeLookup(place, login);
  // Whatever the environment says of it, the certificate is checked.
  const trusted = { rejectUnauthorized: true, ...(ca === null ? {} : { ca: [...rootCertificates, ca] }) };
  const { createClient, ClickHouseLogLevel } = await import('@clickhouse/client');
  return createClient({
    url: new URL(place.url).origin,
    username: user ?? 'default',
    password: password ?? '',
    application: 'calltap',
    ...(database === null ? {} : { database }),
    request_timeout: STORE_TIMEOUT_MS,
    http_agent: place.isTls
      ? new HttpsAgent({ keepAlive: true, lookup, ...trusted })
      : new HttpAgent({ keepAlive: true, lookup }),
    log: { level: ClickHouseLogLevel.OFF },
  });
}
