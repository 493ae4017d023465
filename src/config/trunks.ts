/**
 * The trunks that the options name, our own side (what `--trunk-local` names, and of a live capture this host), and the peers that
 * no detection reports.
 */
import { networkInterfaces } from 'node:os';
import type { Cidr } from '../core/cidr.ts';
import { parseCidr } from '../core/cidr.ts';
import { failure } from '../core/errors.ts';
import type { Result } from '../core/result.ts';
import type { TrunkBoundName, TrunkBounds } from '../core/trunk-bounds.ts';
import { readTrunkBound } from '../core/trunk-bounds.ts';
import type { TrunkPlace, Trunks } from '../core/trunks.ts';
import { readLocal, readTrunkPlace, trunksOf } from '../core/trunks.ts';
import type { Config } from './config.ts';
import { oneLine } from './option-value.ts';

/** Throws TRUNK_INVALID. `isHere`: this host's addresses are our own side's. */
export function trunksOfConfig({ trunk, trunkLocal }: Pick<Config, 'trunk' | 'trunkLocal'>, isHere: boolean): Trunks {
  const places = trunk.map((text): TrunkPlace => {
    const equal = text.indexOf('=');
    return read(`--trunk ${text}`, readTrunkPlace(text.slice(0, Math.max(0, equal)), text.slice(equal + 1)));
  });
  const local = trunkLocal.map((text) => read(`--trunk-local ${text}`, readLocal(text)));
  return read('--trunk', trunksOf(places, local, isHere ? hostAddresses() : []));
}

/** Throws TRUNK_BOUND_INVALID. */
export function trunkBoundsOf(
  config: Pick<Config, 'trunkNer' | 'trunkMos' | 'trunkPdd' | 'trunkRegistrations'>,
): TrunkBounds {
  const bound = (name: TrunkBoundName, text: string): TrunkBounds[typeof name] => {
    const found = readTrunkBound(name, text.trim());
    if (found.ok) return found.value;
    throw failure('TRUNK_BOUND_INVALID', {
      option: `--trunk-${name} ${oneLine(text.slice(0, 60))}`,
      reason: found.reason,
    });
  };
  return {
    ner: bound('ner', config.trunkNer),
    mos: bound('mos', config.trunkMos),
    pdd: bound('pdd', config.trunkPdd),
    registrations: bound('registrations', config.trunkRegistrations),
  };
}

/** Networks of `--security-peer`: each a network, or the name of a trunk. Throws SECURITY_PEER_INVALID, TRUNK_INVALID. */
export function securityPeersOf(config: Pick<Config, 'securityPeer' | 'trunk' | 'trunkLocal'>): Cidr[] {
  const trunks = trunksOfConfig(config, false);
  return config.securityPeer.flatMap((text) => {
    const name = text.trim();
    const net = parseCidr(name);
    if (net.ok) return [net.value];
    const ofTrunk = trunks.networksOf(name);
    if (ofTrunk.length > 0) return ofTrunk;
    const reason = trunks.names.includes(name) ? 'a trunk without an address or network' : net.reason;
    throw failure('SECURITY_PEER_INVALID', { network: oneLine(text.slice(0, 60)), reason });
  });
}

function hostAddresses(): Cidr[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.flatMap(({ address }) => {
    const net = readLocal(address.replace(/%.*/, ''));
    return net.ok ? [net.value] : [];
  });
}

function read<T>(option: string, found: Result<T, string>): T {
  if (!found.ok) throw failure('TRUNK_INVALID', { option: oneLine(option.slice(0, 80)), reason: found.reason });
  return found.value;
}
