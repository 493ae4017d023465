/** Who plays in the scenes. A table names each by a letter. */
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import type { Party } from '../../../fixtures/build/sip-call.ts';

/** A proxy passes on what reaches it; every other player is an end of the call. */
export type Player = Party & { readonly isProxy: boolean };

function player(user: string, address: string, port: number, more: Partial<Player> = {}): Player {
  return { user, sip: { address, port: 5060 }, rtp: { address, port }, isProxy: false, ...more };
}

const proxy = (address: string): Player => player('proxy', address, 46_000, { isProxy: true });

export const STAGE: Readonly<Record<string, Player>> = {
  /** Alice calls, Bob is called, Carol and Dave come later or ring as well. */
  A: player('alice', '192.0.2.10', 20_000),
  B: player('bob', '198.51.100.20', 30_000),
  C: player('carol', '203.0.113.30', 40_000),
  D: player('dave', '203.0.113.31', 41_000),
  /** Over IPv6. */
  E: player('alice', '2001:db8:1::10', 20_000),
  F: player('bob', '2001:db8:2::20', 30_000),
  /** Two programs on one host. */
  H: player('alice', '192.0.2.77', 20_000),
  I: { ...player('bob', '192.0.2.77', 30_000), sip: { address: '192.0.2.77', port: 5061 } },
  /** A phone behind a NAT: it knows its private addresses alone. */
  L: {
    ...player('laura', '10.1.2.3', 20_000),
    sip: { address: '192.0.2.99', port: 5060 },
    local: { address: '10.1.2.3', port: 5060 },
  },
  /** What the NAT makes of Laura's media. */
  N: player('nat', '192.0.2.99', 34_567),
  /** Two phones of one office. */
  V: player('vera', '10.9.0.50', 20_000),
  W: player('walter', '10.9.0.5', 30_000),
  P: proxy('203.0.113.5'),
  Q: proxy('203.0.113.6'),
  /** A PBX: an end of every call that it takes part in. */
  X: player('pbx', '203.0.113.42', 42_000),
  /** Relays and servers of media alone. */
  R: player('relay', '203.0.113.7', 45_000),
  M: player('music', '203.0.113.60', 42_000),
  /** A registrar, and a group that many phones listen to. */
  S: player('registrar', '198.51.100.5', 46_000),
  G: player('group', '239.1.2.3', 5004),
};

export function playerOf(letter: string): Player {
  const found = STAGE[letter];
  if (found === undefined) throw new Error(`nobody on the stage is called ${letter}`);
  return found;
}

/** A media socket: `A`, another one of hers `A:20400`, or in full `10.1.2.3:20000`. */
export function socketOf(word: string): Endpoint {
  const [who = '', port] = word.split(':');
  const address = who.includes('.') ? who : playerOf(who).rtp.address;
  return { address, port: port === undefined ? playerOf(who).rtp.port : Number(port) };
}
