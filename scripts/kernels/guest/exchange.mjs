// One exchange of SIP over TLS, seen by the program as an operator starts it: request and answer make one dialog.
import { answer, calltap, claim, options, Running, until } from './agent.mjs';
import { makeCertificate } from './certificate.mjs';
import { hasRight } from './users.mjs';

const AT = '127.0.0.1:5061';
const API = '127.0.0.1:8080';
const PEERS_MS = 120_000;

async function talk(server) {
  const client = new Running(['openssl', 's_client', '-connect', AT, '-quiet']);
  client.child.stdin.write(options('exchange'));
  await server.says(/^OPTIONS/m, PEERS_MS);
  server.child.stdin.write(answer('exchange'));
  const isAnswered = await client.says(/200 OK[\s\S]*\r\n\r\n/, PEERS_MS);
  client.child.kill();
  return isAnswered;
}

const credentials = makeCertificate();
const server = new Running(['openssl', 's_server', '-accept', AT, ...credentials, '-quiet', '-naccept', '1']);
const agent = calltap('--uprobe', '--json', '--api', API);
if (await agent.says(/^uprobe ready/m)) {
  const isAnswered = await talk(server);
  claim('exchange peers', isAnswered, 'talked', server.stderr);
  const isSeen = async () => {
    const response = await fetch(`http://${API}/v1/dialogs/exchange`);
    return response.ok && (await response.json()).msg_count >= 2 ? true : null;
  };
  await until(isSeen, PEERS_MS);
  await agent.stop();
  const line = agent.stdout.split('\n').find((text) => text.includes('"call_id":"exchange"'));
  const dialog = line === undefined ? null : JSON.parse(line);
  const isWhole = dialog?.msg_count === 2 && dialog.input_origin === 'uprobe';
  claim('exchange', isWhole, 'request and answer', `${agent.stdout}${agent.stderr}`);
} else {
  // Who lacks a right is told which one; root lacks none.
  claim('exchange', !hasRight('sys_admin') && /CAP_\w+/.test(agent.stderr), agent.stderr);
}
server.child.kill();
