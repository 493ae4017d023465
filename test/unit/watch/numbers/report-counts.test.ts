/** What phones reported stands in histograms by trunk, each report of a whole call once, and strangers count nowhere. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { SCENES } from '../../../golden/scenes/all.ts';
import { captureOf } from '../../../golden/scenes/scene.ts';
import { Numbers } from '../../../helpers/numbers.ts';
import { readCapture } from '../../../helpers/read-capture.ts';

async function numbersOf(
  t: TestContext,
  name: string,
  options: readonly string[] = [],
  families = 'reports',
): Promise<Numbers> {
  const scene = SCENES.find((one) => one.name === name);
  assert.ok(scene !== undefined);
  const served = ['--metrics', '127.0.0.1:0', '--metrics-families', families];
  const { session } = await readCapture(t, captureOf(scene), [...served, ...options]);
  return new Numbers(session.figures);
}

test('a published report of a party counts for the trunk of the call', async (t) => {
  const numbers = await numbersOf(t, 'callee-publishes-loss', ['--trunk', '198.51.100.20=carrier']);
  assert.deepEqual(numbers.all('calltap_phone_reports_total'), { session: 1 });
  assert.deepEqual(numbers.all('calltap_reported_lost_after_tap_total'), { carrier: 1 });
  // Loss of 12 % lies beyond all bounds, discarded are 0.5 %.
  assert.deepEqual(numbers.buckets('calltap_reported_loss_ratio', 'carrier'), [0, 0, 0, 0, 0, 0, 1]);
  assert.equal(numbers.sum('calltap_reported_loss_ratio', 'carrier'), 0.12);
  assert.deepEqual(numbers.buckets('calltap_reported_discard_ratio', 'carrier'), [0, 1, 0, 0, 0, 0, 0]);
  assert.deepEqual(numbers.all('calltap_reported_mos_lq'), {});
});

test('RTCP comes again and again and counts once a stream, in seconds and ratios', async (t) => {
  const numbers = await numbersOf(t, 'loss-by-extended-reports');
  assert.ok(numbers.of('calltap_phone_reports_total', 'xr') > 5);
  assert.deepEqual(numbers.buckets('calltap_reported_mos_lq', 'other'), [0, 0, 0, 1, 0, 0, 0]);
  assert.equal(numbers.sum('calltap_reported_mos_lq', 'other'), 3.6);
  assert.deepEqual(numbers.all('calltap_reported_lost_after_tap_total'), { other: 1 });
});

test('a report of a stranger is counted, and moves no figure', async (t) => {
  const numbers = await numbersOf(t, 'report-of-a-stranger');
  assert.deepEqual(numbers.all('calltap_phone_reports_total'), { session: 1 });
  assert.deepEqual(numbers.all('calltap_reported_loss_ratio'), {});
  assert.deepEqual(numbers.all('calltap_reported_lost_after_tap_total'), {});
});

test('of a part of a call, nothing', async (t) => {
  const numbers = await numbersOf(t, 'report-of-a-part');
  assert.deepEqual(numbers.all('calltap_phone_reports_total'), { session: 1, interval: 1 });
  assert.equal(numbers.of('calltap_reported_loss_ratio', 'other'), 1);
});

test('where nobody chose them there are none', async (t) => {
  const numbers = await numbersOf(t, 'callee-publishes-loss', [], 'rfc6076');
  assert.deepEqual(numbers.all('calltap_phone_reports_total'), {});
});
