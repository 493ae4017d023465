/** Where the service of this host is looked for: its configuration, another one, or where the packages put it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localService } from '../../../src/config/local-service.ts';

const NONE = { api: null, config: null };
const file =
  (text: string | null) =>
  (path: string): string | null =>
    path === '/etc/calltap.toml' ? text : null;

test('the configuration of the packages names address and key; without one they are those of the packages', () => {
  assert.deepEqual(localService(NONE, file('[api]\nlisten = "127.0.0.1:9090"\nkey_file = "/srv/key"\n')), {
    url: 'http://127.0.0.1:9090',
    from: '/etc/calltap.toml',
    keyFile: '/srv/key',
  });
  const fallback = { url: 'http://127.0.0.1:8080', from: 'the default address', keyFile: '/etc/calltap/key' };
  assert.deepEqual(localService(NONE, file(null)), fallback);
  assert.deepEqual(localService(NONE, file('[capture]\ndevice = ["any"]\n')), fallback);
});

test('another configuration comes first, and nothing else is read then', () => {
  const own = { api: { host: '::1', port: 81 }, config: '/srv/calltap.toml' };
  assert.deepEqual(
    localService(own, () => assert.fail('read')),
    { url: 'http://[::1]:81', from: '/srv/calltap.toml', keyFile: '/etc/calltap/key' },
  );
});

test('who listens on all addresses is asked on loopback', () => {
  for (const [listens, url] of [
    ['0.0.0.0:80', 'http://127.0.0.1:80'],
    ['[::]:81', 'http://[::1]:81'],
    ['192.0.2.1:82', 'http://192.0.2.1:82'],
  ])
    assert.equal(localService(NONE, file(`[api]\nlisten = "${listens}"\n`)).url, url);
});

test('a configuration that cannot be understood is said', () => {
  assert.throws(
    () => localService(NONE, file('[api]\nlistne = "x"\n')),
    /listne in \/etc\/calltap\.toml: there is no such key/,
  );
});
