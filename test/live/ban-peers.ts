/**
 * What a banned source and its neighbours send, and who hears it. `hear` listens on the ports of a voice server, UDP and
 * TCP, and prints a line for each text with its source. `talk` takes lines of JSON, sends, and prints what became of it.
 */
import { createSocket } from 'node:dgram';
import { connect, createServer, isIPv6 } from 'node:net';
import { createInterface } from 'node:readline';

/** SIP, SIP over TLS, SIP over WebSocket, RTP. */
export const PORTS = { udp: [5060, 30_000], tcp: [5060, 5061, 8080] } as const;

export type Order = {
  readonly from: string;
  readonly to: string;
  readonly over: 'udp' | 'tcp';
  readonly port: number;
  readonly text: string;
};

function tell(what: string): void {
  process.stdout.write(`${what}\n`);
}

function plain(address: string | undefined): string {
  return (address ?? '').replace('::ffff:', '');
}

function hear(): void {
  for (const port of PORTS.udp) {
    const socket = createSocket('udp6').bind(port, '::');
    socket.on('message', (data, { address }) => tell(`heard ${plain(address)} udp ${port} ${data.toString()}`));
  }
  for (const port of PORTS.tcp) {
    const server = createServer((socket) => {
      const from = plain(socket.remoteAddress);
      createInterface({ input: socket }).on('line', (text) => tell(`heard ${from} tcp ${port} ${text}`));
      socket.on('error', () => undefined);
    });
    server.listen(port, '::');
  }
  tell('ready');
}

/** TCP connections stay: of one that was banned the kernel tries the rest again. */
function talk(): void {
  const connections = new Map<string, ReturnType<typeof connect>>();
  createInterface({ input: process.stdin }).on('line', (line) => {
    const order: Order = JSON.parse(line);
    const { from, to, over, port, text } = order;
    if (over === 'udp') {
      const socket = createSocket(isIPv6(from) ? 'udp6' : 'udp4').bind(0, from);
      socket.send(text, port, to, () => {
        socket.close();
        tell(`sent ${text}`);
      });
      return;
    }
    const key = `${from} ${port}`;
    let socket = connections.get(key);
    if (socket === undefined) {
      socket = connect({ port, host: to, localAddress: from });
      socket.on('error', (error) => tell(`failed ${text}: ${error.message}`));
      connections.set(key, socket);
    }
    socket.write(`${text}\n`);
    tell(`sent ${text}`);
  });
  tell('ready');
}

const [, program, mode] = process.argv;
if (import.meta.filename === program) {
  if (mode === 'hear') hear();
  else talk();
}
