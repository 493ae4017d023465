// The packet filter: which one the kernel takes, that SIP is seen through it, and that SIP outside the ports is noticed.
import { createSocket } from 'node:dgram';
import { Agent, claim, notOk, options, until } from './agent.mjs';

const UNUSUAL_PORT = 27777;
const agent = await Agent.start(['-d', 'lo'], (why) => notOk('filter', why));
if (agent !== null) {
  const [, mode = '', why = ''] = /filter: (\S+)(.*)/.exec(agent.stderr) ?? [];
  claim('filter', mode === 'ebpf', mode, `${mode}${why}`);
  const socket = createSocket('udp4');
  const send = (text, port) => new Promise((resolve) => socket.send(text, port, '127.0.0.1', resolve));
  await send(options('usual'), 5060);
  await send(options('unusual'), UNUSUAL_PORT);
  const seen = await until(async () => {
    const list = await agent.get('/v1/dialogs');
    return list?.dialogs.some((d) => d.call_id === 'usual') ? true : null;
  }, 120_000);
  claim('SIP on 5060', seen === true, 'seen', 'not seen');
  const noticed = await until(async () => {
    const ports = (await agent.get('/v1/stats'))?.caveats?.unanalysed_busiest_ports ?? [];
    return ports.some(({ port }) => port === UNUSUAL_PORT) ? true : null;
  }, 60_000);
  claim('SIP on an unusual port', noticed === true, 'noticed', 'not noticed');
  socket.close();
  await agent.stop();
}
