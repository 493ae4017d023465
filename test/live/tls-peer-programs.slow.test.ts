/** SIP over TLS of programs as they are: node, GnuTLS, wolfSSL, baresip, stunnel; and who is observed at all. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { asOtherUser } from '../helpers/other-user.ts';
import { until } from '../helpers/patience.ts';
import type { Json, Running } from './lab.ts';
import { ADDRESS, Agent, Lab } from './lab.ts';
import type { Named } from './tls-peer-lab.ts';
import { missingForTls, named, numberAt, observed, processes, python, rows, stats, withPeers } from './tls-peer-lab.ts';

const skip = missingForTls('python3');
const HOST = ADDRESS.a.v4;

/** Every transaction is there: request and answer, each once, read out of TLS. */
async function transactions(agent: Agent, prefix: string, count: number): Promise<void> {
  await observed(
    agent,
    Array.from({ length: count }, (_, i) => `${prefix}-${i}`),
    2,
  );
}

function nothingLost(agent: Agent): Json {
  const all = stats(agent);
  const { capture_quality: quality } = all;
  for (const name of ['lost_events', 'unbound_messages', 'truncated_calls', 'faults'])
    assert.equal(numberAt({ quality }, 'quality', `uprobe_${name}`), 0, name);
  return all;
}

/** A request as printf of a shell is given it. */
function optionsText(callId: string): string {
  return [
    'OPTIONS sip:b@example.org SIP/2.0',
    `Via: SIP/2.0/TLS x.invalid;branch=z9hG4bK${callId}`,
    'From: <sip:a@example.org>;tag=1',
    'To: <sip:b@example.org>',
    `Call-ID: ${callId}`,
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
    '\\r\\n',
  ].join('\\r\\n');
}

async function node(lab: Lab, program: Named, host: 'a' | 'b', ...args: readonly string[]): Promise<Running> {
  const running = lab.start(host, program.path, ['sip_node.mjs', ...args]);
  if (!['client', 'wss'].includes(args[0] ?? '')) await lab.said(running, /up/);
  return running;
}

test('node on both ends, and as a proxy that ends TLS', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'sip_node.mjs', 'tls_sip.py');
  const own = named(lab, 'node');
  const agent = await Agent.start(lab, ['--uprobe-comm', `^${own.name}$`], /uprobe ready/);
  await node(lab, own, 'a', 'server', HOST, '5061');
  // A program that calltap did not know is attached some time after it began.
  await processes(agent, 1);
  const prefix = `node-${process.pid}`;
  const client = await node(lab, own, 'b', 'client', HOST, '5061', prefix, '5');
  assert.equal(await client.ended, 0, client.output());
  await transactions(agent, prefix, 5);

  await node(lab, own, 'a', 'plain', HOST, '5080');
  await node(lab, own, 'a', 'proxy', HOST, '5081', '5080');
  await processes(agent, 3);
  const through = await python(lab, 'b', 'tls_sip.py', 'churn', HOST, '5081', `proxied-${process.pid}`, '1', '5');
  assert.equal(await through.ended, 0, through.output());
  await transactions(agent, `proxied-${process.pid}-0`, 5);
  nothingLost(agent);
});

test('SIP over WebSocket over TLS, and no byte of the web beside it', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'sip_node.mjs');
  const own = named(lab, 'node');
  const agent = await Agent.start(lab, ['--uprobe-comm', `^${own.name}$`], /uprobe ready/);
  await node(lab, own, 'a', 'server', HOST, '8443');
  await processes(agent, 1);
  const prefix = `wss-${process.pid}`;
  const client = await node(lab, own, 'b', 'wss', HOST, '8443', prefix, '20');
  assert.equal(await client.ended, 0, client.output());
  await transactions(agent, prefix, 20);

  // A cookie makes the upgrade longer than most: 3,300 bytes.
  const long = await node(lab, own, 'b', 'wss', HOST, '8443', `long-${process.pid}`, '5', '3100');
  assert.equal(await long.ended, 0, long.output());
  await transactions(agent, `long-${process.pid}`, 5);

  // An agent that is late does not hear of the upgrade before the messages are over.
  agent.running.child.kill('SIGSTOP');
  const late = await node(lab, own, 'b', 'wss', HOST, '8443', `late-${process.pid}`, '50');
  assert.equal(await late.ended, 0, late.output());
  agent.running.child.kill('SIGCONT');
  await transactions(agent, `late-${process.pid}`, 50);
  const all = nothingLost(agent);
  assert.equal(numberAt(all, 'losses', 'uprobe_gaps'), 0);
  assert.equal(numberAt(all, 'losses', 'uprobe_probation_over'), 0);
});

