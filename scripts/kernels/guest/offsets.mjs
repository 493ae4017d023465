// SIP over TLS by a program without names, by offsets: a server is observed, every message that it reads and writes, and
// between which addresses.
import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { claim, Running, script, until } from './agent.mjs';
import { makeCertificate } from './certificate.mjs';
import { hasRight } from './users.mjs';

const PEERS_MS = 300_000;
const CONNECTIONS = 8;
const MESSAGES = 10;
/** Read and written. */
const SEEN = 2 * CONNECTIONS * MESSAGES;

makeCertificate();
const program = '/kernels/bin/nameless_talk';
const given = Object.entries(JSON.parse(readFileSync(`${program}.json`, 'utf8'))).map((pair) => pair.join('='));
const server = new Running([program, 'server']);
await server.says(/^port \d+/m, PEERS_MS);
const port = /^port (\d+)/m.exec(server.stdout)?.[1] ?? '';
const observer = script('/kernels/observe.mjs', String(server.child.pid), `${program}:${given.join(',')}`);
const isReady = await observer.says(/^ready/m);
if (isReady) {
  const words = [port, '4', CONNECTIONS / 4, MESSAGES, '60000', '65536', '4'].map(String);
  const client = new Running([program, 'client', ...words]);
  const code = await client.ended;
  const isAlive = server.child.exitCode === null && server.child.signalCode === null;
  claim('offsets peers', code === 0 && isAlive, 'talked', `client: ${code}; ${server.stderr}${client.stderr}`);
  const heads = () =>
    observer.stdout.split('\n').flatMap((line) => {
      if (!line.startsWith('{') || !line.endsWith('}')) return [];
      const { src, dst, text } = JSON.parse(line);
      return [...text.matchAll(/X-Port: (\d+);/g)].map(([, own]) => {
        const [client, at] = [`127.0.0.1:${own}`, `127.0.0.1:${port}`];
        return (src === client && dst === at) || (src === at && dst === client);
      });
    });
  const seen = (await until(() => (heads().length >= SEEN ? heads() : null), PEERS_MS)) ?? heads();
  const way = /^ready (.*)$/m.exec(observer.stdout)?.[1] ?? '';
  claim('offsets messages', seen.length === SEEN, `${SEEN}: ${way}`, `${seen.length} of ${SEEN}; ${observer.stderr}`);
  const right = seen.filter((isRight) => isRight).length;
  claim('offsets addresses', right === SEEN, 'right', `${right} of ${SEEN} are right`);
  observer.child.stdin.end();
  await observer.ended;
} else {
  // Without cookies of probes nothing is attached; who lacks a right is told which one, and root lacks none.
  const [major, minor] = release().split('.').map(Number);
  const isOld = major < 5 || (major === 5 && minor < 17);
  const needsNewer = /functions that the file does not name need Linux 5\.17/.exec(observer.stderr)?.[0];
  const missing = /Error: (--uprobe.*)/.exec(observer.stderr)?.[1] ?? '';
  const lacksRight = !hasRight('sys_admin') && /CAP_\w+/.test(missing);
  claim('offsets messages', (isOld && needsNewer !== undefined) || lacksRight, needsNewer ?? missing, observer.stderr);
}
server.child.kill();
