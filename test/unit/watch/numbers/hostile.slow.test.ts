/** What strangers make up becomes no label: series stay as few as docs/metrics.md says, and memory with them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METRIC_GROUPS } from '../../../../src/core/metric-groups.ts';
import { createMetricsPage } from '../../../../src/serve/metrics/registry.ts';
import { metricsSnapshot } from '../../../../src/view/metrics/capture-families.ts';
import { METRICS, seriesOf } from '../../../../src/view/metrics/table.ts';
import { heapBytes } from '../../../helpers/live-heap.ts';
import { Talk, US } from '../../../helpers/numbers.ts';
import { readCapture } from '../../../helpers/read-capture.ts';

const ADDRESSES = 100_000;
/** User-Agents, prefixes, and pairs of method and code. */
const MADE_UP = 10_000;
const TRUNKS = 200;
/** What all groups may keep beside what a run keeps anyway. */
const MOST_BYTES = 32 * 1024 ** 2;

test('100,000 addresses, 10,000 User-Agents, codes and prefixes, 200 trunks', async (t) => {
  const talk = new Talk();
  for (let i = 0; i < ADDRESSES; i++) {
    const from = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
    const n = i % MADE_UP;
    const [sec, id] = [i / 1_000, `x${i}`];
    const method = i % 10 === 0 ? `METHOD${n}` : i % 3 === 0 ? 'REGISTER' : 'INVITE';
    const more = { user: `+${n}${1_000_000 + i}`, headers: `User-Agent: ua-${n}\r\nServer: s-${n}\r\n` };
    talk.say(sec, from, US, `${method} sip:${more.user}@x SIP/2.0`, id, `1 ${method}`, more);
    talk.say(sec + 0.01, US, from, `SIP/2.0 ${100 + (i % 600)} x`, id, `1 ${method}`, more);
    if (i % 5 === 0) {
      const trunk = `172.16.${(i / 5) % TRUNKS}.1`;
      talk.say(sec, US, trunk, `INVITE sip:${more.user}@x SIP/2.0`, `t${i}`, '1 INVITE', more);
      talk.say(sec + 0.1, trunk, US, `SIP/2.0 ${i % 2 === 0 ? 200 : 486} x`, `t${i}`, '1 INVITE', more);
    }
  }
  const named = Array.from({ length: TRUNKS }, (_, i) => ['--trunk', `172.16.${i}.0/24=carrier${i}`]).flat();
  const options = ['--metrics', '127.0.0.1:0', '--metrics-families', 'all', '--trunk-local', US, ...named];
  const classes = ['--device-class', 'one=ua-1', '--device-class', 'two=ua-2'];
  const capture = talk.capture.pcap();
  const before = heapBytes();
  const usual = await readCapture(
    t,
    capture,
    options.map((word) => (word === 'all' ? 'default' : word)),
  );
  const usualBytes = heapBytes();
  assert.equal(usual.session.figures.trunks?.numbers, null);
  const { session } = await readCapture(t, capture, [...options, ...classes]);
  const moreBytes = heapBytes() - usualBytes - (usualBytes - before);
  assert.ok(moreBytes < MOST_BYTES, `${Math.round(moreBytes / 1024 ** 2)} MiB more`);
  let series = 0;
  for (const { name, samples } of metricsSnapshot(session.figures).families) {
    assert.ok(samples.length <= METRICS[name].values, `${name} has ${samples.length}`);
    series += samples.length === 0 ? 0 : (samples.length / Math.max(1, METRICS[name].values)) * seriesOf(METRICS[name]);
  }
  assert.ok(series < 20_000, `${series} series`);
  const read = () => metricsSnapshot(session.figures);
  const page = createMetricsPage({ read, stateCase: 'lower', version: '1', groups: new Set(METRIC_GROUPS) });
  const text = (await page.render()).body.toString();
  assert.match(text, /^calltap_metric_samples_dropped_total 0$/m);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.ok(lines.length < 20_000, `${lines.length} lines`);
  assert.ok(!/ua-\d|METHOD\d|10\.\d+\.\d+\.\d+/.test(text), 'nothing that was made up is a label');
  const trunks = new Set([...text.matchAll(/trunk="([^"]+)"/g)].map(([, trunk]) => trunk));
  assert.ok(trunks.size <= 51 && trunks.has('other'), `${trunks.size} trunks`);
});
