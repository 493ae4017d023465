/**
 * Where a store answers, from the text of an option: `https://host:port/database`. A password goes over http to this host alone.
 */
import { isLoopback } from '../core/bind.ts';
import type { ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';

export const DEFAULT_DATABASE = 'calltap';
/** The names that ClickHouse takes without quotes. */
const DATABASE = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export type StoreUrl = { readonly url: URL; readonly database: string };

/** Throws OPTION_CONFLICT for a text that is no such URL. `hasPassword`: a secret goes there. */
export function readStoreUrl(option: string, text: string, hasPassword: boolean): StoreUrl {
  const wrong = (reason: string, remedy: string): ServiceError =>
    failure('OPTION_CONFLICT', { option, reason, remedy });
  const example = 'write https://HOST:8443/DATABASE';
  if (!URL.canParse(text)) throw wrong('it is no URL', example);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw wrong('it begins with neither http nor https', example);
  if (url.username !== '' || url.password !== '')
    throw wrong('a user and a password do not belong there', `give ${option}-user and ${option}-password-file`);
  if (url.search !== '' || url.hash !== '') throw wrong('it ends with a query or a fragment', example);
  const database = url.pathname.replace(/^\/|\/$/g, '') || DEFAULT_DATABASE;
  if (!DATABASE.test(database))
    throw wrong(
      'its path is no name of a database',
      'use letters, digits and _, and no digit first; end what has other paths in front of it',
    );
  if (hasPassword && url.protocol === 'http:' && !isThisHost(url.hostname))
    throw wrong('the password would go over http to another host', 'write https://, or tunnel the port to 127.0.0.1');
  return { url, database };
}

function isThisHost(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}
