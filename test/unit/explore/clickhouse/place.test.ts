/** Where a store is: what is no such URL is refused, and a password goes over http to this host alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStore, storeLookup } from '../../../../src/explore/clickhouse/place.ts';
import { storePlace } from '../../../helpers/fake-store.ts';

const LOGIN = { user: 'edge', password: 'secret', ca: null } as const;

function reasonOf(text: string): string {
  const place = readStore(text);
  return 'reason' in place ? place.reason : '';
}

test('the path names the database', () => {
  assert.equal(storePlace('https://store.example:8443/voice').database, 'voice');
  assert.equal(storePlace('https://store.example:8443/').database, 'calltap');
  for (const path of ['a/b', 'a;drop', 'a%20b'])
    assert.equal(reasonOf(`https://store.example/${path}`), 'its path is no name of a database', path);
});

test('what is no URL of a store says why', () => {
  for (const [text, reason] of [
    ['ftp://store/', 'it begins with neither http nor https'],
    ['http://me:secret@store/', 'a user and a password do not belong there'],
    ['http://store/?x=1', 'it ends with a query or a fragment'],
  ] as const)
    assert.equal(reasonOf(text), reason, text);
});

test('a password goes over http to this host alone, an insert without one to any', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost', 'store.example'])
    storeLookup(storePlace(`http://${host}:8123`), LOGIN);
  for (const host of ['192.0.2.1', '[2001:db8::1]', '0.0.0.0'])
    assert.throws(() => storeLookup(storePlace(`http://${host}:8123`), LOGIN), /the password would go over http/, host);
  storeLookup(storePlace('https://192.0.2.1:8443'), LOGIN);
  storeLookup(storePlace('http://192.0.2.1:8123'), { ...LOGIN, password: null });
});

test('a name that resolves to another host gets no password', async () => {
  // Where the machine resolves no name at all, that is the error: no address is handed out either way.
  const lookup = storeLookup(storePlace('http://store.example:8123'), LOGIN);
  const error = await new Promise((resolve) => lookup('192.0.2.1', {}, (reason) => resolve(reason)));
  assert.ok(error instanceof Error && /the password would go over http to 192\.0\.2\.1/.test(error.message));
});
