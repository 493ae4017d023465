// The packet filter: which one the kernel takes, that SIP is seen through it, that SIP outside the ports is noticed, and that what SDP
// names is let through, whatever it speaks.
import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { calltap, claim, options, until } from './agent.mjs';

const UNUSUAL_PORT = 27777;
/** What was sent is in the kernel's ring at once; a block of it is handed over some milliseconds later. */
const ARRIVAL_MS = 5_000;
const METRICS = '127.0.0.1:9464';
const MEDIA_PORTS = [4000, 4002, 4004];
/** Of T.38 (UDPTL): nothing but an SDP says what it is. */
const FAX = Buffer.from('0001060102030405060708', 'hex');
const agent = calltap('-d', 'lo', '--json', '--metrics', METRICS);
const isUp = await agent.says(/^capturing on/m);
const [, mode = '', why = ''] = /filter: (\S+)(.*)/.exec(agent.stderr) ?? [];
claim('filter', mode === 'ebpf', mode, isUp ? `${mode}${why}` : agent.stderr);
if (isUp) {
  const socket = createSocket('udp4');
  const send = (text, port) => new Promise((resolve) => socket.send(text, port, '127.0.0.1', resolve));
  await send(options('usual'), 5060);
  await send(options('unusual'), UNUSUAL_PORT);
  await send(offer(), 5060);
  const heard = await until(async () => {
    for (const port of MEDIA_PORTS) await send(FAX, port);
    const page = await (await fetch(`http://${METRICS}/metrics`)).text();
    const packets = /calltap_filter_packets_total\{[^}]*"media_endpoint"\} (\d+)/.exec(page)?.[1];
    return Number(packets) >= MEDIA_PORTS.length ? packets : null;
  }, ARRIVAL_MS);
  claim('named media', heard !== null, 'heard', `not heard: ${agent.stderr}`);
  socket.close();
  await sleep(ARRIVAL_MS);
  await agent.stop();
  claim('SIP on 5060', agent.stdout.includes('"call_id":"usual"'), 'seen', `not seen: ${agent.stdout}${agent.stderr}`);
  const isNoticed = agent.stderr.includes(`outside --portrange not analysed; busiest ports: ${UNUSUAL_PORT} (1)`);
  claim('SIP on an unusual port', isNoticed, 'noticed', `not noticed: ${agent.stderr}`);
}

function offer() {
  const media = MEDIA_PORTS.map((port) => `m=image ${port} udptl t38\r\n`).join('');
  const sdp = `v=0\r\no=a 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n${media}`;
  const head = options('fax')
    .replaceAll('OPTIONS', 'INVITE')
    .replace(/Content-Length: 0\r\n/i, '')
    .replace(/\r\n\r\n$/, '\r\n');
  return `${head}Content-Type: application/sdp\r\nContent-Length: ${sdp.length}\r\n\r\n${sdp}`;
}
