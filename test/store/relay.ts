/**
 * Joins a network namespace to what is outside of it, as a tunnel does: files are the same in both. Each end is a port of the
 * loopback or the path of a Unix socket.
 *
 *     node relay.js FROM TO [FROM TO]...
 */
import type { Server, Socket } from 'node:net';
import { createConnection, createServer } from 'node:net';

/** Takes connections at `from`; each gets one of its own to `to`, and both end together. */
export function relay(from: string, to: string): Server {
  return createServer((near) => {
    const far = createConnection(endOf(to));
    join(near, far);
    join(far, near);
  }).listen(endOf(from));
}

function join(one: Socket, other: Socket): void {
  one.pipe(other);
  // Who is killed breaks its connections; 'close' comes after it.
  one.on('error', () => undefined);
  one.on('close', () => other.destroy());
}

function endOf(text: string): { path: string } | { port: number; host: string } {
  return text.includes('/') ? { path: text } : { port: Number(text), host: '127.0.0.1' };
}

const ends = process.argv[1]?.endsWith('relay.js') === true ? process.argv.slice(2) : [];
for (let i = 0; i + 1 < ends.length; i += 2) relay(ends[i] ?? '', ends[i + 1] ?? '');
