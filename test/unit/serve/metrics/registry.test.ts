/** The metrics page: the families of the interface, counters that never fall, and bounded labels. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketCounts, MOS_BOUNDS, PDD_SECONDS_BOUNDS } from '../../../../src/core/counters.ts';
import { METRIC_GROUPS, readMetricGroups } from '../../../../src/core/metric-groups.ts';
import type { StateCase } from '../../../../src/serve/metrics/registry.ts';
import { createMetricsPage } from '../../../../src/serve/metrics/registry.ts';
import type { MetricFamily } from '../../../../src/view/metrics/family.ts';
import type { MetricsSnapshot } from '../../../../src/view/metrics/snapshot.ts';
import { metricsSnapshot } from '../../../api/fake-readers.ts';

function page(read: () => MetricsSnapshot, stateCase: StateCase = 'lower'): () => Promise<string> {
  const metrics = createMetricsPage({ read, stateCase, version: '1.2.3' });
  return async () => (await metrics.render()).body.toString();
}

function sampleValue(text: string, sample: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  assert.ok(line !== undefined, `${sample} is not in\n${text}`);
  return Number(line.slice(sample.length + 1));
}

test('every family of the interface has its type', async () => {
  const text = await page(metricsSnapshot)();
  const expected = {
    service_dialogs_total: 'counter',
    service_messages_total: 'counter',
    service_rtp_streams_active: 'gauge',
    service_rtp_streams_total: 'counter',
    service_capture_packets_total: 'counter',
    service_reassembly_timeouts_total: 'counter',
    service_pdd_seconds: 'histogram',
    service_mos: 'histogram',
    service_jitter_ms: 'histogram',
    service_loss_percent: 'histogram',
    service_responses_total: 'counter',
    service_security_alerts_total: 'counter',
    service_diagnosis_total: 'counter',
  };
  const declared = [...text.matchAll(/^# TYPE (service_\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
  assert.deepEqual(Object.fromEntries(declared), expected);
  for (const empty of ['service_responses_total', 'service_security_alerts_total', 'service_diagnosis_total']) {
    assert.ok(!new RegExp(`^${empty}[ {]`, 'm').test(text), `${empty} is declared and empty`);
  }
});

test('buckets are those of the interface and cumulative', async () => {
  const pdd = new BucketCounts(PDD_SECONDS_BOUNDS);
  for (const seconds of [0.5, 0.75, 4, 11]) pdd.observe(seconds);
  pdd.observe(Number.NaN);
  const mos = new BucketCounts(MOS_BOUNDS);
  const text = await page(() => metricsSnapshot({ pddSeconds: pdd.snapshot(), mos: mos.snapshot() }))();
  const buckets = (name: string): string[] =>
    [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"\\} (\\d+)$`, 'gm'))].map(([, le, n]) => `${le}:${n}`);
  assert.deepEqual(buckets('service_pdd_seconds'), ['0.5:1', '1:2', '2:2', '3:2', '5:3', '10:3', '+Inf:4']);
  assert.equal(sampleValue(text, 'service_pdd_seconds_sum'), 16.25);
  assert.equal(sampleValue(text, 'service_pdd_seconds_count'), 4);
  assert.deepEqual(buckets('service_mos'), ['1:0', '2:0', '2.5:0', '3:0', '3.5:0', '4:0', '4.5:0', '+Inf:0']);
  assert.equal(
    buckets('service_jitter_ms')
      .map((each) => each.split(':')[0])
      .join(),
    '5,10,20,50,100,200,+Inf',
  );
  assert.equal(
    buckets('service_loss_percent')
      .map((each) => each.split(':')[0])
      .join(),
    '0.1,0.5,1,2,5,10,+Inf',
  );
});

test('states are lower-case for the API and as-cased for the standalone server', async () => {
  assert.match(await page(metricsSnapshot, 'lower')(), /^service_dialogs_total\{state="incall"\} 1$/m);
  assert.match(await page(metricsSnapshot, 'as-cased')(), /^service_dialogs_total\{state="InCall"\} 1$/m);
  const text = await page(metricsSnapshot)();
  assert.equal([...text.matchAll(/^service_dialogs_total\{/gm)].length, 13, 'all thirteen states, zero included');
});

test('counters follow their totals and never fall', async () => {
  let packets = 10;
  const render = page(() => metricsSnapshot({ capturePackets: packets, streamsActive: packets }));
  const read = async (): Promise<number[]> => {
    const text = await render();
    return [sampleValue(text, 'service_capture_packets_total'), sampleValue(text, 'service_rtp_streams_active')];
  };
  assert.deepEqual(await read(), [10, 10]);
  assert.deepEqual(await read(), [10, 10]);
  packets = 25;
  assert.deepEqual(await read(), [25, 25]);
  packets = 3;
  assert.deepEqual(await read(), [25, 3]);
  packets = 26;
  assert.deepEqual(await read(), [26, 26]);
});

test('a hostile method name becomes no label', async () => {
  const messagesByMethod = new Map([
    ['INVITE', 2],
    ['X"} 1\nevil', 3],
    ['A'.repeat(500), 4],
  ]);
  const text = await page(() => metricsSnapshot({ messagesByMethod }))();
  assert.equal(sampleValue(text, 'service_messages_total{method="INVITE"}'), 2);
  assert.equal(sampleValue(text, 'service_messages_total{method="other"}'), 7);
  assert.ok(!text.includes('evil'));
});

test('families of a snapshot are shown, and bounded by their row', async () => {
  const gauge = (n: number): MetricFamily => ({
    name: 'calltap_hep_out_up',
    samples: Array.from({ length: n }, (_, i) => ({ labels: [`t${i}`], value: i })),
  });
  let families: readonly MetricFamily[] = [gauge(3)];
  const render = page(() => metricsSnapshot({ families }));
  assert.equal(sampleValue(await render(), 'calltap_hep_out_up{collector="t2"}'), 2);
  families = [gauge(1)];
  assert.ok(!(await render()).includes('t2'), 'a sample that is gone is not shown again');
  families = [gauge(500)];
  const text = await render();
  assert.equal([...text.matchAll(/^calltap_hep_out_up\{/gm)].length, 20);
  assert.equal(sampleValue(text, 'calltap_metric_samples_dropped_total'), 480);
});

test('the process shows itself, with names that Prometheus accepts', async () => {
  const text = await page(metricsSnapshot)();
  assert.ok(sampleValue(text, 'process_resident_memory_bytes') > 1e6);
  assert.ok(sampleValue(text, 'process_cpu_seconds_total') > 0);
  assert.ok(Math.abs(sampleValue(text, 'process_start_time_seconds') - Date.now() / 1000) < 3600);
  assert.match(text, /^calltap_build_info\{version="1\.2\.3",features="[a-z ]*metrics[a-z ]*"\} 1$/m);
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    assert.match(name, /^[a-z_][a-z0-9_]*$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
  }
});

test('who asks while a page is made gets the same one, and a later one is made anew', async () => {
  const metrics = createMetricsPage({ read: metricsSnapshot, stateCase: 'lower', version: '1' });
  const [one, two] = await Promise.all([metrics.render(), metrics.render()]);
  assert.equal(one.body, two.body, 'one text in memory');
  assert.notEqual((await metrics.render()).body, one.body);
});

test('groups that are not chosen are not shown, and those of the interface always are', async () => {
  const read = () => metricsSnapshot({ families: [{ name: 'calltap_trunk_up', samples: [] }] });
  const shown = async (words: string): Promise<string> => {
    const groups = readMetricGroups(words);
    assert.ok(groups.ok);
    const metrics = createMetricsPage({ read, stateCase: 'lower', version: '1', groups: groups.value });
    return (await metrics.render()).body.toString();
  };
  assert.match(await shown('default'), /calltap_build_info[\s\S]*calltap_trunk_up/);
  const few = await shown('trunks');
  assert.match(few, /service_dialogs_total[\s\S]*calltap_trunk_up/);
  assert.doesNotMatch(few, /calltap_build_info/);
  assert.deepEqual(readMetricGroups('default,nosuch'), { ok: false, reason: 'there is no group nosuch' });
});

test('exemplars are for who takes OpenMetrics, and only where they are asked for', async () => {
  const value = {
    counts: [1, 0, 2],
    sum: 9.5,
    count: 3,
    exemplars: [{ callId: 'a"b', value: 0.2, atSec: 1.5 }, null, null],
  };
  const long = { counts: [1], sum: 1, count: 1, exemplars: [{ callId: 'x'.repeat(200), value: 0.2, atSec: 1 }] };
  const read = () =>
    metricsSnapshot({
      families: [
        {
          name: 'calltap_srd_seconds',
          samples: [
            { labels: ['acme'], value },
            { labels: ['other'], value: long },
          ],
        },
      ],
    });
  const groups = new Set(METRIC_GROUPS);
  const open = createMetricsPage({ read, stateCase: 'lower', version: '1', groups, hasExemplars: true });
  const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3';
  const page = await open.render(accept);
  const text = page.body.toString();
  assert.match(page.contentType, /^application\/openmetrics-text; version=1\.0\.0/);
  assert.match(text, /^calltap_srd_seconds_bucket\{trunk="acme",le="0\.5"\} 1 # \{call_id="a\\"b"\} 0\.2 1\.5$/m);
  assert.match(text, /^calltap_srd_seconds_bucket\{trunk="other",le="0\.5"\} 1$/m);
  assert.match(text, /^# TYPE service_messages counter$/m);
  assert.match(text, /^service_messages_total\{method="INVITE"\} 5$/m);
  assert.ok(text.endsWith('# EOF\n'));
  const plain = await open.render('text/plain');
  assert.match(plain.contentType, /^text\/plain/);
  assert.ok(!plain.body.includes('# {'));
  const closed = createMetricsPage({ read, stateCase: 'lower', version: '1', groups });
  assert.match((await closed.render(accept)).contentType, /^text\/plain/);
});
