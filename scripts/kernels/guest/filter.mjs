// The packet filter: which one the kernel takes, that SIP is seen through it, and that SIP outside the ports is noticed.
import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { calltap, claim, options } from './agent.mjs';

const UNUSUAL_PORT = 27777;
/** What was sent is in the kernel's ring at once; a block of it is handed over some milliseconds later. */
const ARRIVAL_MS = 5_000;
const agent = calltap('-d', 'lo', '--json');
const isUp = await agent.says(/^capturing on/m);
const [, mode = '', why = ''] = /filter: (\S+)(.*)/.exec(agent.stderr) ?? [];
claim('filter', mode === 'ebpf', mode, isUp ? `${mode}${why}` : agent.stderr);
if (isUp) {
  const socket = createSocket('udp4');
  const send = (text, port) => new Promise((resolve) => socket.send(text, port, '127.0.0.1', resolve));
  await send(options('usual'), 5060);
  await send(options('unusual'), UNUSUAL_PORT);
  socket.close();
  await sleep(ARRIVAL_MS);
  await agent.stop();
  claim('SIP on 5060', agent.stdout.includes('"call_id":"usual"'), 'seen', `not seen: ${agent.stdout}${agent.stderr}`);
  const isNoticed = agent.stderr.includes(`outside --portrange not analysed; busiest ports: ${UNUSUAL_PORT} (1)`);
  claim('SIP on an unusual port', isNoticed, 'noticed', `not noticed: ${agent.stderr}`);
}
