/**
 * Opens the store that --store names: a database of a ClickHouse, over https with the certificate checked, or over http. A
 * password goes over http to this host alone.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { ClickHouseClient } from '@clickhouse/client';
import { STORE_TIMEOUT_MS } from '../../core/item-limits.ts';
import { guardedLookup, type Place, readPlace, refusedAddress } from '../remote/target.ts';

export type StorePlace = Place & { readonly database: string };

export type StoreLogin = {
  readonly user: string | null;
  readonly password: string | null;
  /** A CA in PEM that is trusted besides those of Node. */
  readonly ca: string | null;
};

const DATABASE = 'calltap';

/** Reads `http[s]://HOST:PORT[/DATABASE]`; why it cannot be one otherwise. */
export function readStore(text: string): StorePlace | { readonly reason: string } {
  const place = readPlace(text);
  if ('reason' in place) return place;
  const database = place.path === '' ? DATABASE : place.path.slice(1);
  if (!/^\w{1,64}$/.test(database)) return { reason: 'its path is no name of a database' };
  const { origin } = new URL(place.url);
  return { ...place, url: `${origin}/${database}`, path: '', database };
}

/**
 * A client of this database, or of none where that is null. Nothing is connected yet. Rejects with RemoteFailure where the
 * password may not go. Whoever opens closes.
 */
export async function openStore(
  place: StorePlace,
  { user, password, ca }: StoreLogin,
  database: string | null,
): Promise<ClickHouseClient> {
  const key = password === null ? null : { text: password, word: 'password', isLocal: false };
  const target = { ...place, key, keyHint: '', ca };
  const refused = refusedAddress(target);
  if (refused !== null) throw refused;
  const lookup = guardedLookup(target);
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
