// SIP over TLS by a program of Go: a server is observed, every message that it reads and writes, and between which
// addresses. Its goroutines go from thread to thread.
import { claim, Running, script, until } from './agent.mjs';
import { hasRight } from './users.mjs';

const PEERS_MS = 300_000;
const CONNECTIONS = 8;
const MESSAGES = 10;
/** Read and written. */
const SEEN = 2 * CONNECTIONS * MESSAGES;

const program = '/kernels/bin/tls_go';
const server = new Running([program, 'server']);
await server.says(/^port \d+/m, PEERS_MS);
const port = /^port (\d+)/m.exec(server.stdout)?.[1] ?? '';
const observer = script('/kernels/observe.mjs', String(server.child.pid));
const isReady = await observer.says(/^ready/m);
if (isReady) {
  const client = new Running([program, 'client', port, String(CONNECTIONS), String(MESSAGES), 'plain']);
  const talked = await client.says(/^done/m, PEERS_MS);
  claim('Go peers', talked, 'talked', `${server.stderr}${client.stderr}`);
  await until(() => (server.stdout.split('ended').length > CONNECTIONS ? true : null), PEERS_MS);
  const heads = () =>
    observer.stdout.split('\n').flatMap((line) => {
      if (!line.startsWith('{') || !line.endsWith('}')) return [];
      const { src, dst, text } = JSON.parse(line);
      return [...text.matchAll(/(MESSAGE|SIP\/2\.0 200).*\r\nX-Port: (\d+);/g)].map(([, first, own]) => {
        const ends = [`127.0.0.1:${own}`, `127.0.0.1:${port}`];
        const [from, to] = first === 'MESSAGE' ? ends : ends.toReversed();
        return src === from && dst === to;
      });
    });
  const seen = (await until(() => (heads().length >= SEEN ? heads() : null), PEERS_MS)) ?? heads();
  const way = /^ready (.*)$/m.exec(observer.stdout)?.[1] ?? '';
  claim('Go messages', seen.length === SEEN, `${SEEN}: ${way}`, `${seen.length} of ${SEEN}; ${observer.stderr}`);
  const right = seen.filter((isRight) => isRight).length;
  claim('Go addresses', right === SEEN, 'right', `${right} of ${SEEN} are right`);
  observer.child.stdin.end();
  await observer.ended;
} else {
  // Who lacks a right is told which one; root lacks none.
  const why = /Error: (--uprobe.*)/.exec(observer.stderr)?.[1] ?? observer.stderr;
  claim('Go messages', !hasRight('sys_admin') && /CAP_\w+/.test(why), why);
}
server.child.kill();
