/** "I do not see my call" on a running agent: the wrong interface, a HEP sender it does not allow, packets it dropped. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PATIENCE_MS, until } from '../helpers/patience.ts';
import type { Json } from './lab.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';
import { callBegins, send } from './sip-datagrams.ts';

const skip = missing();
const MINE = '/ask/calls?q=callid:mine';

/** UDP datagrams from b to a as fast as they go: to a port, so many, with so many bytes of SIP each. */
const FLOOD = `
const socket = require('node:dgram').createSocket('udp4');
const [to, port, count, bytes] = process.argv.slice(1);
const text = 'OPTIONS sip:a@' + to + ' SIP/2.0\\r\\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1\\r\\nFrom: <sip:f@x>;tag=1\\r\\n' +
  'To: <sip:a@x>\\r\\nCall-ID: flood\\r\\nCSeq: 1 OPTIONS\\r\\nX-Fill: ';
const datagram = Buffer.from(text + 'x'.repeat(Number(bytes) - text.length - 4) + '\\r\\n\\r\\n');
(async () => {
  for (let i = 0; i < Number(count); i++) {
    const sent = new Promise((done) => socket.send(datagram, Number(port), to, done));
    if (i % 64 === 63 || i + 1 === Number(count)) await sent;
  }
  socket.close();
})();`;

function labOf(t: TestContext): Lab {
  return new Lab({ after: (close) => t.after(close) });
}

const lines = (answer: Json | null): Json[] => {
  const list = answer?.['hidden_by'];
  return Array.isArray(list) ? list : [];
};

/** The line of that kind, once /ask gives one. */
function reason(agent: Agent, what: string): Promise<string> {
  let seen: Json[] = [];
  return until(
    () => {
      seen = lines(agent.get(MINE));
      const line = seen.find((l) => l['what'] === what);
      return line === undefined ? null : String(line['text']);
    },
    () => JSON.stringify(seen),
  );
}

test('names an interface that carries no call', { skip }, async (t) => {
  const lab = labOf(t);
  const agent = await Agent.start(lab, ['-d', 'lo', '--ask'], /capturing on lo/);
  send(lab, callBegins('mine'));
  // What passes lo is what this test asks.
  assert.match(
    await reason(agent, 'no-sip'),
    /^\d+ frames? passed lo, and neither SIP nor RTP was in them: capture from all interfaces with -d any\.$/,
  );
});

test('names a HEP sender that is not allowed', { skip }, async (t) => {
  const lab = labOf(t);
  const args = ['-L', `${ADDRESS.a.v4}:9060`, '-E', '--hep-allow', '192.0.2.0/24', '--ask'];
  const agent = await Agent.start(lab, args, /hep listening on udp/);
  lab.do('b', process.execPath, ['-e', FLOOD, ADDRESS.a.v4, '9060', '5', '400']);
  assert.match(
    await reason(agent, 'hep-refused'),
    /^5 HEP packets were refused \(hep_\w+ 5\); check --hep-allow and --hep-auth\.$/,
  );
});

test('names packets that were dropped while the host was too busy', { skip, timeout: 3 * PATIENCE_MS }, async (t) => {
  const lab = labOf(t);
  const agent = await Agent.start(lab, ['-d', 'eth0', '--ask'], /capturing on eth0/);
  agent.running.child.kill('SIGSTOP');
  // More than the ring of the kernel holds.
  lab.do('b', process.execPath, ['-e', FLOOD, ADDRESS.a.v4, '5060', '150000', '1400']);
  agent.running.child.kill('SIGCONT');
  assert.match(await reason(agent, 'dropped'), /^\d+ packets were dropped unread: this host was too busy\.$/);
});
