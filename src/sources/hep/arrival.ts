/** Both ends of a connection in the form of a packet, which every HEP packet of it arrived between. */

import type { Socket } from 'node:net';
import { parseIpv4, parseIpv6 } from '../../core/ip.ts';
import { ORIGINS, TRANSPORT } from '../../core/words.ts';
import { hostClock } from '../host-clock.ts';
import { emptyPacket, type Packet } from '../packet.ts';

/** Both ends of a connection; null when it is gone already. An IPv4-mapped address is the IPv4 address it maps. */
export function arrivalOf(socket: Socket): Packet | null {
  const src = addressBytes(socket.remoteAddress);
  const dst = addressBytes(socket.localAddress);
  if (src === null || dst === null) return null;
  const arrival = emptyPacket();
  arrival.addresses.set(src.bytes, arrival.srcOff);
  arrival.addresses.set(dst.bytes, arrival.dstOff);
  arrival.tsUs = hostClock.nowUs();
  arrival.origin = ORIGINS.indexOf('hep');
  arrival.transport = TRANSPORT.TCP;
  arrival.ipVersion = src.version;
  arrival.srcPort = socket.remotePort ?? 0;
  arrival.dstPort = socket.localPort ?? 0;
  return arrival;
}

function addressBytes(text: string | undefined): { readonly version: 4 | 6; readonly bytes: Uint8Array } | null {
  if (text === undefined) return null;
  const bytes = new Uint8Array(16);
  const four = parseIpv4(text.startsWith('::ffff:') ? text.slice(7) : text);
  if (four >= 0) {
    new DataView(bytes.buffer).setUint32(0, four);
    return { version: 4, bytes };
  }
  const six = parseIpv6(text);
  if (six === null) return null;
  bytes.set(six);
  return { version: 6, bytes };
}
