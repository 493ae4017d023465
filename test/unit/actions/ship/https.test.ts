/** --ship over https: chain and name are checked, whatever the environment says; nothing goes in clear text instead. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { certified } from '../../../helpers/certificates.ts';
import { FakeStore, rowText, storePlace } from '../../../helpers/fake-store.ts';
import { untilHolds } from '../../../helpers/patience.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';
import { assertBalanced, shipmentTo } from './lab.ts';

const PATIENT_MS = 60_000;

describe('shipment over https', { timeout: 120_000 }, () => {
  it('sends to a store whose certificate is for its name and of a CA that is trusted, and to no other', async (t) => {
    const folder = temporaryFolder(t);
    certified(folder, 'own', 'localhost');
    certified(folder, 'other', 'localhost');
    certified(folder, 'named', 'store.example.com');
    const read = (name: string): Buffer => readFileSync(join(folder, name));
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    t.after(() => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    });
    /** What a shipment that trusts `ca` says of a store with the certificate of `own`; null when the row got there. */
    const said = async (own: string, ca: string | null): Promise<string | null> => {
      const store = new FakeStore(t, { key: read(`${own}-server.key`), cert: read(`${own}-server.pem`) });
      await store.start();
      const lab = shipmentTo(t, store.port, join(folder, 'spool'), {
        place: storePlace(`https://localhost:${store.port}`),
        ca: ca === null ? null : read(ca).toString(),
        user: 'edge',
        password: 'secret',
        times: { answerMs: PATIENT_MS },
      });
      lab.shipment.start();
      lab.shipment.add('calls', rowText(1));
      await untilHolds(() => store.count > 0 || lab.said.length > 0);
      if (store.count > 0) await lab.shipment.drain(PATIENT_MS);
      await lab.shipment.close();
      assertBalanced(lab.shipment);
      assert.equal(store.inserts.length > 0, store.count > 0);
      await store.stop();
      return lab.said[0]?.replace(/^https:\/\/localhost:\d+: /, '') ?? null;
    };
    const untrusted = 'nobody whom --ship-ca names, or this host trusts, signed its certificate';
    assert.equal(await said('own', null), untrusted);
    assert.equal(await said('own', 'other.pem'), untrusted);
    assert.equal(await said('named', 'named.pem'), 'its certificate is for another name');
    assert.equal(readdirSync(join(folder, 'spool')).length, 3, 'rows wait for a store that can be trusted');
    assert.equal(await said('own', 'own.pem'), null);
    assert.deepEqual(readdirSync(join(folder, 'spool')), []);
  });

  it('says nothing in clear text to a server that does not speak TLS', async (t) => {
    const got: Buffer[] = [];
    const plain = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        got.push(bytes);
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    t.after(() => plain.close());
    const { port } = plain.address() as { port: number };
    const place = storePlace(`https://127.0.0.1:${port}`);
    const login = { place, user: 'edge', password: 'secret' };
    const { shipment, said } = shipmentTo(t, port, temporaryFolder(t), login);
    shipment.start();
    shipment.add('calls', rowText(1));
    await untilHolds(() => got.length >= 2);
    // 22: a handshake, and nothing else, each time.
    assert.ok(got.every((bytes) => bytes[0] === 22 && !bytes.includes('INSERT')));
    assert.deepEqual(said, [`https://127.0.0.1:${port}: it does not speak TLS`]);
    assert.equal(shipment.waitingRows, 1);
  });
});
