/** What `parts` and `lone` behind a message do: it leaves in fragments of IP, and of `lone` the first alone comes by. */
import type { IpPacket } from '../../../fixtures/build/capture.ts';
import { fragments, isV6, udpPacket, withFragmentId } from '../../../fixtures/build/packet.ts';
import type { Seen } from './refusal.ts';

export type Cut = 'parts' | 'lone';

/** Room for all headers that tell a message from others, and not for its body. */
const FRAGMENT_BYTES = 480;
const FIRST_ID = 40_000;
const APART_US = 5;

export function fragmented(seen: readonly Seen[]): IpPacket[] {
  return seen
    .filter(({ cut = null }) => cut !== null)
    .flatMap(({ src, dst, bytes, tsUs, cut }, i) => {
      const all = fragments(udpPacket(src, dst, bytes, { id: FIRST_ID + i }), FRAGMENT_BYTES);
      if (all.length < 2) throw new Error('a message that fits one fragment');
      const own = isV6(src.address) ? withFragmentId(all, FIRST_ID + i) : all;
      return (cut === 'lone' ? own.slice(0, 1) : own).map((part, k) => ({ tsUs: tsUs + k * APART_US, bytes: part }));
    });
}
