// SIP over TLS between two programs of OpenSSL, one of which is observed: what it reads and what it writes, and between
// which addresses. The peers belong to root.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { answer, claim, options, Running, script, until } from './agent.mjs';
import { hasRight } from './users.mjs';

const SERVER = '127.0.0.1:5061';
const CLIENT = '127.0.0.1:40001';
const PEERS_MS = 120_000;

process.chdir(mkdtempSync('/tmp/tls-'));
chmodSync('.', 0o700);
writeFileSync('req.cnf', '[req]\ndistinguished_name=dn\n[dn]\n');
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'k.pem', '-out', 'c.pem'];
spawnSync('openssl', ['req', '-config', 'req.cnf', '-x509', '-subj', '/CN=localhost', '-days', '2', ...key]);

const credentials = ['-cert', 'c.pem', '-key', 'k.pem'];
const server = new Running(['openssl', 's_server', '-accept', SERVER, ...credentials, '-quiet', '-naccept', '1']);
const observer = script('/kernels/observe.mjs', String(server.child.pid));
if (await observer.says(/^ready/m)) {
  const way = /^ready (.*)$/m.exec(observer.stdout)?.[1] ?? '';
  const client = new Running(['openssl', 's_client', '-connect', SERVER, '-bind', CLIENT, '-quiet']);
  client.child.stdin.write(options('tls'));
  const isAsked = await server.says(/^OPTIONS/m, PEERS_MS);
  server.child.stdin.write(answer('tls'));
  const isAnswered = await client.says(/200 OK/, PEERS_MS);
  claim('peers', isAsked && isAnswered, 'talked', `${server.stderr}${client.stderr}`);
  const pieces = () =>
    observer.stdout
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line));
  const seen = (await until(() => (pieces().length >= 2 ? pieces() : null), PEERS_MS)) ?? pieces();
  const read = seen.find(({ text }) => text === options('tls'));
  const written = seen.find(({ text }) => text === answer('tls'));
  claim('TLS read', read !== undefined, way, `the request was not seen; ${JSON.stringify(seen)} ${observer.stderr}`);
  claim(
    'TLS written',
    written !== undefined,
    way,
    `the answer was not seen; ${JSON.stringify(seen)} ${observer.stderr}`,
  );
  const found = [read, written].map((piece) => `${piece?.src ?? ''}>${piece?.dst ?? ''}`).join(' ');
  claim('TLS addresses', found === `${CLIENT}>${SERVER} ${SERVER}>${CLIENT}`, 'right', found);
  client.child.kill();
  observer.child.stdin.end();
  await observer.ended;
} else {
  // Who lacks a right is told which one; root lacks none.
  const why = /Error: (--uprobe.*)/.exec(observer.stderr)?.[1] ?? observer.stderr;
  claim('TLS read', !hasRight('sys_admin') && /CAP_\w+/.test(why), why);
}
server.child.kill();
