/**
 * No bad stream scores well: what was expected and never came weighs as much as what was heard (ITU-T G.107, with its
 * formulas stated here once more so that the product's own are not their own judge).
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ALICE, BOB, basicCall, CALL_TIMES } from '../../fixtures/build/basic-call.ts';
import { Random } from '../../fixtures/build/bytes.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import { type RtpPlan, rtpStream, voice } from '../../fixtures/build/rtp.ts';
import { streamDocument } from '../../src/view/documents.ts';
import { run } from '../cli/run-program.ts';
import { readCapture, temporaryFolder } from '../helpers/read-capture.ts';

/** Documents show four decimal places. */
const SHOWN = 6e-5;

const WINDOW = 250;
const FLOOR = 50;
const SSRC = 0xa1;

/** R of G.711 with concealment: no delay, Ie 0, Bpl 25.1 (G.113 appendix I). */
function rOf(lost: readonly boolean[]): number {
  const gone = lost.filter(Boolean).length;
  if (gone === 0) return 93.2;
  const runs = lost.filter((one, i) => one && lost[i - 1] !== true).length;
  const p = gone / lost.length;
  const burst = Math.max(1, (gone / runs) * (1 - p));
  return Math.max(0, 93.2 - (95 * 100 * p) / ((100 * p) / burst + 25.1));
}

/** Of packets 20 ms apart: windows of 250 from the first, weighted by what they expected. */
function truthMos(lost: readonly boolean[]): number {
  let [sum, weight] = [0, 0];
  for (let at = 0; at < lost.length; at += WINDOW) {
    const window = lost.slice(at, at + WINDOW);
    if (window.length < FLOOR) continue;
    sum += rOf(window) * window.length;
    weight += window.length;
  }
  const r = sum / weight;
  return r < 6.5 ? 1 : 1 + 0.035 * r + 7e-6 * r * (r - 60) * (100 - r);
}

/** The call whose caller sends `plan` through the loss, while the callee's packets all arrive. */
function callOf(plan: readonly RtpPlan[], lost: readonly boolean[] = []): Uint8Array {
  const mediaMs = CALL_TIMES.ack + 40;
  const lastMs = Math.ceil((plan.at(-1)?.sendUs ?? 0) / 1000);
  const call = basicCall('outage', { byeMs: mediaMs + lastMs + 500 });
  const startUs = call.at(mediaMs);
  const bad = { src: ALICE.rtp, dst: BOB.rtp, ssrc: SSRC, startUs, firstSequence: 64_000 };
  const good = { src: BOB.rtp, dst: ALICE.rtp, ssrc: 0xb2, startUs: startUs + 7000 };
  const gone = new Set(lost.flatMap((one, i) => (one ? [i] : [])));
  return new Capture()
    .add(call.messages)
    .add(rtpStream(bad, plan, { lost: gone }).datagrams)
    .add(rtpStream(good, voice({ payloadType: 0, count: Math.min(1500, plan.length) })).datagrams)
    .pcap();
}

const steady = (count: number): RtpPlan[] => voice({ payloadType: 0, count });

/** The first and the last of a stream are those that came: it has none before and behind them. */
function lossOf(count: number, isLost: (index: number) => boolean): boolean[] {
  return Array.from({ length: count }, (_, i) => i > 0 && i < count - 1 && isLost(i));
}

function atRandom(seed: string, count: number, from: number, to: number, p: number): boolean[] {
  const source = new Random(seed);
  return lossOf(count, (i) => i >= from && i < to && source.below(1_000_000) < p * 1_000_000);
}

async function documentOf(t: TestContext, bytes: Uint8Array): Promise<NonNullable<ReturnType<typeof streamDocument>>> {
  const { session } = await readCapture(t, bytes);
  const streams = [...session.streams.fromNewest()].filter((s) => s.ssrc === SSRC);
  assert.equal(streams.length, 1, 'one stream, whatever it lost');
  const [stream] = streams;
  const doc = stream === undefined ? null : streamDocument(session.evidence, stream);
  assert.ok(doc !== null);
  return doc;
}

function near(actual: number | undefined, wanted: number, within: number, what: string): void {
  assert.ok(actual !== undefined && Math.abs(actual - wanted) <= within, `${what}: ${actual}, wanted ${wanted}`);
}

test('two thirds of a stream at 85 % loss: 2.1 to 2.35', async (t) => {
  for (const seed of ['one', 'two', 'three', 'four', 'five']) {
    const lost = atRandom(seed, 3050, 1000, 3040, 0.85);
    const { mos } = await documentOf(t, callOf(steady(3050), lost));
    assert.ok(mos !== undefined && mos >= 2.1 && mos <= 2.35, `seed ${seed}: ${mos}`);
    near(mos, truthMos(lost), 0.05, `seed ${seed}`);
  }
});

