/**
 * Who waits on a port, by the kernel's tables of sockets. A row names both ends of a connection and stays for a minute
 * after its end, so a port that stands in the table is not yet a program that answers there.
 */

/** The states of /proc/net in which nobody is at the other end: TCP_LISTEN, and TCP_CLOSE as UDP has it. */
const WAITING = { tcp: '0A', udp: '07' } as const;

/** `/proc/net/tcp` and `/proc/net/udp`, of one family or of both behind one another. */
export type SocketTable = { readonly transport: 'tcp' | 'udp'; readonly text: string };

/** How many sockets wait on a port, for anybody; at one IPv4 address alone when it is given. */
export function waitingAt({ transport, text }: SocketTable, port: number, address?: string): number {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const local = `${address === undefined ? '[0-9A-F]+' : inMemory(address)}:${hex}`;
  return text.match(new RegExp(`^ *\\d+: ${local} 0+:0000 ${WAITING[transport]} `, 'gm'))?.length ?? 0;
}

/** An IPv4 address as the tables write it: a word of a little-endian machine. */
function inMemory(address: string): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).toUpperCase().padStart(2, '0'));
  return bytes.reverse().join('');
}
