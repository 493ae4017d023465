/** A key over https: with a certificate that the CA of --ca signed for this name, and with no other one. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { openRemote } from '../../../../src/explore/remote/remote-port.ts';
import { RemoteFailure } from '../../../../src/net/failures.ts';
import { readPlace } from '../../../../src/net/target.ts';
import { certified } from '../../../helpers/certificates.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

/** A service behind TLS; the headers that it got. */
async function serve(
  t: TestContext,
  folder: string,
  ca: string,
): Promise<{ port: number; keys: (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  const server = createServer(
    { key: read(`${ca}-server.key`), cert: read(`${ca}-server.pem`) },
    (request, response) => {
      keys.push(request.headers.authorization);
      const isPulse = request.url === '/ask/pulse';
      response.writeHead(200, { 'content-type': isPulse ? 'application/json' : 'text/event-stream' });
      if (isPulse)
        response.end(
          '{"schema_version":1,"calls":0,"active":0,"packets":0,"sip_messages":0,"dropped":0,"outside":0,"is_degraded":false}',
        );
      else response.write('event: resync\ndata: {}\n\n');
    },
  ).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port, keys };
}

test('https: the certificate is checked before the key is sent, whatever the environment says', async (t) => {
  const folder = temporaryFolder(t);
  certified(folder, 'own', 'localhost');
  certified(folder, 'other', 'localhost');
  certified(folder, 'named', 'pbx.example.com');
  const pem = (ca: string): string => readFileSync(join(folder, `${ca}.pem`), 'utf8');
  const { port, keys } = await serve(t, folder, 'own');
  const connect = async (url: string, ca: string | null): Promise<string> => {
    const place = readPlace(url);
    assert.ok(!('reason' in place));
    try {
      const remote = await openRemote({ ...place, key: { text: 'secret', isLocal: false }, keyHint: '', ca }, true);
      remote.close();
      return '';
    } catch (error) {
      assert.ok(error instanceof RemoteFailure);
      return `${error.message}; ${error.remedy}`;
    }
  };
  assert.equal(await connect(`https://localhost:${port}`, pem('own')), '');
  assert.deepEqual([...new Set(keys)], ['Bearer secret']);
  keys.length = 0;
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
  const untrusted =
    /^nobody whom this host trusts signed its certificate; give the certificate of its CA with --ca FILE$/;
  assert.match(await connect(`https://localhost:${port}`, null), untrusted);
  assert.match(await connect(`https://localhost:${port}`, pem('other')), untrusted);
  assert.match(await connect(`https://127.0.0.1:${port}`, pem('own')), /^its certificate is for another name; /);
  const named = await serve(t, folder, 'named');
  assert.match(
    await connect(`https://localhost:${named.port}`, pem('named')),
    /^its certificate is for another name; /,
  );
  assert.deepEqual([keys, named.keys], [[], []], 'nothing was sent');
});
