/**
 * Where a store is, and who may log in there: a database of a ClickHouse, over https with the certificate checked, or over http.
 * A password goes over http to this host alone; the address that is connected to decides.
 */
import type { LookupFunction } from 'node:net';
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

/** Resolves names to addresses that the password may go to. Throws RemoteFailure for an address that it may not. */
export function storeLookup(place: StorePlace, { password, ca }: StoreLogin): LookupFunction {
  const key = password === null ? null : { text: password, word: 'password', isLocal: false };
  const target = { ...place, key, keyHint: '', ca };
  const refused = refusedAddress(target);
  if (refused !== null) throw refused;
  return guardedLookup(target);
}