test('30 of 60 s without a packet: 2.80, and each window of it is shown as total loss', async (t) => {
  const lost = lossOf(3050, (i) => i >= 1500 && i < 3020);
  const doc = await documentOf(t, callOf(steady(3050), lost));
  near(doc.mos, 2.8, 0.01, 'mos');
  near(doc.mos, truthMos(lost), 0.01, 'mos by G.107');
  assert.equal(doc.quality_intervals.length, 13);
  for (const [i, w] of doc.quality_intervals.entries()) {
    const share = lost.slice(i * WINDOW, (i + 1) * WINDOW);
    near(w.loss_pct, (share.filter(Boolean).length / share.length) * 100, SHOWN, `loss of window ${i}`);
    near(w.r_factor, rOf(share), SHOWN, `R of window ${i}`);
    assert.equal(w.packets, share.filter((one) => !one).length);
    const sinceFirstMs = Date.parse(w.timestamp) - Date.parse(doc.first_seen);
    assert.equal(sinceFirstMs, i * 5000);
  }
});

test('85 % loss throughout: 1.22, not the score of the other direction', async (t) => {
  const lost = atRandom('throughout', 5000, 0, 5000, 0.85);
  const { mos } = await documentOf(t, callOf(steady(5000), lost));
  near(mos, 1.22, 0.1, 'mos');
  near(mos, truthMos(lost), 0.05, 'mos by G.107');
});

test('19 of 20 random mixes of loss and outage are within 0.05 of G.107', async (t) => {
  const off: string[] = [];
  for (let n = 0; n < 20; n++) {
    const source = new Random(`mix ${n}`);
    const count = 1000 + source.below(6000);
    const p = [0, 0.01, 0.05, 0.2, 0.6][source.below(5)] ?? 0;
    const lost = atRandom(`loss ${n}`, count, 0, count, p);
    for (let outages = 1 + source.below(3); outages > 0; outages--) {
      const from = 1 + source.below(count - 60);
      lost.fill(true, from, Math.min(count - 1, from + 20 + source.below(3500)));
    }
    const { mos } = await documentOf(t, callOf(steady(count), lost));
    const wanted = truthMos(lost);
    if (mos === undefined || Math.abs(mos - wanted) > 0.05) off.push(`mix ${n}: ${mos}, wanted ${wanted}`);
  }
  assert.ok(off.length <= 1, off.join('; '));
});

test('an outage of more packets than a restart may jump is of the same stream', async (t) => {
  const lost = lossOf(8000, (i) => i >= 1100 && i < 6900);
  near((await documentOf(t, callOf(steady(8000), lost))).mos, truthMos(lost), 0.02, 'mos');
});

test('without loss the score is what it was', async (t) => {
  near((await documentOf(t, callOf(steady(3050)))).mos, 4.409, 0.01, 'mos');
});

test('a pause of 30 s after which the sequence goes on changes nothing', async (t) => {
  const scattered = lossOf(2000, (i) => i % 40 === 7);
  const without = await documentOf(t, callOf(steady(2000), scattered));
  for (const timestampMoves of [true, false]) {
    const plan = [
      ...voice({ payloadType: 0, count: 1000 }),
      ...voice({
        payloadType: 0,
        count: 1000,
        fromUs: 50_000_000,
        fromTimestamp: 160_000 + (timestampMoves ? 240_000 : 0),
      }),
    ];
    const paused = await documentOf(t, callOf(plan, scattered));
    near(paused.mos, without.mos ?? 0, 0.005, 'mos');
    assert.equal(paused.quality_intervals.length, 8, 'nothing is shown of the pause');
  }
});

test('timestamps that stand still over a marked silence are no late packets', async (t) => {
  const spurts = Array.from({ length: 6 }, (_, n) =>
    voice({ payloadType: 0, count: 250, fromUs: n * 8_000_000, fromTimestamp: n * 40_000 }),
  );
  near((await documentOf(t, callOf(spurts.flat()))).mos, 4.409, 0.01, 'mos');
});

test('the table, the report and the hook know the worst direction', async (t) => {
  const folder = temporaryFolder(t);
  const [capture, events] = [join(folder, 'outage.pcap'), join(folder, 'events')];
  const lost = lossOf(3050, (i) => i >= 1500 && i < 3020);
  writeFileSync(capture, callOf(steady(3050), lost));
  const table = await run(['-I', capture, '--on-quality-exec', `sh -c "cat >> '${events}'"`]);
  assert.equal(table.code, 0, table.stderr);
  assert.match(table.stdout, / 2\.80 /);
  assert.doesNotMatch(table.stdout, / 4\.41 /);
  const [event] = readFileSync(events, 'utf8').trim().split('\n');
  const said: { mos: number; stream: { ssrc: string; mos: number } } = JSON.parse(event ?? '');
  assert.equal(said.stream.ssrc, '0x000000a1');
  near(said.mos, 1 + 0.035 * rOf([true]) + 7e-6 * rOf([true]) * (rOf([true]) - 60) * (100 - rOf([true])), SHOWN, 'mos');
  const report = await run(['-I', capture, '--call-report', 'outage@calltap.example.com']);
  assert.match(report.stdout, /0x000000a1.* 2\.80 /);
});
