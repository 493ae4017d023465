/** Calls with hundreds of hosts each, and their legs: every answer that draws them has a bound, and says what it lacks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_LEGS_SHOWN } from '../../src/explore/limits.ts';
import { REPORTS_CHARS } from '../../src/export/call-text.ts';
import { DIALOG_MESSAGES_OF_ANYBODY } from '../../src/ingest/dialogs/dialog-tracker.ts';
import { LADDER_LIFELINES, LADDER_STEPS } from '../../src/view/ladder.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { manyHosts } from '../helpers/many-hosts.ts';
import { readCapture } from '../helpers/read-capture.ts';
import { startApi } from './running-api.ts';

const CALLS = MAX_LEGS_SHOWN + 1;
const HOSTS = 500;
/** Hosts whose messages are kept, and the callee. */
const KEPT = MAX_LEGS_SHOWN * DIALOG_MESSAGES_OF_ANYBODY;
const LINES = [
  `${MAX_LEGS_SHOWN} of ${CALLS} calls; the rest is not shown.`,
  `${LADDER_STEPS} of ${KEPT} messages; the rest is not shown. The first call comes before its legs.`,
  `${LADDER_LIFELINES - 1} of ${KEPT + 1} lifelines; the rest share the last one.`,
];

test('ladders and reports over 32 of 33 legs with 500 hosts each', { timeout: 240_000 }, async (t) => {
  const { session } = await readCapture(t, manyHosts(CALLS, HOSTS).pcap(), ['--api', '127.0.0.1:1']);
  const { base, faults } = await startApi(t, { readers: session.explorer, ask: { log: () => undefined } });
  const answerOf = (path: string): Promise<Response> => fetch(`${base}/ask/calls/leg7/${path}`);

  await t.test('the ladder counts what it does not show', async () => {
    const ladder = asJson(await (await answerOf('ladder?legs=true')).json());
    assert.equal(asRows(ladder['lifelines']).length, LADDER_LIFELINES);
    assert.equal(asRows(ladder['steps']).length, LADDER_STEPS);
    assert.equal(
      asRows(ladder['steps']).filter(({ call_id }) => call_id === 'leg7').length,
      DIALOG_MESSAGES_OF_ANYBODY,
    );
    assert.deepEqual(ladder['not_shown'], {
      calls: 1,
      messages: KEPT - LADDER_STEPS,
      lifelines: KEPT + 1 - (LADDER_LIFELINES - 1),
      streams: 0,
    });
    const messages = asJson(await (await answerOf('messages?legs=true')).json());
    assert.deepEqual(messages['not_shown'], { calls: 1, messages: 0 });
  });

  await t.test('so do texts, which have some megabytes at most', async () => {
    const drawn = await (await answerOf('report?layout=ladder&legs=true')).text();
    assert.deepEqual(drawn.split('\n').slice(1, 4), LINES);
    assert.ok(drawn.length < REPORTS_CHARS, String(drawn.length));
    for (const layout of ['text', 'markdown']) {
      const report = await (await answerOf(`report?layout=${layout}&legs=true`)).text();
      assert.ok(report.length < 1.2 * REPORTS_CHARS, String(report.length));
      assert.ok(report.includes(`${LADDER_LIFELINES - 1} of ${DIALOG_MESSAGES_OF_ANYBODY + 1} lifelines`));
      assert.match(report, new RegExp(`\n\n${MAX_LEGS_SHOWN} of ${CALLS} calls; the rest is not shown.\n$`));
    }
  });

  await t.test('health is answered between the steps of eight of them', async () => {
    let made = 0;
    let between = 0;
    const asked = Array.from({ length: 8 }, async (_, i) => {
      const answer = await answerOf(i % 2 === 0 ? 'report?layout=ladder&legs=true' : 'ladder?legs=true');
      assert.equal(answer.status, 200);
      await answer.text();
      made++;
    });
    while (made < asked.length) {
      await pause(15);
      assert.equal(await (await fetch(`${base}/health`)).text(), 'ok');
      if (made < asked.length) between++;
    }
    await Promise.all(asked);
    assert.ok(between > 12, `${between} answers meanwhile`);
    assert.deepEqual(faults, []);
  });
});
