/**
 * Run in a host of the lab: hands HEP on as a sender whose clock is off, or sends what it is given.
 *
 *     hep-relay.js FROM TO FILE     datagrams to 127.0.0.1:FROM go to 127.0.0.1:TO, ahead by as many seconds as FILE says,
 *                                   and by one in a thousand of the time it has run
 *     hep-relay.js send TO ADDRESS  hexadecimal lines of standard input go to 127.0.0.1:TO, from ADDRESS
 */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

const SECONDS = 9;
const MICROSECONDS = 10;

/** The packet with its stamp moved. */
function moved(packet: Buffer, aheadUs: number): Buffer {
  const at = new Map<number, number>();
  for (let p = 6; p + 6 <= packet.length; p += Math.max(6, packet.readUInt16BE(p + 4)))
    at.set(packet.readUInt16BE(p + 2), p + 6);
  const [seconds, micros] = [at.get(SECONDS) ?? 0, at.get(MICROSECONDS) ?? 0];
  const us = packet.readUInt32BE(seconds) * 1e6 + packet.readUInt32BE(micros) + Math.round(aheadUs);
  packet.writeUInt32BE(Math.floor(us / 1e6), seconds);
  packet.writeUInt32BE(us % 1e6, micros);
  return packet;
}

const [from = '', to = '', file = ''] = process.argv.slice(2);
const socket = createSocket('udp4');
if (from === 'send') {
  socket.bind(0, file);
  for await (const line of createInterface({ input: process.stdin })) {
    socket.send(Buffer.from(line, 'hex'), Number(to), '127.0.0.1');
    await wait(1);
  }
  socket.close();
} else {
  const startMs = performance.now();
  socket.bind(Number(from), '127.0.0.1');
  socket.on('message', (packet) => {
    const aheadUs = Number(readFileSync(file, 'latin1')) * 1e6 + (performance.now() - startMs);
    socket.send(moved(packet, aheadUs), Number(to), '127.0.0.1');
  });
}
