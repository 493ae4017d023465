// SIP over TLS by each library: a server is observed, what it reads and what it writes, and between which addresses. The
// client is OpenSSL's. Both belong to root.
import { answer, claim, options, Running, script, until } from './agent.mjs';
import { makeCertificate } from './certificate.mjs';
import { hasRight } from './users.mjs';

const PEERS_MS = 120_000;
const CREDENTIALS = makeCertificate();
const SERVERS = [
  {
    library: 'OpenSSL',
    at: '127.0.0.1:5061',
    from: '127.0.0.1:40001',
    words: ['openssl', 's_server', '-accept', '127.0.0.1:5061', ...CREDENTIALS, '-quiet', '-naccept', '1'],
    /** It answers what is typed; the others answer every request by themselves. */
    isTyped: true,
  },
  {
    library: 'GnuTLS',
    at: '127.0.0.1:5062',
    from: '127.0.0.1:40002',
    words: ['/kernels/bin/gnutls_server', '127.0.0.1', '5062'],
  },
  {
    library: 'wolfSSL',
    at: '127.0.0.1:5063',
    from: '127.0.0.1:40003',
    words: ['/kernels/bin/wolf_server', '127.0.0.1', '5063'],
  },
];

/** One request and its answer, while the server is observed. */
async function talk({ library, at, from, isTyped }, server, observer) {
  const way = /^ready (.*)$/m.exec(observer.stdout)?.[1] ?? '';
  const request = options(library);
  const client = new Running(['openssl', 's_client', '-connect', at, '-bind', from, '-quiet']);
  client.child.stdin.write(request);
  if (isTyped) {
    await server.says(/^OPTIONS/m, PEERS_MS);
    server.child.stdin.write(answer(library));
  }
  const isAnswered = await client.says(/200 OK[\s\S]*\r\n\r\n/, PEERS_MS);
  claim(`${library} peers`, isAnswered, 'talked', `${server.stderr}${client.stderr}`);
  const pieces = () =>
    observer.stdout
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line));
  const seen = (await until(() => (pieces().length >= 2 ? pieces() : null), PEERS_MS)) ?? pieces();
  const read = seen.find(({ text }) => text === request);
  const written = seen.find(({ text }) => text === client.stdout);
  const found = `${JSON.stringify(seen)} ${observer.stderr}`;
  claim(`${library} read`, read !== undefined, way, `the request was not seen; ${found}`);
  claim(`${library} written`, isAnswered && written !== undefined, way, `the answer was not seen; ${found}`);
  const addresses = [read, written].map((piece) => `${piece?.src ?? ''}>${piece?.dst ?? ''}`).join(' ');
  claim(`${library} addresses`, addresses === `${from}>${at} ${at}>${from}`, 'right', addresses);
  client.child.kill();
}

/** Whether there is a point in trying the next library. */
async function observe(row) {
  const server = new Running(row.words);
  if (!row.isTyped) await server.says(/^up/m, PEERS_MS);
  const observer = script('/kernels/observe.mjs', String(server.child.pid));
  const isReady = await observer.says(/^ready/m);
  if (isReady) {
    await talk(row, server, observer);
    observer.child.stdin.end();
    await observer.ended;
  } else {
    // Who lacks a right is told which one; root lacks none.
    const why = /Error: (--uprobe.*)/.exec(observer.stderr)?.[1] ?? observer.stderr;
    claim(`${row.library} read`, !hasRight('sys_admin') && /CAP_\w+/.test(why), why);
  }
  server.child.kill();
  return isReady;
}

for (const row of SERVERS) if (!(await observe(row))) break;