test('nginx in front of a SIP server by WebSocket: the upgrade brings a cookie of 4 kB', {
  skip: missingForTls('nginx'),
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'sip_node.mjs');
  const own = named(lab, 'nginx');
  const upgrade = 'proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;';
  writeFileSync(
    lab.path('nginx.conf'),
    `daemon off; user root; pid nginx.pid; error_log stderr; worker_processes 2;
events {}
http {
  access_log off; large_client_header_buffers 4 16k;
  client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
  server {
    listen ${HOST}:8443 ssl; ssl_certificate c.pem; ssl_certificate_key k.pem;
    location / { proxy_pass http://${HOST}:8080; proxy_http_version 1.1; ${upgrade} }
  }
}
`,
  );
  const agent = await Agent.start(lab, ['--uprobe-comm', `^${own.name}$`], /uprobe ready/);
  const peer = named(lab, 'node');
  await node(lab, peer, 'a', 'plain', HOST, '8080');
  lab.start('a', own.path, ['-p', lab.folder, '-c', 'nginx.conf']);
  await lab.listening('a', 8443, 'tcp');
  const prefix = `nginx-${process.pid}`;
  const client = await node(lab, peer, 'b', 'wss', HOST, '8443', prefix, '20', '4096');
  assert.equal(await client.ended, 0, client.output());
  await transactions(agent, prefix, 20);
  const all = nothingLost(agent);
  assert.equal(numberAt(all, 'losses', 'uprobe_heads_over'), 0);
});

test('GnuTLS: a server that sends everything back, and its client', {
  skip: missingForTls('gnutls-serv', 'gnutls-cli'),
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab);
  const agent = await Agent.start(lab, ['--uprobe-comm', '^gnutls-'], /uprobe ready/);
  lab.start('a', 'gnutls-serv', [
    ...['--echo', '--quiet', '-p', '5061', '--disable-client-cert'],
    ...['--x509keyfile', 'k.pem', '--x509certfile', 'c.pem'],
  ]);
  const callId = `gnutls-${process.pid}-0`;
  await lab.listening('a', 5061, 'tcp');
  const ask = `cd ${lab.folder}; mkfifo answered; (printf '${optionsText(callId)}'; cat answered) | gnutls-cli --insecure -p 5061 ${HOST} | (grep -m1 Content-Length; : > answered)`;
  lab.do('b', 'sh', ['-c', ask]);
  // What the client wrote and what came back: each observed at both ends, each once.
  await transactions(agent, `gnutls-${process.pid}`, 1);
  nothingLost(agent);
});

const wolf = existsSync('/usr/include/wolfssl/ssl.h')
  ? missingForTls('gcc', 'python3')
  : 'libwolfssl-dev is not installed';
test('wolfSSL, by the path of the library', { skip: wolf }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'wolf_server.c', 'sip_answer.h', 'tls_sip.py');
  const built = spawnSync('gcc', ['-O1', '-o', 'wolf_server', 'wolf_server.c', '-lwolfssl'], { cwd: lab.folder });
  assert.equal(built.status, 0, String(built.stderr));
  const linked = spawnSync('ldd', [lab.path('wolf_server')], { encoding: 'utf8' });
  const library = /=> (\S*libwolfssl\S*)/.exec(linked.stdout)?.[1];
  assert.ok(library !== undefined, linked.stdout);
  const agent = await Agent.start(lab, [`--uprobe=${library}`], /uprobe ready: 1 library, /);
  const server = lab.start('a', lab.path('wolf_server'), [HOST, '5061']);
  await lab.said(server, /up/);
  const prefix = `wolf-${process.pid}`;
  const client = await python(lab, 'b', 'tls_sip.py', 'churn', HOST, '5061', prefix, '1', '5');
  assert.equal(await client.ended, 0, client.output());
  await transactions(agent, `${prefix}-0`, 5);
  const all = nothingLost(agent);
  assert.equal(numberAt(all, 'caveats', 'uprobe_libraries'), 1);
});

