/** -H over TLS: chain and name are checked, whatever the environment says; a certificate is shown; clear text is never sent. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { MirrorOptions } from '../../../../src/actions/hep-out/mirror.ts';
import { createMirror } from '../../../../src/actions/hep-out/mirror.ts';
import { ServiceError } from '../../../../src/core/errors.ts';
import { certified } from '../../../helpers/certificates.ts';
import { StreamCollector } from '../../../helpers/hep-collectors.ts';
import { hepOf, payloadOf } from '../../../helpers/hep-packet.ts';
import { untilHolds } from '../../../helpers/patience.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

const OPTIONS: Omit<MirrorOptions, 'hepSend'> = {
  ...{
    hepFailover: false,
    hepRtpReports: false,
    exportUprobe: false,
    hepId: 1,
    hepNode: 'edge',
    hepSendAuth: null,
    hepCa: null,
    hepCert: null,
    hepKey: null,
  },
  ...{ hepSpool: null, hepSpoolBytes: 0 },
};
const INVITE = Buffer.from('INVITE sip:b@x SIP/2.0\r\n\r\n');
const CARRIER = {
  ...{ tsUs: 1_700_000_000_000_000, origin: 0, ipVersion: 4, addresses: new Uint8Array(32) },
  ...{ srcOff: 0, dstOff: 16, srcPort: 5060, dstPort: 5060 },
  ...{ vlan: 0, dscp: 255, tcpFlags: 0 },
};

describe('HEP mirror over TLS', { timeout: 120_000 }, () => {
  it('sends to a collector whose certificate is for its name and of a CA that is trusted, and to no other', async (t) => {
    const folder = temporaryFolder(t);
    certified(folder, 'own', 'localhost');
    certified(folder, 'other', 'localhost');
    certified(folder, 'named', 'pbx.example.com');
    const path = (name: string): string => join(folder, name);
    const read = (name: string): Buffer => readFileSync(path(name));
    const came: string[] = [];
    /** What a mirror that trusts `hepCa` says of a collector with the certificate of `ca`. */
    const said = async (ca: string, hepCa: string | null, requestCert = false, own: Partial<MirrorOptions> = {}) => {
      const collector = new StreamCollector(t, (packet) => came.push(payloadOf(hepOf(packet))), {
        ...{ key: read(`${ca}-server.key`), cert: read(`${ca}-server.pem`) },
        ...(requestCert && { requestCert, rejectUnauthorized: true, ca: [read('other.pem')] }),
      });
      await collector.start();
      const lines: string[] = [];
      const hepSend = [{ transport: 'tls' as const, host: 'localhost', port: collector.port }];
      const out = createMirror(
        { ...OPTIONS, hepSend, hepCa, ...own },
        () => true,
        (line) => lines.push(line),
      );
      assert.ok(out !== null);
      t.after(() => out.close());
      await out.start();
      came.length = 0;
      out.mirrorSip(INVITE, 0, INVITE.length, CARRIER, 17);
      await untilHolds(() => came.length > 0 || lines.length > 0);
      out.close();
      collector.kill();
      return came.length > 0 ? came.join() : (lines[0] ?? '').replace(/^.*:\d+: /, '').replace(/;.*$/, '');
    };
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    t.after(() => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    });
    const untrusted = 'nobody whom --hep-ca names, or this host trusts, signed its certificate';
    assert.equal(await said('own', path('own.pem')), INVITE.toString('latin1'));
    assert.equal(await said('own', null), untrusted);
    assert.equal(await said('own', path('other.pem')), untrusted);
    assert.equal(await said('named', path('named.pem')), 'its certificate is for another name');
    // A certificate of this end, which that collector asks for.
    const shown = { hepCert: path('other-server.pem'), hepKey: path('other-server.key') };
    assert.equal(await said('own', path('own.pem'), true, shown), INVITE.toString('latin1'));
  });

  it('says nothing in clear text to a server that does not speak TLS', async (t) => {
    const got: Buffer[] = [];
    const plain = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        got.push(bytes);
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    t.after(() => plain.close());
    const { port } = plain.address() as { port: number };
    const lines: string[] = [];
    const hepSend = [{ transport: 'tls' as const, host: '127.0.0.1', port }];
    const out = createMirror(
      { ...OPTIONS, hepSend },
      () => true,
      (line) => lines.push(line),
    );
    t.after(() => out?.close());
    await out?.start();
    out?.mirrorSip(INVITE, 0, INVITE.length, CARRIER, 17);
    await untilHolds(() => got.length >= 2);
    // 22: a handshake, and nothing else, each time.
    assert.ok(got.every((bytes) => bytes[0] === 22 && !bytes.includes('INVITE')));
    assert.match(lines.join('\n'), /^-H tls:\/\/127\.0\.0\.1:\d+: it does not speak TLS; trying again/);
  });

  it('refuses files that hold something else, without any of it in the line', (t) => {
    const folder = temporaryFolder(t);
    certified(folder, 'own', 'localhost');
    const hepSend = [{ transport: 'tls' as const, host: 'localhost', port: 9061 }];
    for (const [wrong, line] of [
      [{ hepCa: join(folder, 'none') }, /^--hep-ca .*none: there is no such file; /],
      [{ hepCa: join(folder, 'own.key') }, /^--hep-ca .*own\.key: it holds no certificate; /],
      [{ hepKey: join(folder, 'own.pem') }, /^--hep-key .*own\.pem: it holds no private key; /],
    ] as const) {
      assert.throws(
        () =>
          createMirror(
            { ...OPTIONS, hepSend, ...wrong },
            () => true,
            () => undefined,
          ),
        (error) => error instanceof ServiceError && error.exitCode === 2 && line.test(error.message),
      );
    }
  });
});
