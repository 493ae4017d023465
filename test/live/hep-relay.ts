/**
 * Run in a host of the lab: hands HEP on as a sender whose clock is off, or sends what it is given.
 *
 *     hep-relay.js FROM TO FILE     datagrams to 127.0.0.1:FROM go to 127.0.0.1:TO, ahead by as many seconds as FILE says,
 *                                   and by one in a thousand of the time it has run
 *     hep-relay.js send             lines of standard input, each `FROM TO HEX`, are sent from one address:port to another
 */
import { createSocket, type Socket } from 'node:dgram';
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

const hostOf = (endpoint: string): string => endpoint.split(':')[0] ?? '';
const portOf = (endpoint: string): number => Number(endpoint.split(':')[1]);

const [from = '', to = '', file = ''] = process.argv.slice(2);
if (from === 'send') {
  const senders = new Map<string, Socket>();
  for await (const line of createInterface({ input: process.stdin })) {
    const [source = '', target = '', hex = ''] = line.split(' ');
    const sender = senders.get(source) ?? createSocket('udp4');
    if (!senders.has(source)) await new Promise<void>((done) => sender.bind(portOf(source), hostOf(source), done));
    senders.set(source, sender);
    await new Promise((done) => sender.send(Buffer.from(hex, 'hex'), portOf(target), hostOf(target), done));
    await wait(1);
  }
  for (const sender of senders.values()) sender.close();
} else {
  const socket = createSocket('udp4');
  const startMs = performance.now();
  socket.bind(Number(from), '127.0.0.1');
  socket.on('message', (packet) => {
    const aheadUs = Number(readFileSync(file, 'latin1')) * 1e6 + (performance.now() - startMs);
    socket.send(moved(packet, aheadUs), Number(to), '127.0.0.1');
  });
}
