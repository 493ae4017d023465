/**
 * Where a store is, and who may log in there: a database of a ClickHouse, over https with the certificate checked, or over http.
 * A password goes over http to this host alone; the address that is connected to decides.
 */
import type { LookupFunction } from 'node:net';
import type { Config } from '../../config/config.ts';
import { oneLine } from '../../config/option-value.ts';
import { readCertificate, readSecret } from '../../config/text-file.ts';
import { failure } from '../../core/errors.ts';
import { guardedLookup, type Place, readPlace, refusedAddress } from '../../net/target.ts';

export type StorePlace = Place & { readonly database: string };

export type StoreLogin = {
  readonly user: string | null;
  readonly password: string | null;
  /** A CA in PEM that is trusted besides those of Node. */
  readonly ca: string | null;
};

const DATABASE = 'calltap';

type Options = Pick<Config, 'store' | 'storeUser' | 'storePasswordFile' | 'storeCa'>;

/** What the options name, with their files read. Throws ServiceError. */
export function storeOf({ store, storeUser: user, storePasswordFile: file, storeCa: ca }: Options): {
  readonly place: StorePlace;
  readonly login: StoreLogin;
} {
  const written = store ?? '';
  const place = readStore(written);
  if ('reason' in place) {
    const remedy = 'give http://127.0.0.1:8123/calltap or https://HOST:8443/calltap';
    const shown = oneLine(written.replace(/\/\/[^@/]*@/, '//…@'));
    throw failure('OPTION_CONFLICT', { option: `--store ${shown}`, reason: place.reason, remedy });
  }
  const password = file === null ? null : readSecret('--store-password-file', file, 'the password');
  return { place, login: { user, password, ca: ca === null ? null : readCertificate('--store-ca', ca) } };
}

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
