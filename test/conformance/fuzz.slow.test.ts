/**
 * Requests made from the OpenAPI document against the running program: no answer that the document does not name, no
 * body that is not of its schema, no hang. CALLTAP_FUZZ_REQUESTS sets how many (`npm run fuzz:api` sends 50,000).
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apiFuzz } from '../helpers/api-fuzz.ts';
import { fakePeer } from '../helpers/fake-peer.ts';
import { asRows } from '../helpers/json.ts';
import { ask, DEMO, startService } from './service.ts';

const REQUESTS = Number(process.env['CALLTAP_FUZZ_REQUESTS'] ?? 600);
const AT_ONCE = 8;
const LIMIT_MS = 60_000;

test(`${REQUESTS} requests after the document`, { timeout: 3_600_000 }, async (t) => {
  const fake = fakePeer(t);
  const service = await startService(['-I', DEMO, '--peer-ctl', fake.path]);
  t.after(() => service.stop());
  const callIds = asRows((await service.json('/v1/dialogs?limit=100'))['dialogs']).map((row) => String(row['call_id']));
  const ssrcs = asRows((await service.json('/v1/streams?limit=100'))['streams']).map((row) => String(row['ssrc']));
  const fuzz = apiFuzz(await service.json('/openapi.json'), callIds, ssrcs);
  const seed = Number(process.env['CALLTAP_FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
  const statuses = new Map<number, number>();
  let sent = 0;
  for (let batch = 0; sent < REQUESTS; batch++) {
    const requests = fc.sample(fuzz.requests, { seed: seed + batch, numRuns: Math.min(400, REQUESTS - sent) });
    for (let i = 0; i < requests.length; i += AT_ONCE) {
      await Promise.all(
        requests.slice(i, i + AT_ONCE).map(async (request, j) => {
          // Loopback addresses take turns, so that the rate limit is not what is tested.
          const n = sent + j;
          const from = `127.${10 + (Math.floor(n / 60 / 250 / 250) % 100)}.${Math.floor(n / 60 / 250) % 250}.${1 + (Math.floor(n / 60) % 250)}`;
          const where = `seed ${seed + batch}: ${request.options.method} ${request.path} ${String(request.options.body ?? '')}`;
          const late = new Promise<never>((_, reject) => {
            setTimeout(() => reject(new Error(`no answer: ${where}`)), LIMIT_MS).unref();
          });
          const answer = await Promise.race([ask(service.port, request.path, { ...request.options, from }), late]);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          assert.equal(fuzz.faultOf(request, answer), null, where);
        }),
      );
      sent += Math.min(AT_ONCE, requests.length - i);
    }
  }
  t.diagnostic(
    [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, n]) => `${status}: ${n}`)
      .join(', '),
  );
  assert.ok((statuses.get(200) ?? 0) > sent / 10, 'a good part of the requests is answered');
  assert.ok((statuses.get(400) ?? 0) > sent / 50, 'a good part of the requests is refused');
  assert.equal((await service.ask('/health')).text, 'ok');
  assert.equal(service.stderr().includes('fault'), false, service.stderr());
});
