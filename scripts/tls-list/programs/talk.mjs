// Talks SIP over TLS by node:tls, in Node, deno and bun.
import { connect } from 'node:tls';

const tls = connect({ port: Number(process.env.TLS_PORT), host: '127.0.0.1', rejectUnauthorized: false });
let number = 0;
const send = () => tls.write(process.env.TLS_MESSAGE.replaceAll('NUMBER', String(++number)));
tls.on('secureConnect', send);
tls.on('data', () => setTimeout(send, 500));
tls.on('close', () => process.exit(1));
