/** GET and POST /v1/persistence: the rows of the interface's table, and every body that is not one. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { PersistenceGate } from '../../src/export/persistence-gate.ts';
import { fakeReaders } from './fake-readers.ts';
import { startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

type Gate = {
  readonly get: () => Promise<unknown>;
  readonly post: (body: string) => Promise<{ readonly status: number; readonly body: unknown }>;
};

async function gate(t: TestContext, isAuthorized: boolean): Promise<Gate> {
  const state = new PersistenceGate(isAuthorized);
  const { base } = await startApi(t, {
    readers: fakeReaders({ persistence: () => state.state(), setPersistence: (on) => state.request(on) }),
  });
  return {
    async get() {
      const answer: unknown = await (await fetch(`${base}/v1/persistence`)).json();
      assertDocument('Persistence', answer);
      return answer;
    },
    async post(body) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${base}/v1/persistence`, { method: 'POST', body, headers });
      return { status: answer.status, body: await answer.json() };
    },
  };
}

test('an authorized gate closes and opens', async (t) => {
  const g = await gate(t, true);
  assert.deepEqual(await g.get(), { enabled: true, authorized: true });
  assert.deepEqual(await g.post('{"enabled":false}'), { status: 200, body: { enabled: false, authorized: true } });
  assert.deepEqual(await g.get(), { enabled: false, authorized: true });
  assert.deepEqual(await g.post('{"enabled":true}'), { status: 200, body: { enabled: true, authorized: true } });
});

test('one that is not authorized stays closed', async (t) => {
  const g = await gate(t, false);
  for (const enabled of [true, false]) {
    const answer = await g.post(JSON.stringify({ enabled }));
    assert.deepEqual(answer, { status: 200, body: { enabled: false, authorized: false } });
  }
});

test('anything but exactly one boolean is 400 and changes nothing', async (t) => {
  const g = await gate(t, true);
  for (const body of [
    '{}',
    '[]',
    'null',
    'true',
    '{"enabled":"false"}',
    '{"enabled":0}',
    '{"enabled":false,"x":1}',
    '{',
  ])
    assert.equal((await g.post(body)).status, 400, body);
  assert.deepEqual(await g.get(), { enabled: true, authorized: true });
});
