// The clock of the host is set while calltap captures: each step is named once, a call over it has the times that were
// captured and no more delay than it had; so has its copy by HEP from a sender on the same host.
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { calltap, claim, options, until } from './agent.mjs';

const API = { sender: '127.0.0.1:9461', receiver: '127.0.0.1:9462' };
const HEP = '127.0.0.1:9060';
/** Milliseconds: as NTP corrects a clock, an hour both ways, and back. */
const STEPS = [200, 3_600_000, -3_600_000, -200, -90_000_000];
/** No step of an hour or more is within this, whatever the machine is doing. */
const SLOW_MS = 600_000;
/** HEP senders are corrected by steps that no way takes (src/ingest/hep-clocks.ts). */
const LEAST_BY_HEP_MS = 1_000;

const receiver = calltap('-L', HEP, '-E', '--api', API.receiver);
const isReceiving = await receiver.says(/api listening/);
const sender = calltap('-d', 'lo', '--portrange', '5060-5061', '-H', HEP, '--api', API.sender);
const isUp = isReceiving && (await sender.says(/^capturing on/m)) && (await sender.says(/api listening/));
claim('capture', isUp, 'runs', `${receiver.stderr}${sender.stderr}`);
if (isUp) {
  const [socket, other] = [createSocket('udp4'), createSocket('udp4')];
  await new Promise((resolve) => socket.bind(5061, '127.0.0.1', resolve));
  await new Promise((resolve) => other.bind(5060, '127.0.0.1', resolve));
  const send = (text, port) => new Promise((resolve) => socket.send(text, port, '127.0.0.1', resolve));
  for (const [i, ms] of STEPS.entries()) {
    const id = `step${i}`;
    await send(invite(id), 5060);
    await dialog('receiver', id, ({ msg_count: n }) => n === 1);
    execFileSync('/kernels/bin/set_clock', [String(ms)]);
    await send(answered(id), 5060);
    for (const [who, least] of [
      ['sender', 0],
      ['receiver', LEAST_BY_HEP_MS],
    ]) {
      if (Math.abs(ms) < least) continue;
      const d = await dialog(who, id, ({ state }) => state === 'InCall');
      const shown = d === null ? Number.NaN : Date.parse(d.updated_at) - Date.parse(d.created_at) - ms;
      const setup = d?.timing?.setup_ms;
      // Who sees no frames knows to a second when the clock was set.
      const isTrue = setup >= 0 && setup < SLOW_MS && (who === 'receiver' || Math.abs(shown - setup) < 100);
      claim(`${who}, set by ${ms} ms`, isTrue, `setup in ${setup} ms`, `${JSON.stringify(d)} ${sender.stderr}`);
    }
  }
  socket.close();
  other.close();
  for (const [who, program] of Object.entries({ sender, receiver })) {
    const stats = await ask(who, '/v1/stats');
    const steps = stats?.caveats?.clock_steps;
    claim(`${who}, count`, steps === STEPS.length, `${steps} steps`);
    await program.stop();
    const lines = program.stderr.match(/^.*the clock of the capturing host was set.*$/gm) ?? [];
    const isNamed = STEPS.every((ms, i) => isLine(lines[i], ms));
    claim(`${who}, lines`, isNamed, 'each once', program.stderr);
  }
}

function isLine(line, ms) {
  const [, way, seconds] = /set (forward|back) by (\S+) s/.exec(line ?? '') ?? [];
  return way === (ms > 0 ? 'forward' : 'back') && Math.abs(Number(seconds) - Math.abs(ms) / 1000) < 0.05;
}

async function ask(who, path) {
  const response = await fetch(`http://${API[who]}${path}`);
  return response.ok ? response.json() : null;
}

async function dialog(who, id, is) {
  let last = null;
  return (
    (await until(async () => {
      const list = await ask(who, '/v1/dialogs');
      last = list?.dialogs.find(({ call_id: callId }) => callId === id) ?? null;
      return last !== null && is(last) ? last : null;
    }, 120_000)) ?? last
  );
}

function invite(id) {
  return options(id).replaceAll('OPTIONS', 'INVITE').replace('/TLS', '/UDP');
}

function answered(id) {
  return invite(id)
    .replace(/^.*/, 'SIP/2.0 200 OK')
    .replace('Max-Forwards: 70\r\n', '')
    .replace('To: <sip:b@example.org>', 'To: <sip:b@example.org>;tag=2');
}
