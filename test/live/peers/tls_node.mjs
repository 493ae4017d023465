// A TLS server and clients in one node process, which has OpenSSL inside and a memory BIO for each connection.
//
//   node tls_node.mjs CONNECTIONS MESSAGES
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:tls';

const [connections, messages] = process.argv.slice(2).map(Number);
const SIZE = 700;
const text = (port) => `MESSAGE sip:b@example.org SIP/2.0\r\nX-Port: ${port};\r\n\r\n`.padEnd(SIZE, '.');

/** Calls back after every SIZE bytes. */
function eachMessage(socket, then) {
  let have = 0;
  socket.on('data', (chunk) => {
    for (have += chunk.length; have >= SIZE; have -= SIZE) then();
  });
}

const server = createServer({ key: readFileSync('k.pem'), cert: readFileSync('c.pem') }, (socket) => {
  socket.on('error', () => {});
  eachMessage(socket, () => socket.write(text(socket.remotePort)));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  console.log('port', port);
  let open = connections;
  for (let i = 0; i < connections; i++) {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    let left = messages;
    // The first is written from inside the library's callback for the end of the handshake.
    socket.on('secureConnect', () => socket.write(text(socket.localPort)));
    eachMessage(socket, () => {
      left--;
      if (left > 0) setTimeout(() => socket.write(text(socket.localPort)), Math.random() * 10);
      else socket.end();
    });
    socket.on('close', () => {
      open--;
      if (open === 0) process.exit(0);
    });
  }
});
