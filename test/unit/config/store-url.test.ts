/** Where a store answers: what is no such URL is refused, and a password goes over http to this host alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStoreUrl } from '../../../src/config/store-url.ts';

const reasonOf = (text: string, hasPassword = false): string => {
  try {
    readStoreUrl('--ship', text, hasPassword);
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
  return '';
};

test('the path names the database', () => {
  assert.equal(readStoreUrl('--ship', 'https://store.example:8443/voice', true).database, 'voice');
  assert.equal(readStoreUrl('--ship', 'https://store.example:8443/', true).database, 'calltap');
  assert.match(reasonOf('https://store.example/a/b'), /its path is no name of a database/);
  assert.match(reasonOf('https://store.example/a;drop'), /its path is no name of a database/);
});

test('what is no URL of a store says why', () => {
  for (const [text, reason] of [
    ['store:8123', 'it begins with neither'],
    ['nothing', 'it is no URL'],
    ['ftp://store/', 'it begins with neither'],
    ['http://me:secret@store/', 'a user and a password do not belong there'],
    ['http://store/?x=1', 'it ends with a query'],
  ] as const)
    assert.ok(reasonOf(text).includes(reason), `${text}: ${reasonOf(text)}`);
});

test('a password goes over http to this host alone', () => {
  for (const host of ['127.0.0.1:8123', '[::1]:8123', 'localhost:8123', '127.9.9.9'])
    assert.equal(reasonOf(`http://${host}/`, true), '');
  for (const host of ['192.0.2.1:8123', 'store.example', 'localhost.example', '[2001:db8::1]', '0x7f.example'])
    assert.match(reasonOf(`http://${host}/`, true), /the password would go over http to another host/);
  assert.equal(reasonOf('https://192.0.2.1:8443/', true), '');
  assert.equal(reasonOf('http://192.0.2.1:8123/'), '');
});
