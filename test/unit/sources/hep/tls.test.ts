/** HEP over TLS on loopback: who gets as far as a handshake, which ones end, and what is read after them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { hep3 } from '../../../../fixtures/build/hep.ts';
import { errnoOf, ServiceError } from '../../../../src/core/errors.ts';
import { hep3Length } from '../../../../src/decode/hep/hep.ts';
import { HepAllow } from '../../../../src/sources/hep/allow.ts';
import { MAX_HEP_SOURCE_CONNECTIONS } from '../../../../src/sources/hep/connections.ts';
import { HepHandshakes, MAX_HEP_HANDSHAKE_MS } from '../../../../src/sources/hep/handshakes.ts';
import { HepTcpServer } from '../../../../src/sources/hep/tcp.ts';
import { certified } from '../../../helpers/certificates.ts';
import { hepOf, payloadOf } from '../../../helpers/hep-packet.ts';
import { untilHolds } from '../../../helpers/patience.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

type Bed = {
  readonly folder: string;
  readonly server: HepTcpServer;
  readonly handshakes: HepHandshakes;
  readonly port: number;
  readonly texts: string[];
  readonly said: string[];
  /** A sender over TLS that trusts the CA `own`; it may still fail. */
  readonly open: (options?: ConnectionOptions) => TLSSocket;
  readonly plain: (from?: string) => Promise<Socket>;
};

async function serve(t: TestContext, clientCa?: string): Promise<Bed> {
  const folder = temporaryFolder(t);
  certified(folder, 'own', 'localhost');
  if (clientCa !== undefined && clientCa !== 'own') certified(folder, clientCa, 'agent', 'agent');
  const file = (name: string): string => join(folder, name);
  const files = { cert: file('own-server.pem'), key: file('own-server.key') };
  const ca = clientCa === undefined ? null : file(`${clientCa}.pem`);
  const handshakes = new HepHandshakes({ ...files, clientCa: ca });
  const list = HepAllow.parse(['127.0.0.1']);
  const texts: string[] = [];
  const said: string[] = [];
  const server = new HepTcpServer({
    lengthAt: hep3Length,
    allows: (address, version) => list.allows(address, version),
    admit: () => 'taken',
    onPacket: (b, start, end) => {
      texts.push(payloadOf(hepOf(b, start, end)));
      return null;
    },
    onStranger: (what, _arrival, code) => said.push(`${what} ${code}`),
    tls: handshakes,
  });
  const port = await server.listen('127.0.0.1', 0);
  t.after(() => server.close());
  const open = (options: ConnectionOptions = {}): TLSSocket => {
    const own = readFileSync(file('own.pem'));
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: own, ...options });
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    return socket;
  };
  const plain = async (from = '127.0.0.1'): Promise<Socket> => {
    const socket = connectPlain({ host: '127.0.0.1', port, localAddress: from });
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { folder, server, handshakes, port, texts, said, open, plain };
}

function hep(text: string): Buffer {
  const ends = { src: { address: '10.0.0.1', port: 5060 }, dst: { address: '10.0.0.2', port: 5061 } };
  return Buffer.from(hep3({ ...ends, tsUs: 1_700_000_000_000_000, payload: Buffer.from(text) }));
}

/** Its end, with an error or without. */
function closed(socket: Socket): Promise<unknown> {
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve));
}

