// SIP over TLS by node on either side, as a server, a client or a TLS-terminating proxy, with or without WebSocket.
//
//   sip_node.mjs server HOST PORT            answers every request with 200; prints "up"
//   sip_node.mjs proxy HOST PORT TO_PORT     ends TLS, and passes the plaintext on to a TCP port of the same host
//   sip_node.mjs plain HOST PORT             the same server without TLS
//   sip_node.mjs client HOST PORT PREFIX N   N OPTIONS on one connection
//   sip_node.mjs wss HOST PORT PREFIX N [C]  the same over WebSocket, after a web request on another connection; the upgrade
//                                            has a cookie of C bytes
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect as plainConnect, createServer as plainServer } from 'node:net';
import { connect, createServer } from 'node:tls';

const [role, host, port, third, fourth, cookieBytes = '0'] = process.argv.slice(2);
const key = role === 'client' || role === 'wss' ? undefined : readFileSync('k.pem');
const cert = key === undefined ? undefined : readFileSync('c.pem');

/** Frames of at most 64 KB; a client masks. */
function frame(text, isMasked) {
  const data = Buffer.from(text);
  const head = data.length < 126 ? [0x81, data.length] : [0x81, 126, data.length >> 8, data.length & 255];
  if (!isMasked) return Buffer.concat([Buffer.from(head), data]);
  head[1] |= 128;
  const mask = [1, 2, 3, 4];
  return Buffer.concat([Buffer.from([...head, ...mask]), data.map((c, i) => c ^ mask[i & 3])]);
}

/** Calls `each` with the text of every whole frame; keeps the rest. */
function frames(state, chunk, each) {
  state.rest = Buffer.concat([state.rest ?? Buffer.alloc(0), chunk]);
  for (;;) {
    const b = state.rest;
    if (b.length < 2) return;
    const isLong = (b[1] & 127) === 126;
    if (isLong && b.length < 4) return;
    const length = isLong ? b.readUInt16BE(2) : b[1] & 127;
    const maskAt = isLong ? 4 : 2;
    const at = maskAt + (b[1] & 128 ? 4 : 0);
    if (b.length < at + length) return;
    const data = b.subarray(at, at + length).map((c, i) => (b[1] & 128 ? c ^ b[maskAt + (i & 3)] : c));
    state.rest = b.subarray(at + length);
    each(Buffer.from(data).toString());
  }
}

function messages(state, chunk, each) {
  state.text = (state.text ?? '') + chunk;
  for (let end = state.text.indexOf('\r\n\r\n'); end >= 0; end = state.text.indexOf('\r\n\r\n')) {
    each(state.text.slice(0, end + 4));
    state.text = state.text.slice(end + 4);
  }
}

function answer(request) {
  const kept = request.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq|To):/.test(line));
  return [
    'SIP/2.0 200 OK',
    ...kept.map((l) => (l.startsWith('To:') ? `${l};tag=node` : l)),
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}

function options(prefix, i) {
  return [
    'OPTIONS sip:b@example.org SIP/2.0',
    `Via: SIP/2.0/TLS node.invalid;branch=z9hG4bK${prefix}.${i}`,
    'From: <sip:a@example.org>;tag=node',
    'To: <sip:b@example.org>',
    `Call-ID: ${prefix}-${i}`,
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}

function serve(socket) {
  const state = {};
  let isWebSocket = false;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    if (isWebSocket) return frames(state, chunk, (text) => socket.write(frame(answer(text), false)));
    messages(state, chunk, (text) => {
      if (!text.startsWith('GET ')) return socket.write(answer(text));
      const wanted = /Sec-WebSocket-Key: (\S+)/.exec(text)?.[1];
      if (wanted === undefined) return socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret');
      const accept = createHash('sha1').update(`${wanted}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      isWebSocket = true;
      return socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: sip\r\n\r\n`,
      );
    });
  });
}

const up = () => console.log('up');
const target = { host, port: Number(port), rejectUnauthorized: false };
if (role === 'server') createServer({ key, cert }, serve).listen(Number(port), host, up);
if (role === 'plain') plainServer(serve).listen(Number(port), host, up);
if (role === 'proxy') {
  createServer({ key, cert }, (socket) => {
    const back = plainConnect(Number(third), host);
    for (const s of [socket, back]) s.on('error', () => {});
    socket.pipe(back).pipe(socket);
  }).listen(Number(port), host, up);
}
if (role === 'client') {
  let i = 0;
  const state = {};
  const socket = connect(target, () => socket.write(options(third, 0)));
  socket.on('data', (chunk) =>
    messages(state, chunk, () => {
      if (++i < Number(fourth)) socket.write(options(third, i));
      else socket.end();
    }),
  );
}
if (role === 'wss') {
  const web = connect(target, () =>
    web.write('GET /private HTTP/1.1\r\nHost: x\r\nAuthorization: Basic c2VjcmV0\r\n\r\n'),
  );
  web.once('data', () => {
    web.end();
    let i = 0;
    let isOpen = false;
    const state = {};
    const socket = connect(target, () =>
      socket.write(
        `GET /sip HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nCookie: c=${'c'.repeat(Number(cookieBytes))}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sip\r\n\r\n`,
      ),
    );
    const next = () => (i < Number(fourth) ? socket.write(frame(options(third, i++), true)) : socket.end());
    socket.on('data', (chunk) => {
      if (isOpen) return frames(state, chunk, next);
      isOpen = chunk.includes('\r\n\r\n');
      return next();
    });
  });
}
