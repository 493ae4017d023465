/** Calls with speech both ways over the cable of a lab, of which a test says what the wire loses; and a flood of SIP. */
import type { Host, Lab, Running } from './lab.ts';
import { ADDRESS } from './lab.ts';
import type { Datagram } from './sip-datagrams.ts';
import { callBegins, sdp } from './sip-datagrams.ts';

/** One direction of a call: port to port of both hosts, 50 packets a second of G.711. */
export type Speech = {
  readonly callId: string;
  readonly port: number;
  /** Packets that the caller's side never sends, from one number up to another. */
  readonly lost: readonly (readonly [from: number, to: number])[];
};

export const PACKET_MS = 20;

const SPEAK = `
const { createSocket } = require('node:dgram');
const [from, to, count, list] = process.argv.slice(1);
const speech = JSON.parse(list).map(({ port, lost }, i) => ({ port, lost, ssrc: port, socket: createSocket('udp4') }));
const packet = Buffer.alloc(172, 0xd5);
packet.writeUInt16BE(0x8000, 0);
let next = 0, bound = 0;
const say = (word) => process.stdout.write(word + ' ');
function speak(startMs) {
  const due = Math.min(Number(count), Math.floor((performance.now() - startMs) / ${PACKET_MS}));
  for (; next < due; next++) {
    packet.writeUInt16BE(next, 2);
    packet.writeUInt32BE(next * 160, 4);
    for (const { port, lost, ssrc, socket } of speech) {
      if (lost.some(([a, b]) => next >= a && next < b)) continue;
      packet.writeUInt32BE(ssrc, 8);
      socket.send(Buffer.from(packet), port, to);
    }
    if (next % 50 === 0) say('sent-' + next);
  }
  if (next < Number(count)) setTimeout(speak, ${PACKET_MS} / 2, startMs);
  else say('done');
}
for (const { port, socket } of speech)
  socket.bind(port, from, () => {
    if (++bound === speech.length) speak(performance.now());
  });`;

/** All directions from one host; it says \`sent-N\` once a second, and stays until the lab goes: somebody has to hear the others. */
export function speak(lab: Lab, from: Host, count: number, speech: readonly Speech[]): Running {
  const to = ADDRESS[from === 'a' ? 'b' : 'a'].v4;
  const heard = from === 'b' ? speech : speech.map((one) => ({ ...one, lost: [] }));
  return lab.start(from, process.execPath, ['-e', SPEAK, ADDRESS[from].v4, to, String(count), JSON.stringify(heard)]);
}

/** The messages that begin these calls. */
export function beginnings(speech: readonly Speech[]): Datagram[] {
  return speech.flatMap(({ callId, port }) => callBegins(callId, sdp(ADDRESS.b.v4, port), sdp(ADDRESS.a.v4, port)));
}

const FLOOD = `
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_UDP, 103, 1400)  # UDP_SEGMENT: one frame of the ring is 45 datagrams
head = b"OPTIONS sip:a@example.com SIP/2.0\\r\\nVia: SIP/2.0/UDP 10.90.0.2;branch=z9hG4bKflood\\r\\n" \\
  b"From: <sip:f@example.com>;tag=f\\r\\nTo: <sip:a@example.com>\\r\\nCall-ID: flood\\r\\nCSeq: 1 OPTIONS\\r\\n" \\
  b"Content-Length: 0\\r\\nX: "
one = (head + b"x" * 1400)[:1396] + b"\\r\\n\\r\\n"
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
  s.sendto(one * 45, (sys.argv[1], 5060))
`;

/** Floods host a with SIP for so long, in frames that fill a ring faster than anybody can read it. */
export function flood(lab: Lab, sec: number): void {
  lab.do('b', 'python3', ['-c', FLOOD, ADDRESS.a.v4, String(sec)]);
}
