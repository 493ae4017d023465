// SIP over TLS between two programs of OpenSSL, one of which is observed: what it reads and what it writes, and where from.
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, answer, claim, notOk, options, until } from './agent.mjs';

const SERVER = '127.0.0.1:5061';
const CLIENT = '127.0.0.1:40001';

/** A key and a certificate in this folder, which nobody else reads. */
function selfSigned() {
  writeFileSync('req.cnf', '[req]\ndistinguished_name=dn\n[dn]\n');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'k.pem', '-out', 'c.pem'];
  return spawnSync('openssl', ['req', '-config', 'req.cnf', '-x509', '-subj', '/CN=localhost', '-days', '2', ...key]);
}

function peer(...args) {
  const child = spawn('openssl', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const running = { child, heard: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      running.heard += text;
    });
  return running;
}

/** What was read from the observed one, by direction: addresses of request and answer. */
async function addresses(agent, callId) {
  const list = await agent.get('/v1/dialogs');
  const dialog = list?.dialogs.find((d) => d.call_id === callId && d.msg_count >= 2);
  if (dialog === undefined) return null;
  const vcon = await agent.get(`/v1/dialogs/${encodeURIComponent(callId)}/vcon`);
  const trace = vcon?.attachments?.find(({ purpose }) => purpose === 'sip-message-trace');
  const body = typeof trace?.body === 'string' ? JSON.parse(trace.body) : trace?.body;
  return body?.messages ?? null;
}

process.chdir(spawnSync('mktemp', ['-d']).stdout.toString().trim());
selfSigned();
const server = peer('s_server', '-accept', SERVER, '-cert', 'c.pem', '-key', 'k.pem', '-quiet');
const agent = await Agent.start([`--uprobe=${server.child.pid}`], (why) => notOk('TLS', why));
if (agent !== null) {
  const way = /^uprobe: (.*)$/m.exec(agent.stderr)?.[1] ?? '';
  const client = peer('s_client', '-connect', SERVER, '-bind', CLIENT, '-quiet');
  client.child.stdin.write(options('tls'));
  const heard = await until(() => (server.heard.includes('OPTIONS') ? true : null), 120_000);
  server.child.stdin.write(answer('tls'));
  const answered = await until(() => (client.heard.includes('200 OK') ? true : null), 120_000);
  claim('peers', heard === true && answered === true, 'talked', `${server.heard}${client.heard}`);
  const messages = (await until(() => addresses(agent, 'tls'), 120_000)) ?? [];
  const both = messages.map(({ src, dst }) => `${src}>${dst}`).join(' ');
  const right = `${CLIENT}>${SERVER} ${SERVER}>${CLIENT}`;
  const dialogs = JSON.stringify((await agent.get('/v1/dialogs'))?.dialogs ?? []);
  claim('TLS both ways', messages.length === 2, way, `${messages.length} of 2 messages; ${agent.stderr} ${dialogs}`);
  claim('TLS addresses', both === right, 'right', `${both}, not ${right}`);
  client.child.kill();
  await agent.stop();
}
server.child.kill();
