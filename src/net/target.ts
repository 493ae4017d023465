/**
 * Where a running service answers, and which key may go there: over http to this host alone, elsewhere over https with the
 * certificate checked. The address that is connected to decides, not the name.
 */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopback } from '../core/bind.ts';
import { RemoteFailure } from './failures.ts';

export type Key = {
  readonly text: string;
  /** What messages call it; a key without. */
  readonly word?: string;
  /** It is that of this host's service, and for no other one. */
  readonly isLocal: boolean;
};

export type Target = {
  /** Without a slash at its end. */
  readonly url: string;
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** What stands before `/ask`; '' for nothing. */
  readonly path: string;
  readonly key: Key | null;
  /** How somebody gets a key where the service asks for one, or for another one. */
  readonly keyHint: string;
  /** A CA in PEM that is trusted besides those of Node. */
  readonly ca: string | null;
  /** Over http it is this host's end of a tunnel, or nothing: with and without a key. */
  readonly isTunnel?: true;
};

export type Place = Pick<Target, 'url' | 'isTls' | 'host' | 'port' | 'path'>;

/** Reads `http://host:port`, `https://host` or `host:port`; why it cannot be one otherwise. */
export function readPlace(text: string): Place | { readonly reason: string } {
  const isWhole = text.includes('://');
  const written = isWhole ? text : `http://${text}`;
  if (!URL.canParse(written) || (!isWhole && /[/?#]/.test(text))) return { reason: 'it is not a URL' };
  const url = new URL(written);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { reason: 'it begins with neither http nor https' };
  if (url.username !== '' || url.password !== '') return { reason: 'a user and a password do not belong there' };
  if (url.search !== '' || url.hash !== '') return { reason: 'it ends with a query or a fragment' };
  const isTls = url.protocol === 'https:';
  const path = url.pathname.replace(/\/+$/, '');
  return {
    url: `${url.origin}${path}`,
    isTls,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path,
  };
}

/** Whether each address of a host is this host's own; false where it has none. */
export async function isThisHost(host: string): Promise<boolean> {
  const found = await new Promise<readonly LookupAddress[]>((resolve) =>
    lookup(host, { all: true }, (error, addresses) => resolve(error === null ? addresses : [])),
  );
  return found.length > 0 && found.every(({ address }) => isLoopback(address));
}

/** Whether the key, and the question, may go to this address. */
function mayGo({ isTls, key, isTunnel }: Target, address: string): boolean {
  if (isLoopback(address)) return true;
  return isTls ? key?.isLocal !== true : key === null && isTunnel !== true;
}

function keyStays({ key }: Target, address: string): RemoteFailure {
  return new RemoteFailure(
    'lost',
    `the ${key === null ? 'question' : (key.word ?? 'key')} would go over http to ${address}, which is not this host`,
    'write https://, or tunnel the port (ssh -L) and connect to 127.0.0.1',
  );
}

/** Null where an address that is written out may be connected to; names are looked at when they are resolved. */
export function refusedAddress(target: Target): RemoteFailure | null {
  return isIP(target.host) === 0 || mayGo(target, target.host) ? null : keyStays(target, target.host);
}

/** Resolves names to addresses that the key may go to, and to no others. */
export function guardedLookup(target: Target): LookupFunction {
  return (name, options, done) =>
    lookup(name, { ...options, all: true, order: 'ipv4first' }, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      const [first, ...others] = addresses.filter(({ address }) => mayGo(target, address));
      if (first === undefined) return done(keyStays(target, addresses[0]?.address ?? name), '', 0);
      if (options.all === true) return done(null, [first, ...others]);
      done(null, first.address, first.family);
    });
}
