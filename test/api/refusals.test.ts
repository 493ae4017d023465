/** Each face tells each of the four refusals, in the words of whoever refused, and takes none for a fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Away, Busy, Cannot, NotHere, type Refusal } from '../../src/explore/refusal.ts';
import { answerOr } from '../../src/faces/tui/answered.ts';
import { saveCall } from '../../src/faces/tui/save.ts';
import { assertRefused, DEMO, run } from '../cli/run-program.ts';
import { call, overHttp } from '../mcp/agent-kit.ts';
import { fakeReaders } from './fake-readers.ts';
import { startApi } from './running-api.ts';

const REFUSALS: readonly (readonly [refusal: Refusal, status: number, type: string])[] = [
  [new Busy('Ten others ask.'), 503, 'overloaded'],
  [new NotHere('No such call is here.'), 404, 'not-found'],
  [new Cannot('no-audio', 'Nothing was kept.'), 422, 'no-audio'],
  [new Away('store-away', 'The store is away.'), 503, 'store-away'],
];

for (const [refusal, status, type] of REFUSALS)
  test(`${refusal.constructor.name} over HTTP, to an agent and on a screen`, async (t) => {
    const log = (): void => undefined;
    const refuse = () => Promise.reject(refusal);
    const readers = fakeReaders({ stats: refuse, audio: refuse, select: (callId) => ({ callId }) });
    const { base, faults } = await startApi(t, { readers, ask: { log }, mcp: { credentials: null, log } });
    for (const path of ['/v1/stats', '/ask/health', '/ask/calls/x/audio']) {
      const answer = await fetch(base + path);
      const problem = (await answer.json()) as { readonly type: string; readonly detail: string };
      assert.deepEqual([answer.status, problem.detail], [status, refusal.message], path);
      assert.ok(problem.type.endsWith(type), problem.type);
      assert.equal(answer.headers.get('retry-after'), refusal instanceof Busy ? '1' : null);
    }
    const told = await call(await overHttp(t, base, '2026-07-28'), 'capture_stats');
    assert.deepEqual([told.isRefusal, told.texts], [true, [refusal.message]]);
    assert.deepEqual(faults, []);

    const shown = refusal instanceof NotHere ? 'the call is not here any more' : refusal.message;
    const said: string[] = [];
    assert.equal(await answerOr(refuse, (why) => said.push(why)), null);
    assert.deepEqual(said, [shown]);
    const saved = await saveCall(readers, ['x'], 'wav', { isUtc: true, showsSecrets: false });
    assert.deepEqual(saved, { said: shown, isSaved: false });
  });

test('what is no refusal is a fault on a screen too', async () => {
  const fault = new TypeError('x');
  await assert.rejects(
    answerOr(
      () => Promise.reject(fault),
      () => undefined,
    ),
    fault,
  );
});

test('a question without an answer is one line and exit code 1 on the command line', async () => {
  const wav = ['--wav', 'register-ok@pbx.example.com', '--to', '/nowhere/x.wav'];
  const line = assertRefused(await run(['-I', DEMO, ...wav]), 1);
  assert.match(line, /^calltap: --wav: No audio stream belongs to this dialog; run --call-report/);
});
