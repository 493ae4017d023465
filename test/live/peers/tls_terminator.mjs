// A proxy that ends TLS and does everything to confuse: every plain connection of its backends, and what it writes to
// them, happens on the thread that runs the TLS library, some of it inside the library's callbacks.
//
//   node tls_terminator.mjs        prints "port PORT"; a client as that of tls_talk.py gets back what it sends
import { readFileSync } from 'node:fs';
import { connect, createServer as plainServer } from 'node:net';
import { createSecureContext, createServer } from 'node:tls';

const files = { key: readFileSync('k.pem'), cert: readFileSync('c.pem') };
const context = createSecureContext(files);
/** What the client says first: the size of its messages, which nobody here needs. */
const SIZE_BYTES = 4;

const backend = plainServer((socket) => {
  socket.on('error', () => {});
  socket.pipe(socket);
});
backend.listen(0, '127.0.0.1', () => {
  const to = backend.address();
  const log = connect(to);
  log.resume();
  // About as long as a TLS record of a small message is.
  const note = (what) => log.write(`${what} `.padEnd(630, '-'));
  const options = {
    ...files,
    SNICallback: (_name, done) => {
      note('sni');
      done(null, context);
    },
    ALPNCallback: () => {
      note('alpn');
      return 'sip';
    },
  };
  const server = createServer(options, (socket) => {
    note('secure');
    const back = connect(to);
    let skip = SIZE_BYTES;
    for (const s of [socket, back]) s.on('error', () => {});
    socket.on('data', (chunk) => {
      note('data');
      const rest = chunk.subarray(Math.min(skip, chunk.length));
      skip -= chunk.length - rest.length;
      if (rest.length > 0) back.write(rest);
    });
    socket.on('end', () => back.end());
    back.on('data', (chunk) => {
      socket.write(chunk);
      note('answer');
    });
  });
  server.listen(0, '127.0.0.1', () => console.log('port', server.address().port));
});