describe('HEP over TLS', { timeout: 120_000 }, () => {
  it('reads the packets of each connection, and forgets it at its end', async (t) => {
    const bed = await serve(t);
    const large = 'x'.repeat(60_000);
    for (const text of ['one', 'two']) {
      const socket = bed.open(text === 'one' ? {} : { maxVersion: 'TLSv1.2' });
      await once(socket, 'secureConnect');
      socket.write(Buffer.concat([hep(text), hep(large), hep('cut').subarray(0, 30)]));
      socket.end();
      await closed(socket);
    }
    await untilHolds(() => bed.server.connections === 0);
    assert.deepEqual(bed.texts, ['one', large, 'two', large]);
    const { accepted, packets, cutPackets, handshakesFailed, errors } = bed.server.counts;
    assert.deepEqual([accepted, packets, cutPackets, handshakesFailed, errors], [2, 4, 2, 0, 0]);
  });

  it('an address that is not allowed gets no byte of a handshake', async (t) => {
    const bed = await serve(t);
    const socket = await bed.plain('127.0.0.2');
    let got = 0;
    socket.on('data', (b: Buffer) => {
      got += b.length;
    });
    const stranger = connect({ socket, servername: 'localhost' });
    stranger.on('error', () => {});
    await closed(socket);
    assert.equal(got, 0);
    const { refusedAddress, accepted, handshakesFailed } = bed.server.counts;
    assert.deepEqual([refusedAddress, accepted, handshakesFailed], [1, 0, 0]);
  });

  it('what is no TLS is refused by its name: HEP, HTTP, and who only looks', async (t) => {
    const bed = await serve(t);
    for (const bytes of [hep('clear'), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
      const socket = await bed.plain();
      socket.resume();
      socket.write(bytes);
      await closed(socket);
    }
    (await bed.plain()).destroy();
    await untilHolds(() => bed.server.counts.handshakesFailed === 1 && bed.server.connections === 0);
    assert.equal(bed.server.counts.notTls, 2);
    assert.deepEqual(bed.said, ['plain ERR_SSL_WRONG_VERSION_NUMBER', 'plain ERR_SSL_HTTP_REQUEST']);
    assert.deepEqual(bed.texts, []);
  });

  it('a handshake has its time, and a byte now and then does not make it longer', async (t) => {
    const bed = await serve(t);
    const slow = await bed.plain();
    const dripping = setInterval(() => slow.write(Buffer.from([22])), 100);
    // The head of a record, whose bytes never come to an end.
    slow.write(Buffer.from([22, 3, 1, 0x20, 0]));
    const silent = await bed.plain();
    const agent = bed.open();
    await once(agent, 'secureConnect');
    await Promise.all([closed(slow), closed(silent)]);
    clearInterval(dripping);
    assert.equal(bed.server.counts.handshakeTimeouts, 2);
    agent.write(hep('still here'));
    await untilHolds(() => bed.texts.length === 1);
    assert.equal(bed.server.connections, 1);
    assert.ok(MAX_HEP_HANDSHAKE_MS <= 5_000);
  });

  it('asks for certificates of its CAs where they are given', async (t) => {
    const bed = await serve(t, 'agents');
    certified(bed.folder, 'others', 'agent', 'agent');
    const as = (ca: string): ConnectionOptions => ({
      cert: readFileSync(join(bed.folder, `${ca}-agent.pem`)),
      key: readFileSync(join(bed.folder, `${ca}-agent.key`)),
    });
    for (const options of [{}, as('others'), { ...as('others'), maxVersion: 'TLSv1.2' } as const]) {
      const socket = bed.open(options);
      socket.resume();
      socket.once('secureConnect', () => socket.write(hep('never')));
      await closed(socket);
    }
    const agent = bed.open(as('agents'));
    agent.write(hep('certified'));
    await untilHolds(() => bed.texts.length > 0);
    assert.deepEqual(bed.texts, ['certified']);
    assert.equal(bed.server.counts.uncertified, 3);
    const unknown = 'uncertified UNABLE_TO_VERIFY_LEAF_SIGNATURE';
    assert.deepEqual(bed.said, ['uncertified UNABLE_TO_GET_ISSUER_CERT', unknown, unknown]);
  });

  it('no chain of megabytes, no renegotiation', async (t) => {
    const bed = await serve(t, 'own');
    const pem = readFileSync(join(bed.folder, 'own-server.pem'), 'utf8');
    const key = readFileSync(join(bed.folder, 'own-server.key'), 'utf8');
    const chain = bed.open({ cert: pem.repeat(2_000), key });
    await closed(chain);
    await untilHolds(() => bed.server.counts.handshakesFailed === 1);
    assert.match(bed.said[0] ?? '', /^handshake ERR_SSL_EXCESSIVE_MESSAGE_SIZE$/);
    const agent = bed.open({ cert: pem, key, maxVersion: 'TLSv1.2' });
    await once(agent, 'secureConnect');
    const refused = new Promise<Error>((resolve) => agent.once('error', resolve));
    agent.renegotiate({}, () => {});
    assert.equal(errnoOf(await refused), 'ERR_SSL_NO_RENEGOTIATION');
    agent.destroy();
    await untilHolds(() => bed.server.connections === 0);
  });

  it('one source has its places and no more, also while it shakes hands', async (t) => {
    const bed = await serve(t);
    for (let i = 0; i < MAX_HEP_SOURCE_CONNECTIONS; i++) await bed.plain();
    const more = await bed.plain();
    await closed(more);
    assert.equal(bed.server.counts.refusedSource + bed.server.counts.handshakesOverRate, 1);
    assert.equal(bed.server.connections, MAX_HEP_SOURCE_CONNECTIONS);
  });

  it('a certificate that is read again is that of the next connection; a broken one changes nothing', async (t) => {
    const bed = await serve(t);
    const first = bed.open();
    await once(first, 'secureConnect');
    certified(bed.folder, 'next', 'localhost');
    const nextCa = readFileSync(join(bed.folder, 'next.pem'));
    const at = (name: string): string => join(bed.folder, name);
    const renewal = (words: RegExp): void =>
      assert.throws(
        () => bed.handshakes.renew(),
        (e) => e instanceof ServiceError && words.test(e.message),
      );

    copyFileSync(at('next-server.pem'), at('own-server.pem'));
    renewal(/^--hep-listen-key .*: it is not the key of --hep-listen-cert; /);
    writeFileSync(at('own-server.key'), '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n');
    renewal(/^--hep-listen-key .*: it holds no private key; /);
    writeFileSync(at('own-server.pem'), 'half of a cert');
    renewal(/^--hep-listen-cert .*: it holds no certificate; /);
    const same = bed.open();
    await once(same, 'secureConnect');

    for (const end of ['pem', 'key']) copyFileSync(at(`next-server.${end}`), at(`own-server.${end}`));
    bed.handshakes.renew();
    await closed(bed.open());
    const next = bed.open({ ca: nextCa });
    await once(next, 'secureConnect');
    for (const socket of [first, same, next]) socket.write(hep('read'));
    await untilHolds(() => bed.texts.length === 3);
  });
});
