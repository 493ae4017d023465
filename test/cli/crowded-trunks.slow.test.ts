/**
 * 10,000 addresses scan while two carriers work, and dialogs are evicted all the time: the carriers' figures are those of the
 * plan by which the capture was made, and what a service shows of trunks stays small.
 */
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AskTrunk, AskTrunks, TrunkFigures } from '../../src/contract/index.ts';
import { startService } from '../conformance/service.ts';
import { Recorder } from '../helpers/recorder.ts';

const EPOCH_SEC = 1_700_000_040;
const PROXY = '192.0.2.1';
const SCANNERS = 10_000;
const SCANS_EACH = 13;
const CALLS = 6_000;
/** Calls begin, and all is scanned, in this time: attempts are more than are followed before those that talk have ended. */
const SECONDS = 1_000;
/** Far fewer than talk at once. */
const MAX_DIALOGS = 1_000;
const CARRIERS = { acme: '203.0.113.1', globex: '203.0.113.65' } as const;
const TRUNKS = Object.entries(CARRIERS).flatMap(([name, address]) => ['--trunk', `${address}=${name}`]);

type Call = {
  readonly carrier: keyof typeof CARRIERS;
  readonly sec: number;
  readonly code: number;
  readonly pddMs: number;
  readonly talkSec: number;
};

function calls(): Call[] {
  const codes = [200, 200, 200, 200, 486, 503, 200];
  return Array.from({ length: CALLS }, (_, i) => ({
    carrier: i % 3 === 0 ? 'globex' : 'acme',
    sec: (i * SECONDS) / CALLS,
    code: codes[i % codes.length] ?? 200,
    pddMs: 100 + ((i * 37) % 900),
    talkSec: 300 + ((i * 53) % 701),
  }));
}

type Said = { readonly sec: number; readonly from: string; readonly to: string; readonly text: string };

/** Frames that are made at once. */
const PART = 20_000;
/** Bytes of the header of a pcap file. */
const FILE_HEADER = 24;

class Crowd {
  readonly #said: Said[] = [];

  say(sec: number, from: string, to: string, start: string, id: string, cseq: string): void {
    const tag = start.startsWith('SIP') ? ';tag=b' : '';
    const head = `Via: SIP/2.0/UDP x;branch=z9hG4bK${id}${cseq.at(-1)}\r\nFrom: <sip:1@x>;tag=a\r\nTo: <sip:2@x>${tag}\r\n`;
    this.#said.push({ sec, from, to, text: `${start}\r\n${head}Call-ID: ${id}\r\nCSeq: ${cseq}\r\n\r\n` });
  }

  call({ carrier, sec, code, pddMs, talkSec }: Call, n: number): void {
    const peer = CARRIERS[carrier];
    const id = `call-${n}`;
    const first = sec + pddMs / 1000;
    this.say(sec, PROXY, peer, 'INVITE sip:2@x SIP/2.0', id, '1 INVITE');
    if (code === 200) this.say(first, peer, PROXY, 'SIP/2.0 180 x', id, '1 INVITE');
    this.say(code === 200 ? first + 2 : first, peer, PROXY, `SIP/2.0 ${code} x`, id, '1 INVITE');
    if (code !== 200) return;
    this.say(first + 2 + talkSec, peer, PROXY, 'BYE sip:1@x SIP/2.0', id, '2 BYE');
    this.say(first + 2 + talkSec + 0.01, PROXY, peer, 'SIP/2.0 200 x', id, '2 BYE');
  }

  scan(sec: number, from: string, n: number): void {
    this.say(sec, from, PROXY, 'INVITE sip:00442@acme SIP/2.0', `scan-${n}`, '1 INVITE');
    this.say(sec + 0.001, PROXY, from, 'SIP/2.0 404 x', `scan-${n}`, '1 INVITE');
  }

