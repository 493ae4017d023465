/** The network interfaces of this host. */
import { readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

export type Interface = { readonly name: string; readonly isUp: boolean; readonly addresses: readonly string[] };

export function readInterfaces(): Interface[] {
  const addresses = networkInterfaces();
  try {
    return readdirSync('/sys/class/net').flatMap((name) => {
      const state = stateOf(name);
      const own = (addresses[name] ?? []).map(({ address }) => address);
      // Loopback and some tunnels do not tell.
      return state === '' ? [] : [{ name, isUp: state === 'up' || state === 'unknown', addresses: own }];
    });
  } catch {
    return [];
  }
}

/** Empty for what is no interface. */
function stateOf(name: string): string {
  try {
    return readFileSync(`/sys/class/net/${name}/operstate`, 'latin1').trim();
  } catch {
    return '';
  }
}
