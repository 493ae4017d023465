/** What `refused` behind a line adds: the host that is meant says by ICMP that nobody listens there. */
import type { IpPacket } from '../../../fixtures/build/capture.ts';
import { icmpError } from '../../../fixtures/build/icmp.ts';
import { isV6, udpPacket } from '../../../fixtures/build/packet.ts';
import type { Datagram } from '../../../fixtures/build/rtp.ts';
import type { Cut } from './fragmented.ts';

/** A datagram of a scene. */
export type Seen = Datagram & { readonly isRefused?: boolean; readonly cut?: Cut | null };

const DELAY_US = 400;
/** A host sends one error a second to one other. */
const PAUSE_US = 1_000_000;

export function refusals(seen: readonly Seen[]): IpPacket[] {
  const lastUs = new Map<string, number>();
  const errors: IpPacket[] = [];
  for (const { src, dst, bytes, tsUs } of seen.filter(({ isRefused }) => isRefused === true)) {
    const way = `${src.address} ${dst.address}`;
    if (tsUs - (lastUs.get(way) ?? Number.NEGATIVE_INFINITY) < PAUSE_US) continue;
    lastUs.set(way, tsUs);
    const [type, code] = isV6(dst.address) ? [1, 4] : [3, 3];
    const error = { from: dst.address, to: src.address, type, code, packet: udpPacket(src, dst, bytes) };
    errors.push({ tsUs: tsUs + DELAY_US, bytes: icmpError(error) });
  }
  return errors;
}
