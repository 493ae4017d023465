// The other end of a tried program: asks it, or answers it, over TLS, and prints every message that went either way:
// {"from","to","identity"}, a JSON object a line.
//
//   node partner.mjs ask HOST PORT PREFIX CONNECTIONS MESSAGES PACE_MS   on each connection; ends when all is answered
//   node partner.mjs answer HOST PORT                                    prints "up"; ends with its standard input
//   node partner.mjs answer-plain HOST PORT                              the same without TLS, behind a program that ends it
//
// Expects c.pem and k.pem in the current folder.
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createServer } from 'node:tls';
import { answer, header, identity, Messages, request } from './sip.mjs';

const [role, host, port, ...rest] = process.argv.slice(2);

function sent(from, to, message) {
  process.stdout.write(`${JSON.stringify({ from, to, identity: identity(message) })}\n`);
}

/** Both addresses of a connection: { local, remote }. */
function endsOf(socket) {
  const end = (address, at) => `${address.replace(/^::ffff:/, '')}:${at}`;
  return { local: end(socket.localAddress, socket.localPort), remote: end(socket.remoteAddress, socket.remotePort) };
}

function serve(socket) {
  const { local, remote } = endsOf(socket);
  const messages = new Messages((message) => {
    sent(remote, local, message);
    if (message.startsWith('SIP/2.0 ') || message.startsWith('ACK ')) return;
    const text = answer(message);
    sent(local, remote, text);
    socket.write(text);
  });
  socket.setEncoding('latin1').on('data', (chunk) => messages.push(chunk));
  socket.on('error', () => {});
}

/** One connection: each request when the one before has its final answer. */
async function ask(prefix, count, paceMs) {
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve).once('error', reject);
  });
  const { local, remote } = endsOf(socket);
  let finish = () => {};
  let fail = () => {};
  const messages = new Messages((message) => {
    sent(remote, local, message);
    if (message.startsWith('SIP/2.0 1')) return;
    if (message.startsWith('SIP/2.0 ')) finish(header(message, 'Call-ID'));
    // A program that sends everything back is no server of SIP, and does for a test of TLS.
    else if (header(message, 'Via').includes(`z9hG4bK${prefix}.`)) finish(header(message, 'Call-ID'));
    else {
      const text = answer(message);
      sent(local, remote, text);
      socket.write(text);
    }
  });
  socket.setEncoding('latin1').on('data', (chunk) => messages.push(chunk));
  socket.on('error', (error) => fail(error)).on('close', () => fail(new Error('it closed the connection')));
  for (let number = 0; number < count; number++) {
    const text = request({ prefix, number, local, remote });
    sent(local, remote, text);
    await new Promise((resolve, reject) => {
      fail = reject;
      finish = (callId) => {
        if (callId === `${prefix}-${number}`) resolve();
      };
      socket.write(text);
    });
    fail = () => {};
    await sleep(paceMs);
  }
  socket.destroy();
}

if (role === 'ask') {
  const [prefix, connections, count, paceMs] = [rest[0], ...rest.slice(1).map(Number)];
  const all = Array.from({ length: connections }, (_, i) => ask(`${prefix}-${i}`, count, paceMs));
  const failed = (await Promise.allSettled(all)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) {
    process.stderr.write(`${failed.reason.message}\n`);
    process.exitCode = 1;
  }
} else {
  const credentials = role === 'answer' ? { key: readFileSync('k.pem'), cert: readFileSync('c.pem') } : null;
  const server = credentials === null ? createPlainServer(serve) : createServer(credentials, serve);
  server.on('tlsClientError', () => {});
  server.listen(Number(port), host, () => process.stdout.write('up\n'));
  process.stdin.resume().on('end', () => process.exit());
}