test('baresip registers over TLS', { skip: missingForTls('baresip', 'python3') }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const agent = await Agent.start(lab, ['--uprobe-comm', '^baresip$'], /uprobe ready/);
  const uas = await python(lab, 'a', 'tls_sip.py', 'uas', HOST, '5061', HOST);
  await lab.said(uas, /up/);
  mkdirSync(lab.path('bs'));
  writeFileSync(lab.path('bs/accounts'), `<sip:carol@${HOST}:5061;transport=tls>;auth_pass=x;regint=60\n`);
  const modules = ['/usr/lib/baresip/modules', '/usr/lib/x86_64-linux-gnu/baresip/modules'].find(existsSync) ?? '';
  writeFileSync(
    lab.path('bs/config'),
    `sip_listen ${ADDRESS.b.v4}:5060\nmodule_path ${modules}\nmodule account.so\nmodule_app account.so\nmodule g711.so\n`,
  );
  writeFileSync(lab.path('bs/contacts'), '');
  lab.start('b', 'baresip', ['-f', lab.path('bs')]);
  await lab.said(uas, /up/);
  const registered = await agentList(agent, (row) => row['method'] === 'REGISTER' && row['state'] === 'Registered');
  assert.equal(registered['input_origin'], 'uprobe');
  nothingLost(agent);
});

async function agentList(agent: Agent, is: (row: Json) => boolean): Promise<Json> {
  return until(
    () => rows(agent.get('/v1/dialogs'), 'dialogs').find(is),
    () => JSON.stringify(agent.get('/v1/dialogs')),
  );
}

test('stunnel adds TLS to a plain client', { skip: missingForTls('stunnel4', 'python3') }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const agent = await Agent.start(lab, ['--uprobe-comm', '^stunnel'], /uprobe ready/);
  const uas = await python(lab, 'a', 'tls_sip.py', 'uas', HOST, '5061', HOST);
  await lab.said(uas, /up/);
  writeFileSync(
    lab.path('stunnel.conf'),
    `foreground = yes\npid =\n[sip]\nclient = yes\naccept = ${ADDRESS.b.v4}:5070\nconnect = ${HOST}:5061\n`,
  );
  lab.start('b', 'stunnel4', [lab.path('stunnel.conf')]);
  await lab.listening('b', 5070, 'tcp');
  const prefix = `stunnel-${process.pid}`;
  const args = ['PLAIN=1', 'python3', 'tls_sip.py', 'churn', ADDRESS.b.v4, '5070', prefix, '1', '5'];
  const client = lab.start('b', 'env', args);
  assert.equal(await client.ended, 0, client.output());
  await transactions(agent, `${prefix}-0`, 5);
  nothingLost(agent);
});

test('threads, a fork with an open connection, a reset in the middle of a message, another program', {
  skip,
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py', 'tls_lives.py');
  const own = named(lab, 'python3');
  const uas = lab.start('a', own.path, ['-u', 'tls_sip.py', 'uas', HOST, '5061', HOST]);
  await lab.said(uas, /up/);
  const agent = await Agent.start(lab, ['--uprobe-comm', `^${own.name}$`], /uprobe ready/);
  const prefix = `lives-${process.pid}`;
  const client = lab.start('b', own.path, ['-u', 'tls_lives.py', HOST, '5061', prefix]);
  assert.equal(await client.ended, 0, client.output());
  const ofThreads = Array.from({ length: 40 }, (_, i) => `thread-${i % 8}-${Math.floor(i / 8)}`);
  await observed(
    agent,
    ['before', 'child', 'after', ...ofThreads].map((name) => `${prefix}-${name}`),
    2,
  );
  const all = nothingLost(agent);
  assert.equal(agent.dialog(`${prefix}-cut`), null, 'what was never whole is no message');
  // At the end that wrote it, and at the other when it was read before the reset took it away.
  const aborted = numberAt(all, 'losses', 'uprobe_messages_aborted');
  assert.ok([1, 2].includes(aborted), `${aborted} aborted`);
  assert.equal(numberAt(all, 'losses', 'uprobe_gaps'), 0);
});

test('one process by its number: another one is not observed', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const [meant, other] = [
    await python(lab, 'a', 'tls_sip.py', 'uas', HOST, '5061', HOST),
    await python(lab, 'a', 'tls_sip.py', 'uas', HOST, '5062', HOST),
  ];
  await lab.said(meant, /up/);
  await lab.said(other, /up/);
  const agent = await Agent.start(lab, [`--uprobe=${meant.child.pid}`], /uprobe ready/);
  for (const port of ['5061', '5062']) {
    const client = await python(lab, 'b', 'tls_sip.py', 'churn', HOST, port, `pid${port}-${process.pid}`, '1', '3');
    assert.equal(await client.ended, 0, client.output());
  }
  await transactions(agent, `pid5061-${process.pid}-0`, 3);
  assert.equal(agent.dialog(`pid5062-${process.pid}-0-0`), null);
});

