/**
 * The metrics beside a reckoning from the definitions (`test/reckoning`, Python, no shared code): RFC 6076, codes, calls and
 * media, counts exactly and histograms by bucket exactly.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { callCases } from '../../fixtures/build/calls.ts';
import { qualityTruthCases } from '../../fixtures/build/quality-truth.ts';
import { DEMO } from '../cli/run-program.ts';
import { serving, stop } from '../cli/served-program.ts';
import { ATTEMPT_LOCAL, ATTEMPT_TRUNKS, attemptCalls } from '../helpers/attempt-calls.ts';
import { readExposition, type Sample } from '../helpers/exposition.ts';
import { asJson } from '../helpers/json.ts';
import { answered, until } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { ROOT } from '../helpers/source-files.ts';
import { VARIED, variedCalls } from '../helpers/varied-calls.ts';

const RECKON = join(ROOT, 'test/reckoning/reckon.py');
/** Media that the reckoning does not read: in TURN, and between candidates of ICE. Findings are none of its families either. */
const UNREAD = /^(?:ice-pair|turn-)/;
const OF_MEDIA = /^calltap_(?:trunk_rtp|codec)_/;
type Reckoned = Record<string, Sample[]>;

const keyOf = (name: string, labels: Readonly<Record<string, string>>): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .sort()
    .join(',')}}`;

/** Samples of a family by name and labels, without those that are 0. */
function counted(samples: readonly Sample[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { name, labels, value } of samples) if (value !== 0) found.set(keyOf(name, labels), value);
  return found;
}

type Setting = { readonly trunks?: readonly string[]; readonly local?: readonly string[] };

const options = (name: string, values: readonly string[] = []): string[] => values.flatMap((value) => [name, value]);

/** What both say differently, a line each; and how many samples there were. */
async function differences(path: string, { trunks, local }: Setting): Promise<{ lines: string[]; samples: number }> {
  const args = [...options('--trunk', trunks), ...options('--local', local)];
  const reckoned: Reckoned = JSON.parse(execFileSync('python3', [RECKON, ...args, path], { encoding: 'utf8' }));
  const lines: string[] = [];
  let samples = 0;
  const shown = readExposition(await scrape(path, { trunks: trunks ?? [], local: local ?? [] }));
  for (const [family, theirs] of Object.entries(reckoned)) {
    const of = shown.get(family);
    const ours = counted(of?.samples ?? []);
    const expected = counted(theirs);
    if (of === undefined) lines.push(`${family} is not shown`);
    for (const key of new Set([...expected.keys(), ...ours.keys()])) {
      samples++;
      const [want = 0, got = 0] = [expected.get(key), ours.get(key)];
      const isSame = key.includes('_sum{') ? Math.abs(want - got) < 1e-6 * Math.max(1, want) : want === got;
      if (!isSame) lines.push(`${key}: reckoned ${want}, shown ${got}`);
    }
  }
  return { lines, samples };
}

/** The page once the whole file is read. */
async function scrape(path: string, { trunks, local }: Required<Setting>): Promise<string> {
  const names = [...options('--trunk', trunks), ...options('--trunk-local', local)];
  const listen = ['--api', '127.0.0.1:0', '--metrics', '127.0.0.1:0', '--metrics-families', 'all'];
  const server = await serving(['-I', path, ...names, ...listen]);
  try {
    await until(
      async () => {
        return asJson(await (await answered(`${server.base}/v1/stats`)).json())['source_exhausted'] === true;
      },
      () => 'it is not read to the end',
    );
    return await (await answered(`${server.base}/metrics`)).text();
  } finally {
    await stop(server, 'SIGTERM');
  }
}

for (const seed of [1, 2, 3, 4]) {
  test(`attempts of all shapes are counted as their definitions say, seed ${seed}`, async (t) => {
    const path = join(temporaryFolder(t), 'attempts.pcap');
    writeFileSync(path, attemptCalls(seed));
    const { lines, samples } = await differences(path, { trunks: ATTEMPT_TRUNKS, local: ATTEMPT_LOCAL });
    assert.deepEqual(lines, []);
    assert.ok(samples > 300, `${samples} samples`);
  });
}

test('so are attempts between addresses without a name', async (t) => {
  const path = join(temporaryFolder(t), 'attempts.pcap');
  writeFileSync(path, attemptCalls(5));
  const { lines, samples } = await differences(path, {});
  assert.deepEqual(lines, []);
  assert.ok(samples > 150, `${samples} samples`);
});

test('so is the media of calls whose figures differ', async (t) => {
  const folder = temporaryFolder(t);
  for (const seed of [1, 2, 3]) {
    const path = join(folder, `varied-${seed}.pcap`);
    writeFileSync(path, variedCalls(seed));
    const { lines, samples } = await differences(path, { trunks: ['198.51.100.0/24=globex'], local: ['192.0.2.0/24'] });
    assert.deepEqual(lines, [], VARIED.join(', '));
    assert.ok(samples > 60, `${samples} samples`);
  }
});

test('so is every capture of the repository', async (t) => {
  const folder = temporaryFolder(t);
  const generated = [...callCases(), ...qualityTruthCases()];
  const lines = (await differences(DEMO, {})).lines.map((line) => `demo: ${line}`);
  for (const { name, bytes } of generated) {
    const path = join(folder, `${name}.pcap`);
    writeFileSync(path, bytes);
    const found = (await differences(path, {})).lines.filter((line) => !UNREAD.test(name) || !OF_MEDIA.test(line));
    lines.push(...found.map((line) => `${name}: ${line}`));
  }
  assert.deepEqual(lines, []);
});
