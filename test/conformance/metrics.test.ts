/** The metric families from outside, on both servers: names, types, buckets, labels, and that no counter ever falls. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Family } from '../helpers/exposition.ts';
import { histogramFaults, readExposition } from '../helpers/exposition.ts';
import { isBusy, until } from '../helpers/patience.ts';
import { STATES } from './field-tables.ts';
import type { Service } from './service.ts';
import { allCaptures, ask, startService } from './service.ts';

/** Families, their type, and the label each sample has. */
const FAMILIES: readonly (readonly [string, string, string | null])[] = [
  ['service_dialogs_total', 'counter', 'state'],
  ['service_messages_total', 'counter', 'method'],
  ['service_rtp_streams_active', 'gauge', null],
  ['service_rtp_streams_total', 'counter', 'status'],
  ['service_capture_packets_total', 'counter', null],
  ['service_reassembly_timeouts_total', 'counter', null],
];

const HISTOGRAMS: readonly (readonly [string, readonly string[]])[] = [
  ['service_pdd_seconds', ['0.5', '1', '2', '3', '5', '10', '+Inf']],
  ['service_mos', ['1', '2', '2.5', '3', '3.5', '4', '4.5', '+Inf']],
  ['service_jitter_ms', ['5', '10', '20', '50', '100', '200', '+Inf']],
  ['service_loss_percent', ['0.1', '0.5', '1', '2', '5', '10', '+Inf']],
];

const EMPTY = ['service_responses_total', 'service_security_alerts_total', 'service_diagnosis_total'];

type Page = { readonly text: string; readonly families: Map<string, Family> };

let service: Service;
let done: () => void = () => undefined;
const pages: Page[] = [];

async function scrape(port: number): Promise<Page> {
  const answer = await until(
    async () => {
      const one = await ask(port, '/metrics');
      return !isBusy(one.status, one.text) && one;
    },
    () => '/metrics is never answered',
  );
  assert.equal(answer.status, 200);
  assert.match(answer.headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
  return { text: answer.text, families: readExposition(answer.text) };
}

before(async () => {
  const captures = allCaptures();
  done = captures.done;
  service = await startService(
    [
      ...captures.files.flatMap((file) => ['-I', file]),
      ...['-I', 'fixtures/demo/demo.pcap', '--max-dialogs', '30', '--metrics', '127.0.0.1:0'],
    ],
    { untilRead: false },
  );
  // While it reads, and evicts most of what it read.
  for (;;) {
    pages.push(await scrape(service.port));
    const stats = await service.json('/v1/stats');
    if (stats['source_exhausted'] === true) break;
  }
  pages.push(await scrape(service.port));
});

after(async () => {
  await service.stop();
  done();
});

const last = (): Page => {
  const page = pages.at(-1);
  assert.ok(page !== undefined);
  return page;
};
const family = (page: Page, name: string): Family => {
  const found = page.families.get(name);
  assert.ok(found !== undefined, `${name} is not there`);
  return found;
};

for (const [name, type, label] of FAMILIES) {
  test(`metric ${name}: ${type}`, () => {
    const { type: got, samples, help } = family(last(), name);
    assert.equal(got, type);
    assert.ok(help.length > 0 && samples.length > 0);
    for (const { labels, value } of samples) {
      assert.deepEqual(Object.keys(labels), label === null ? [] : [label]);
      assert.ok(Number.isInteger(value) && value >= 0);
    }
    assert.ok(name === 'service_reassembly_timeouts_total' || samples.some(({ value }) => value > 0));
  });
}

for (const [name, bounds] of HISTOGRAMS) {
  test(`metric ${name}: histogram with its buckets`, () => {
    const found = family(last(), name);
    assert.equal(found.type, 'histogram');
    const buckets = found.samples.filter((sample) => sample.name === `${name}_bucket`);
    assert.deepEqual(
      buckets.map(({ labels }) => labels['le']),
      bounds,
    );
    assert.deepEqual(histogramFaults(name, found), []);
    assert.ok((found.samples.find((sample) => sample.name === `${name}_count`)?.value ?? 0) > 0);
  });
}

for (const name of EMPTY) {
  test(`metric ${name}: declared and empty`, () => {
    const found = family(last(), name);
    assert.equal(found.type, 'counter');
    assert.deepEqual(found.samples, []);
  });
}

test('states are in lower case on the API and as-cased on the standalone server', async () => {
  const statesOf = (page: Page): (string | undefined)[] =>
    family(page, 'service_dialogs_total').samples.map(({ labels }) => labels['state']);
  assert.deepEqual(
    statesOf(last()),
    STATES.map((state) => state.toLowerCase()),
  );
  const standalone = await scrape(service.metricsPort ?? 0);
  assert.deepEqual(statesOf(standalone), STATES);
  const values = (page: Page): number[] => family(page, 'service_dialogs_total').samples.map(({ value }) => value);
  assert.deepEqual(values(standalone), values(last()));
});

test('status is established or orphaned, and the gauge counts the established', () => {
  const { samples } = family(last(), 'service_rtp_streams_total');
  assert.deepEqual(
    samples.map(({ labels }) => labels['status']),
    ['established', 'orphaned'],
  );
});

test('no counter falls while dialogs are evicted', () => {
  assert.ok(pages.length >= 2);
  const before = new Map<string, number>();
  for (const { families } of pages) {
    for (const { type, samples } of families.values()) {
      if (type === 'gauge') continue;
      for (const { name, labels, value } of samples) {
        const key = name + JSON.stringify(labels);
        assert.ok(value >= (before.get(key) ?? 0), `${key} fell from ${before.get(key)} to ${value}`);
        before.set(key, value);
      }
    }
  }
  const evicted = /^calltap_evicted_total\{store="dialogs"\} (\d+)$/m.exec(last().text);
  assert.ok(Number(evicted?.[1]) > 10, 'dialogs were evicted');
});

test('each family is declared once, and only its prefix is in use', () => {
  for (const name of last().families.keys()) assert.match(name, /^(service|calltap|process|nodejs)_[a-z0-9_]+$/);
});
