/** `-d eth0 -O DIR --split call`: while calls run their files grow, and when a call has ended its file is whole. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../helpers/patience.ts';
import { Dump } from './dump.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';
import { callBegins, callEnds, sdp, send } from './sip-datagrams.ts';

const skip = missing('tshark', 'dumpcap');
const MEDIA = { a: 40_000, b: 42_000 } as const;
const PACKETS = 25;

/** Sends RTP from and to the sockets of a call, or of nobody. */
const VOICE = `
const socket = require('node:dgram').createSocket('udp4');
const [from, port, to, toPort, packets, ssrc] = process.argv.slice(1);
socket.bind(Number(port), from, async () => {
  for (let i = 0; i < Number(packets); i++) {
    const b = Buffer.alloc(172, i & 127);
    b.writeUInt16BE(0x8000, 0);
    b.writeUInt16BE(i, 2);
    b.writeUInt32BE(160 * i, 4);
    b.writeUInt32BE(Number(ssrc), 8);
    await new Promise((done, fail) => socket.send(b, Number(toPort), to, (e) => (e ? fail(e) : done())));
  }
  socket.close();
});`;

function voice(lab: Lab, from: 'a' | 'b', fromPort: number, toPort: number, ssrc: number): void {
  const to = from === 'a' ? 'b' : 'a';
  const ends = [ADDRESS[from].v4, `${fromPort}`, ADDRESS[to].v4, `${toPort}`];
  lab.do(from, process.execPath, ['-e', VOICE, ...ends, `${PACKETS}`, `${ssrc}`]);
}

/** Time, addresses and length of the frames that tshark shows, in order. */
function frames(path: string, filter: string): string[] {
  const fields = ['frame.time_epoch', 'ip.src', 'ip.dst', 'udp.srcport', 'udp.length', 'ip.id'];
  const args = ['-r', path, '-Y', filter, '-T', 'fields', ...fields.flatMap((f) => ['-e', f])];
  const text = execFileSync('tshark', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return text.split('\n').filter((line) => line !== '');
}

test('the file of a call holds its SIP and its RTP, and a filter chooses', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  const to = lab.path('calls');
  mkdirSync(to);
  const args = ['-d', 'eth0', '-O', to, '--split', 'call', '--filter', 'callid:wanted*'];
  const agent = await Agent.start(lab, args, /capturing on eth0, filter: \w+/);
  const dump = await Dump.start(lab, 'eth0', 'wire.pcapng');
  for (const [i, id] of ['wanted-1', 'other-1'].entries()) {
    // Each side describes its own socket.
    const [a, b] = [MEDIA.a + 2 * i, MEDIA.b + 2 * i];
    const begin = callBegins(id, sdp(ADDRESS.b.v4, b));
    const answered = begin.map((d) =>
      d.from === 'a'
        ? {
            ...d,
            text: d.text
              .replaceAll(`IN IP4 ${ADDRESS.b.v4}`, `IN IP4 ${ADDRESS.a.v4}`)
              .replace(`audio ${b} `, `audio ${a} `),
          }
        : d,
    );
    send(lab, answered);
    voice(lab, 'a', a, b, 1 + i);
    voice(lab, 'b', b, a, 101 + i);
  }
  voice(lab, 'b', 44_000, 45_000, 7);
  for (const id of ['wanted-1', 'other-1']) send(lab, callEnds(id));
  await dump.stop();
  const [name = ''] = await until(
    () => {
      const names = readdirSync(to);
      return names.length > 0 ? names : null;
    },
    () => 'no file',
  );
  assert.match(name, /^\d{8}-\d{6}_1001_1002_wanted-1\.pcapng$/);
  const wire = frames(dump.file, `sip.Call-ID == "wanted-1" || udp.port in {${MEDIA.a}, ${MEDIA.b}}`);
  // Nobody listens on these ports: the errors that say so quote the media.
  assert.ok(wire.length > 6 + 2 * PACKETS, `${wire.length} frames`);
  // The call has ended; calltap still runs.
  await until(
    () => frames(join(to, name), 'frame').length >= wire.length,
    () => `${frames(join(to, name), 'frame').length} of ${wire.length} frames`,
  );
  // Both programs have the time of the kernel.
  assert.deepEqual(frames(join(to, name), 'frame'), wire);
  assert.deepEqual(readdirSync(to), [name]);
  assert.equal(await lab.stop(agent.running), 0);
  assert.match(agent.running.output(), new RegExp(`^1 call \\(${wire.length} frames\\) written to ${to}$`, 'm'));
});
