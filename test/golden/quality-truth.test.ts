/**
 * The quality truth test: what each generated stream truly lost, repeated, reordered and delayed, and nothing else
 * (RFC 3550 appendix A; RFC 3611 section 4.7.2; ITU-T G.107).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualityTruthCases, type StreamTruth } from '../../fixtures/build/quality-truth.ts';
import { streamQuality } from '../../src/analysis/stream-quality.ts';
import type { Stream } from '../../src/store/media/stream.ts';
import { streamDocument } from '../../src/view/documents.ts';
import { dialogDocument } from '../helpers/at-once.ts';
import { asJson } from '../helpers/json.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { readCapture } from '../helpers/read-capture.ts';

/** Documents show four decimal places. */
const SHOWN = 6e-5;

/** Times in a capture are whole microseconds and the native sums are single precision: 5 microseconds of error at most. */
const JITTER_MS = 0.005;

/** E-model constants as published, stated here once more so that the product's own table is not its own judge. */
const CODEC: Readonly<Record<string, { readonly ie: number; readonly bpl: number }>> = {
  PCMU: { ie: 0, bpl: 25.1 },
  G729: { ie: 11, bpl: 19 },
};

/** R with the burst ratio that the whole call has. */
function rFactorOf(truth: StreamTruth): number {
  const { ie, bpl } = CODEC[truth.codec] ?? { ie: 0, bpl: 25.1 };
  const pct = ((truth.lost + truth.discardedAt60Ms) / truth.sent) * 100;
  return 93.2 - ie - ((95 - ie) * pct) / (pct / Math.max(1, truth.burstRatio) + bpl);
}

/**
 * A stream's R is the mean over windows of 250 packets, the truth is of the whole call. R is convex in loss, so the mean
 * lies higher by half its curvature times the variance of the windows' loss (0.2 at 9 %), and each window's burst ratio
 * scatters above 1 (0.6 lower at a ratio of 1.1); bursts of five fall unevenly into six windows. Without loss it is exact.
 */
function toleranceR(truth: StreamTruth): number {
  if (truth.lost === 0) return truth.discardedAt60Ms === 0 ? 1e-4 : 0.05;
  return truth.burstRatio > 2 ? 1.5 : 1;
}

function mosOf(r: number): number {
  return 1 + 0.035 * r + 7e-6 * r * (r - 60) * (100 - r);
}

function near(actual: number | undefined, wanted: number, tolerance: number, what: string): void {
  assert.ok(
    actual !== undefined && Math.abs(actual - wanted) <= tolerance,
    `${what}: wanted ${wanted} +- ${tolerance}, got ${actual}`,
  );
}

function streamOf(session: OpenSession, truth: StreamTruth): Stream {
  const found = [...session.streams.fromNewest()].filter((s) => s.ssrc >>> 0 === Number(truth.ssrc));
  assert.equal(found.length, 1, `one stream ${truth.ssrc}`);
  const [stream] = found;
  assert.ok(stream !== undefined);
  return stream;
}

function checkCounts(session: OpenSession, stream: Stream, truth: StreamTruth): void {
  const quality = streamQuality(stream, session.evidence.capture.quality);
  assert.ok(quality !== null);
  const s = quality.snapshot;
  assert.deepEqual(
    {
      captured: s.packets,
      unique: s.unique,
      lost: s.lost,
      duplicates: s.duplicates,
      outOfOrder: s.reordered,
      octets: s.octets,
      discarded: quality.late,
      lossRuns: s.lossRuns,
      strays: s.strays,
      resyncs: s.resyncs,
    },
    {
      captured: truth.captured,
      unique: truth.unique,
      lost: truth.lost,
      duplicates: truth.duplicates,
      outOfOrder: truth.outOfOrder,
      octets: truth.octets,
      discarded: truth.discardedAt60Ms,
      lossRuns: truth.lossRuns.length,
      strays: 0,
      resyncs: 0,
    },
  );
}

function checkDocument(session: OpenSession, stream: Stream, truth: StreamTruth, callId: string): void {
  const doc = streamDocument(session.evidence, stream);
  assert.ok(doc !== null);
  assert.deepEqual(
    [doc.src, doc.dst, doc.codec, doc.payload_type, doc.packets, doc.octets, doc.associated_dialog, doc.orphaned],
    [truth.src, truth.dst, truth.codec, truth.payloadType, truth.captured, truth.octets, callId, false],
  );
  near(doc.loss_pct, truth.lossPct, SHOWN, 'loss_pct');
  if (truth.jitterMeanMs !== undefined) near(doc.jitter_ms, truth.jitterMeanMs, JITTER_MS, 'jitter_ms');
  const wantedR = rFactorOf(truth);
  if (truth.burstRatio === 1) near(wantedR, truth.rFactor, 1e-9, 'the fixture and this test agree on R');
  const tolerance = toleranceR(truth);
  // MOS falls by at most 0.06 a point of R.
  near(doc.mos, mosOf(wantedR), tolerance * 0.06 + SHOWN, 'mos');
  const windows = doc.quality_intervals;
  assert.equal(
    windows.reduce((sum, w) => sum + w.packets, 0),
    truth.captured,
    'the windows hold every packet once',
  );
  const scored = windows.filter((w) => w.r_factor !== undefined);
  const meanR =
    scored.reduce((sum, w) => sum + (w.r_factor ?? 0) * w.packets, 0) / scored.reduce((sum, w) => sum + w.packets, 0);
  near(meanR, wantedR, tolerance, 'R, weighted by packets');
  for (const w of scored) {
    assert.equal(w.verdict, (w.r_factor ?? 0) >= 70 ? 'acceptable' : 'degraded');
    near(w.mos, mosOf(w.r_factor ?? 0), SHOWN, 'MOS of the window');
  }
  for (const w of windows.filter((v) => v.r_factor === undefined))
    assert.ok(w.packets < 50, 'only a short window has none');
  assert.equal(doc.burst_gap !== undefined, truth.lost > 0, 'burst_gap is there once something was lost');
  if (doc.burst_gap !== undefined) assert.equal(doc.burst_gap.is_bursty, truth.burstRatio > 1.25);
}

for (const { name, bytes, truth } of qualityTruthCases()) {
  test(`quality ${name}: ${truth.note}`, async (t) => {
    const { session, end } = await readCapture(t, bytes);
    assert.equal(end.end, 'ok');
    assert.equal(session.streams.size, truth.streams.length);
    assert.equal(session.streams.orphaned, 0);
    for (const one of truth.streams) {
      const stream = streamOf(session, one);
      checkCounts(session, stream, one);
      checkDocument(session, stream, one, truth.callId);
    }
    const dialog = session.dialogs.get(truth.callId);
    assert.ok(dialog !== undefined);
    const doc = asJson(dialogDocument(session.evidence, dialog));
    assert.equal(Array.isArray(doc['streams']) && doc['streams'].length, truth.streams.length);
    // Neither silence, nor reordering, nor loss is a fault of the path. The silences of dtx make one side 25 s longer.
    const hints = name === 'dtx' ? /^Duration asymmetry between [^;]+: 55\.0 s against 30\.0 s of media\.$/ : /^$/;
    assert.match(String(asJson(doc['diagnosis'])['hints']), hints);
    assert.deepEqual(asJson(doc['diagnosis']), {
      one_way_audio: false,
      nat_mismatch: false,
      no_media: false,
      private_media_address: false,
      hints: asJson(doc['diagnosis'])['hints'],
    });
    assert.ok(!('signaling_diagnosis' in doc));
  });
}
