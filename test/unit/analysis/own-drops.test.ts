/**
 * Loss that the capture's own drops explain is not known, at most as much as was dropped, and only where and when.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worstLossPct, worstMos } from '../../../src/analysis/call-figures.ts';
import { lastWindow, streamQuality } from '../../../src/analysis/stream-quality.ts';
import type { Stream } from '../../../src/store/media/stream.ts';
import { callHints } from '../../../src/view/explained.ts';
import { dialogFacts } from '../../helpers/at-once.ts';
import { heard, range, withDrops } from '../../helpers/dropped-speech.ts';

test('two seconds that the capture dropped are not known: no finding, no score, and a hint that says why', async (t) => {
  const h = await heard(t, { sec: 20, lost: range(300, 400) });
  const before = h.with([]);
  assert.deepEqual([before.q.ownLost, before.q.lossPct], [0, 10]);
  assert.ok(h.findings(before.e).includes('packet-loss'));
  const { e, q } = h.with([h.drops(299, 400, 5_000)]);
  assert.deepEqual([q.ownLost, q.knownLossPct, q.mos, q.worstMos], [100, 0, null, null]);
  assert.equal(q.lossPct, 10, 'what the sequence numbers say');
  assert.deepEqual(h.findings(e), []);
  assert.deepEqual([(worstMos(e, h.d) ?? 0) > 4.4, worstLossPct(e, h.d)], [true, 0]);
  const hints = callHints(dialogFacts(e, h.d));
  assert.equal(hints.length, 1);
  assert.match(
    hints[0] ?? '',
    /^Loss of 100 of 1000 packets from 192\S+ to \S+ is not known: this capture dropped packets then, so there is no MOS\.$/,
  );
});

test('the same loss is loss where the drops were at another time, or on another interface', async (t) => {
  const h = await heard(t, { sec: 20, lost: range(300, 400) });
  const { q } = h.with([]);
  for (const { e, q: other } of [
    h.with([h.drops(700, 800, 5_000)]),
    h.with([h.drops(-900, -10, 5_000)]),
    h.with([h.drops(1_100, 1_200, 5_000)]),
    h.with([h.drops(299, 400, 5_000)], {}, 1),
  ]) {
    assert.deepEqual([other.ownLost, other.mos, other.worstMos], [0, q.mos, q.worstMos]);
    assert.ok(h.findings(e).includes('packet-loss'));
  }
});

test('a stream that loses more than was dropped keeps its loss and its score', async (t) => {
  const h = await heard(t, { sec: 20, lost: range(300, 800) });
  const { q: raw } = h.with([]);
  const { e, q } = h.with([h.drops(400, 450, 3)]);
  assert.equal(q.ownLost, 3);
  assert.ok(q.mos !== null && raw.mos !== null && Math.abs(q.mos - raw.mos) < 0.05);
  assert.ok(h.findings(e).includes('packet-loss'));
  assert.match(callHints(dialogFacts(e, h.d)).join(' '), /Packet loss from .*: 497 of 997 /);
});

test('a short span excuses no long gap, however many packets were dropped in it', async (t) => {
  const h = await heard(t, { sec: 20, lost: range(300, 500) });
  const { e, q } = h.with([h.drops(320, 325, 100_000)]);
  assert.ok(q.ownLost >= 5 && q.ownLost <= 10, `${q.ownLost}`);
  assert.ok(h.findings(e).includes('packet-loss'));
});

test('a stream with real loss at another time keeps its finding, with figures of that alone', async (t) => {
  const h = await heard(t, { sec: 30, lost: [...range(300, 400), ...range(1_000, 1_050)] });
  const { e, q } = h.with([h.drops(299, 400, 5_000)]);
  assert.equal(q.ownLost, 100);
  assert.ok(h.findings(e).includes('packet-loss'));
  assert.match(callHints(dialogFacts(e, h.d)).join(' '), /Packet loss from .*: 50 of 1400 \(3\.6 %\)/);
});

test('a few packets of a long call change no score, so it has one', async (t) => {
  const h = await heard(t, { sec: 120, lost: range(300, 303) });
  const { q } = h.with([h.drops(299, 304, 40)]);
  assert.equal(q.ownLost, 3);
  assert.ok(q.mos !== null && q.mos > 4.4);
});

test('a gap that lies across two windows is one gap; so are several spans in one window', async (t) => {
  const h = await heard(t, { sec: 20, lost: range(200, 300) });
  assert.equal(h.with([h.drops(199, 300, 5_000)]).q.ownLost, 100);
  const pieces = range(0, 10).map((i) => h.drops(200 + i * 10, 209 + i * 10, 500));
  assert.equal(h.with(pieces).q.ownLost, 100);
  // Each excuses its own packets only.
  assert.equal(h.with(pieces.map((span) => ({ ...span, packets: 2 }))).q.ownLost, 20);
});

test('what is missing in the window that is open is not known either, and neither is what nobody was told of', async (t) => {
  const h = await heard(t, { sec: 22, lost: [...range(300, 350), ...range(1_020, 1_060)] });
  const spans = [h.drops(299, 350, 500), h.drops(1_019, 1_060, 500)];
  const running = { isExhausted: false, nowUs: h.stream.openedUs };
  assert.equal(h.with(spans, running).q.ownLost, 90);
  // Windows that memory had no room for, or that a full queue dropped.
  const { streams } = h.e.capture.quality;
  const few = new Proxy(streams, {
    get: (target, key) => {
      if (key === 'windows') return (stream: Stream) => target.windows(stream, 1);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const q = streamQuality(h.stream, withDrops(h.e, spans, { streams: few }).capture.quality);
  assert.equal(q?.ownLost, 90);
});

test('a window has no score while its loss is not known, and those beside it have one', async (t) => {
  const h = await heard(t, { sec: 20, lost: range(800, 900) });
  const { e, q } = h.with([h.drops(799, 900, 5_000)]);
  const last = lastWindow(h.stream, e.capture.quality);
  assert.ok(last !== null);
  assert.deepEqual([last.window.lost, last.known.lost], [100, 0]);
  assert.deepEqual(
    q.windows.map((w, i) => [w.lost, q.known[i]?.lost, q.known[i] === w]),
    [
      [0, 0, true],
      [0, 0, true],
      [0, 0, true],
      [100, 0, false],
    ],
  );
});

test('a stream without loss has nothing to say of drops', async (t) => {
  const h = await heard(t, { sec: 20, lost: [] });
  const { e, q } = h.with([h.drops(0, 1_000, 100_000)]);
  assert.deepEqual([q.ownLost, q.known === q.windows], [0, true]);
  assert.ok(q.mos !== null);
  assert.deepEqual(callHints(dialogFacts(e, h.d)), []);
});