  write(path: string): void {
    this.#said.sort((a, b) => a.sec - b.sec);
    const file = openSync(path, 'w');
    for (let at = 0; at < this.#said.length; at += PART) {
      const part = new Recorder(EPOCH_SEC * 1e6);
      for (const { sec, from, to, text } of this.#said.slice(at, at + PART)) part.send(sec, from, to, text);
      writeSync(file, part.capture.pcap().subarray(at === 0 ? 0 : FILE_HEADER));
    }
    closeSync(file);
  }
}

function compare(f: TrunkFigures, own: readonly Call[], what: string): void {
  const answered = own.filter(({ code }) => code === 200);
  const codes = [...new Set(own.map(({ code }) => code))].sort((a, b) => a - b);
  assert.deepEqual(
    [f.attempts, f.answered, f.without_final, f.codes],
    [
      own.length,
      answered.length,
      0,
      codes.map((code) => ({ code, calls: own.filter((call) => call.code === code).length })),
    ],
    what,
  );
  // Of a minute in which calls are answered only, there is no more.
  if (own.length === 0) return;
  assert.equal(f.pdd_ms?.count, own.length, what);
  // Half of the last digit that is shown.
  const near = (actual: number | undefined, values: readonly number[], digit: number): void => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    assert.ok(Math.abs((actual ?? Number.NaN) - mean) <= 1.01 * digit, `${what}: ${actual} is not ${mean}`);
  };
  near(
    f.pdd_ms?.mean,
    own.map(({ pddMs }) => pddMs),
    0.05,
  );
  near(
    f.acd_sec,
    answered.map(({ talkSec }) => talkSec),
    0.0005,
  );
}

test('10,000 scanners and 100,000 evicted dialogs: the table is bounded, named trunks are exact', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'crowd-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const crowd = new Crowd();
  const plan = calls();
  for (const [n, call] of plan.entries()) crowd.call(call, n);
  const scans = SCANNERS * SCANS_EACH;
  for (let n = 0; n < scans; n++) {
    const from = n % SCANNERS;
    crowd.scan((n * SECONDS) / scans, `10.${from >> 14}.${(from >> 7) & 127}.${from & 127}`, n);
  }
  crowd.write(join(folder, 'crowd.pcap'));

  const options = [...TRUNKS, '--trunk-local', PROXY, '--max-dialogs', `${MAX_DIALOGS}`, '--ask'];
  const service = await startService(['-I', join(folder, 'crowd.pcap'), ...options]);
  t.after(() => service.stop());
  const asked = async (query = ''): Promise<readonly AskTrunk[]> => {
    const { text } = await service.ask(`/ask/trunks${query}`);
    assert.ok(text.length < 2_000_000, `${text.length} bytes`);
    return (JSON.parse(text) as AskTrunks).trunks;
  };
  const metrics = (await service.ask('/metrics')).text;
  const counter = (name: string): number => Number(new RegExp(`^calltap_${name} (\\d+)$`, 'm').exec(metrics)?.[1]);
  assert.ok(counter('evicted_total{store="dialogs"}') >= 100_000);

  const rows = await asked();
  assert.ok(rows.length <= 1_000, `${rows.length} rows`);
  const strangers = rows.filter(({ is_configured }) => !is_configured);
  const sum = (of: (f: TrunkFigures) => number): number => strangers.reduce((all, row) => all + of(row.figures), 0);
  assert.equal(
    sum((f) => f.attempts),
    scans,
  );
  assert.equal(
    sum((f) => f.codes.find(({ code }) => code === 404)?.calls ?? 0),
    scans,
  );

  for (const carrier of ['acme', 'globex'] as const) {
    const own = plan.filter((call) => call.carrier === carrier);
    const [row] = (await asked(`?trunk=${carrier}&series=true`)).filter(({ direction }) => direction === 'out');
    assert.ok(row !== undefined);
    compare(row.figures, own, carrier);
    assert.equal(row.talking, 0);
    assert.ok((row.minutes ?? []).length > 10);
    for (const { at, ...figures } of row.minutes ?? []) {
      const from = Date.parse(at) / 1000 - EPOCH_SEC;
      const inMinute = own.filter(({ sec }) => sec >= from && sec < from + 60);
      compare(figures, inMinute, `${carrier} at ${at}`);
    }
    const labels = `{trunk="${carrier}",direction="out"`;
    assert.equal(counter(`trunk_attempts_total${labels}}`), own.length);
    for (const digit of [2, 4, 5])
      assert.equal(
        counter(`trunk_finals_total${labels},class="${digit}xx"}`),
        own.filter(({ code }) => Math.floor(code / 100) === digit).length,
      );
  }
  // Only those with a name are metrics of their own.
  const shown = new Set([...metrics.matchAll(/^calltap_trunk_.*\{.*trunk="([^"]*)"/gm)].map(([, name]) => name));
  assert.deepEqual(shown, new Set(['acme', 'globex', 'other']));
  assert.ok(metrics.split('\n').length < 2_000);
  t.diagnostic(
    `${counter('evicted_total{store="dialogs"}')} dialogs evicted, ${rows.length} rows, ${metrics.length} bytes of metrics`,
  );
});