test('who is started by a meant process, or has a meant name, is observed at once: short lives of one message', {
  skip,
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const uas = await python(lab, 'a', 'tls_sip.py', 'uas', HOST, '5061', HOST);
  await lab.said(uas, /up/);
  // It lives for as long as one transaction takes: a look at the processes would come too late.
  const ask = (callId: string): string =>
    `(printf '${optionsText(callId)}'; cat answered) | openssl s_client -quiet -no_ign_eof -connect ${HOST}:5061 | (read x; : > answered)`;
  const parent = `born-${process.pid}`;
  const lines = [0, 1, 2].map((i) => ask(`${parent}-${i}`)).join('; ');
  const shell = lab.start('b', 'sh', ['-c', `mkfifo answered; until test -e go; do sleep 0.05; done; ${lines}`]);
  const byParent = await Agent.start(lab, [`--uprobe=${shell.child.pid}`], /uprobe ready/);
  const byName = await Agent.start(lab, ['--uprobe-comm', '^openssl$'], /uprobe ready/);
  writeFileSync(lab.path('go'), '');
  await shell.ended;
  for (const agent of [byParent, byName]) {
    await transactions(agent, parent, 3);
    nothingLost(agent);
  }
});

test('a library that an upgrade deleted, and one in a mount namespace of its own, are observed', {
  skip: missingForTls('unshare', 'ldd'),
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const found = /=> (\S*libssl\S*)/.exec(
    spawnSync('sh', ['-c', 'ldd "$(python3 -c "import _ssl; print(_ssl.__file__)")"'], { encoding: 'utf8' }).stdout,
  )?.[1];
  assert.ok(found !== undefined);
  const name = found.slice(found.lastIndexOf('/') + 1);
  mkdirSync(lab.path('old'));
  copyFileSync(found, lab.path(`old/${name}`));
  const old = lab.start('a', 'env', [`LD_LIBRARY_PATH=${lab.path('old')}`, 'python3', '-u', ...uasArgs('5061')]);
  // The namespace's own file system holds the only copy of what the second server loads.
  const setUp = `mkdir own && mount -t tmpfs none own && cp ${found} own/ && LD_LIBRARY_PATH=$PWD/own exec python3 -u ${uasArgs('5062').join(' ')}`;
  const own = lab.start('a', 'unshare', ['-m', 'sh', '-c', setUp]);
  await lab.said(old, /up/);
  await lab.said(own, /up/);
  unlinkSync(lab.path(`old/${name}`));
  const agent = await Agent.start(lab, ['--uprobe'], /uprobe ready/);
  assert.match(agent.running.output(), new RegExp(`uprobe attached: ${name} \\(deleted\\) \\(1 process\\)`));
  assert.equal(existsSync(lab.path(`own/${name}`)), false);
  // By other programs' TLS library, so that what is seen is seen at the servers.
  for (const port of ['5061', '5062']) {
    const prefix = `lib${port}-${process.pid}`;
    const client = await python(lab, 'b', 'tls_sip.py', 'churn', HOST, port, prefix, '1', '3');
    assert.equal(await client.ended, 0, client.output());
    await transactions(agent, `${prefix}-0`, 3);
  }
  // Both ends were observed: each message at the client, and again at its server. Other programs of the host count too.
  const metrics = lab.do('a', process.execPath, [
    '-e',
    'fetch(process.argv[1]).then(async (r) => process.stdout.write(await r.text()))',
    `${/api listening on (\S+)/.exec(agent.running.output())?.[1]}/metrics`,
  ]);
  assert.ok(Number(/calltap_uprobe_stream_total\{event="both_ends"\} (\d+)/.exec(metrics)?.[1]) >= 12);
});

function uasArgs(port: string): string[] {
  return ['tls_sip.py', 'uas', HOST, port, HOST];
}

test('without the capabilities: one line that names them and the remedy', { skip: missingForTls('setpriv') }, () => {
  const program = new URL('../../program/calltap.js', import.meta.url).pathname;
  const nobody = asOtherUser('setpriv', '--reuid', '65534', '--clear-groups', process.execPath, program, '--uprobe');
  const [first = '', ...args] = nobody;
  const run = spawnSync(first, args, { encoding: 'utf8', timeout: 60_000 });
  assert.equal(run.status, 1, run.stderr);
  assert.match(run.stderr, /^calltap: --uprobe: [^\n]*CAP_BPF[^\n]*\n$/);
  assert.equal(run.stdout, '');
});
