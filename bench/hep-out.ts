/**
 * What the HEP mirror costs the main thread a message: npm run bench -- hep-out [udp|tcp].
 *
 * The collector is another process. Processor time of the main thread, not of the threads that send; messages of 620 bytes,
 * 100 a turn of the event loop.
 */
import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { HepOut } from '../src/actions/hep-out/hep-out.ts';
import { NO_DSCP } from '../src/sources/packet.ts';
import { threadClock } from './thread-clock.ts';

const MESSAGES = 40_000;
const A_TURN = 100;
const ROUNDS = 6;

/** Both transports on one port; what comes is thrown away. */
function collect(): void {
  const server = createServer((socket) => socket.resume());
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    createSocket('udp4').bind(address.port, '127.0.0.1', () => process.send?.(address.port));
  });
}

async function measure(transport: 'udp' | 'tcp'): Promise<void> {
  const cpuMs = threadClock();
  const collector = fork(import.meta.filename, ['collect']);
  const port = await new Promise<number>((resolve) => collector.once('message', (said) => resolve(Number(said))));
  const collectors = [{ transport, host: '127.0.0.1', port }];
  const out = new HepOut({ collectors, failsOver: false, tls: {}, agentId: 1, nodeName: 'bench' });
  await out.start();
  const message = Buffer.alloc(620, 'INVITE ');
  const carrier = {
    ...{ tsUs: 1_700_000_000_000_000, origin: 0, ipVersion: 4, addresses: new Uint8Array(32) },
    ...{ srcOff: 0, dstOff: 16, srcPort: 5060, dstPort: 5060, vlan: 0, dscp: NO_DSCP, tcpFlags: 0 },
  };
  for (let round = 0; round < ROUNDS; round++) {
    const before = cpuMs();
    for (let i = 0; i < MESSAGES; i += A_TURN) {
      for (let k = 0; k < A_TURN; k++) out.mirrorSip(message, 0, message.length, carrier, 17);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await out.drain(10_000);
    const us = ((cpuMs() - before) * 1000) / MESSAGES;
    const [sent, dropped] = [out.counters.get('sent'), out.counters.get('queueFull')];
    process.stdout.write(
      `${transport} ${us.toFixed(2)} us of the main thread a message; sent ${sent}, dropped ${dropped}\n`,
    );
  }
  out.close();
  collector.kill();
}

const [, , what = 'tcp'] = process.argv;
if (what === 'collect') collect();
else await measure(what === 'udp' ? 'udp' : 'tcp');
