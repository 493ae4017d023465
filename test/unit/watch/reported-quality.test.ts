/** What phones reported stands in histograms by trunk, each report of a whole call once, and strangers count nowhere. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { MetricFamily } from '../../../src/view/metrics-snapshot.ts';
import { reportFamilies } from '../../../src/view/report-metrics.ts';
import { SCENES } from '../../golden/scenes/all.ts';
import { captureOf } from '../../golden/scenes/scene.ts';
import { readCaptureFile, temporaryFolder } from '../../helpers/read-capture.ts';

async function familiesOf(t: TestContext, name: string, options: readonly string[] = []): Promise<MetricFamily[]> {
  const scene = SCENES.find((one) => one.name === name);
  assert.ok(scene !== undefined);
  const path = join(temporaryFolder(t), 'scene.pcap');
  writeFileSync(path, captureOf(scene));
  const { session } = await readCaptureFile(t, path, options, { observesQuality: true });
  return reportFamilies(session.figures);
}

/** Values by their labels, without those that are 0. */
function shown(families: readonly MetricFamily[], name: string): Record<string, number> {
  const family = families.find((one) => one.name === `calltap_${name}`);
  assert.ok(family !== undefined, name);
  return Object.fromEntries(
    family.samples
      .filter(({ value }) => value !== 0)
      .map(({ suffix = '', labels, value }) => [[suffix, ...Object.values(labels)].join(' ').trim(), value]),
  );
}

test('a published report of a party counts for the trunk of the call', async (t) => {
  const families = await familiesOf(t, 'callee-publishes-loss', ['--trunk', '198.51.100.20=carrier']);
  assert.deepEqual(shown(families, 'phone_reports_total'), { session: 1 });
  assert.deepEqual(shown(families, 'reported_lost_after_tap_total'), { carrier: 1 });
  assert.deepEqual(shown(families, 'reported_loss_ratio'), {
    '_bucket carrier +Inf': 1,
    '_sum carrier': 0.12,
    '_count carrier': 1,
  });
  assert.deepEqual(shown(families, 'reported_discard_ratio'), {
    ...Object.fromEntries(['0.005', '0.01', '0.03', '0.05', '0.1', '+Inf'].map((le) => [`_bucket carrier ${le}`, 1])),
    '_sum carrier': 0.005,
    '_count carrier': 1,
  });
  assert.deepEqual(shown(families, 'reported_mos_lq'), {});
});

test('RTCP comes again and again and counts once a stream, in seconds and ratios', async (t) => {
  const families = await familiesOf(t, 'loss-by-extended-reports');
  assert.ok((shown(families, 'phone_reports_total')['xr'] ?? 0) > 5);
  const counts = shown(families, 'reported_mos_lq');
  assert.deepEqual([counts['_count other'], counts['_sum other'], counts['_bucket other 3.6']], [1, 3.6, 1]);
  assert.deepEqual(shown(families, 'reported_lost_after_tap_total'), { other: 1 });
});

test('a stranger is refused no report, and moves no figure', async (t) => {
  const families = await familiesOf(t, 'report-of-a-stranger');
  assert.deepEqual(shown(families, 'phone_reports_total'), { session: 1 });
  assert.deepEqual(shown(families, 'reported_loss_ratio'), {});
  assert.deepEqual(shown(families, 'reported_lost_after_tap_total'), {});
});

test('of a part of a call, nothing', async (t) => {
  const families = await familiesOf(t, 'report-of-a-part');
  assert.deepEqual(shown(families, 'phone_reports_total'), { session: 1, interval: 1 });
  assert.deepEqual(shown(families, 'reported_loss_ratio')['_count other'], 1);
});
