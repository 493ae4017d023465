/** What is counted of calls that ended: their media, and what is wrong with them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callCases } from '../../../../fixtures/build/calls.ts';
import { dialogFactsSteps } from '../../../../src/analysis/dialog-facts.ts';
import { findingNames } from '../../../../src/analysis/finding-names.ts';
import { finish } from '../../../../src/core/turns.ts';
import { isAnswer } from '../../../../src/store/dialogs/call-outcome.ts';
import { isEnded } from '../../../../src/store/dialogs/dialog-state.ts';
import { MAX_DIALOG_STREAMS } from '../../../../src/store/media/stream-store.ts';
import { EndedCalls } from '../../../../src/watch/numbers/ended-calls.ts';
import { Numbers } from '../../../helpers/numbers.ts';
import { readCapture, readCaptureFile } from '../../../helpers/read-capture.ts';
import { CALLEE, CALLER, wideCall } from '../../../helpers/wide-call.ts';

const DEMO = 'fixtures/demo/demo.pcap';
const ALL = ['--metrics', '127.0.0.1:0', '--metrics-families', 'all'];

test('media and findings of the demo are those of its calls, each once', async (t) => {
  const { session } = await readCaptureFile(t, DEMO, ALL);
  const n = new Numbers(session.figures);
  let [packets, missing, streams] = [0, 0, 0];
  const findings = new Map<string, number>();
  const { evidence } = session;
  for (const d of session.dialogs.oldestFirst()) {
    if (d.family > 1) continue;
    const facts = finish(dialogFactsSteps(evidence, d));
    const hasStreams = facts.streams.length > 0;
    if (!isEnded(d.state) && !hasStreams) continue;
    for (const name of findingNames(facts)) findings.set(`other ${name}`, (findings.get(`other ${name}`) ?? 0) + 1);
    if (!isAnswer(d.finalCode)) continue;
    for (const { quality } of facts.streams) {
      streams++;
      packets += quality.snapshot.packets;
      missing += Math.max(0, quality.lost - quality.ownLost);
    }
  }
  assert.ok(streams > 10 && packets > 1_000);
  const sum = (name: string) => Object.values(n.all(name)).reduce((a, b) => a + b, 0);
  assert.equal(sum('calltap_codec_streams_total'), streams);
  assert.equal(sum('calltap_codec_rtp_packets_total'), packets);
  assert.equal(sum('calltap_codec_rtp_missing_total'), missing);
  assert.equal(n.of('calltap_trunk_rtp_packets_total', 'other', 'in'), packets);
  assert.equal(n.of('calltap_trunk_rtp_packets_total', 'other', 'out'), packets);
  assert.equal(n.of('calltap_stream_jitter_seconds', 'other'), streams, 'a stream of an unnamed call is observed once');
  assert.deepEqual(n.all('calltap_findings_total'), Object.fromEntries(findings));
  assert.equal(
    n.of('calltap_trunk_one_way_total', 'other', 'out'),
    n.of('calltap_findings_total', 'other', 'one-way-audio'),
  );
});

test('answered calls without media, or with one side alone, by trunk and direction', async (t) => {
  for (const [name, family] of [
    ['no-media', 'calltap_trunk_without_media_total'],
    ['one-way-audio', 'calltap_trunk_one_way_total'],
  ] as const) {
    const made = callCases().find((one) => one.name === name) ?? assert.fail(name);
    const { session } = await readCapture(t, made.bytes, ALL);
    const n = new Numbers(session.figures);
    assert.deepEqual(n.all(family), { 'other in': 1, 'other out': 1 }, name);
    assert.equal(n.of('calltap_findings_total', 'other', name), 1);
    assert.equal(n.of('calltap_device_findings_total', 'other', name), 1);
  }
});

test('the largest call is judged from tick to tick, and not at once where it leaves the memory', async (t) => {
  const capture = wideCall({
    ...{ descriptions: 2, lines: 1, streams: MAX_DIALOG_STREAMS, packets: 150 },
    section: (line) => `m=audio ${4000 + 2 * line} RTP/AVP 0\r\n`,
    ends: (s) => (s % 2 === 0 ? [CALLER, 4000, CALLEE, 4000] : [CALLEE, 4000, CALLER, 4000]),
  });
  const { session } = await readCapture(t, capture.pcap(), ALL);
  const d = session.dialogs.get('wide') ?? assert.fail('no call');
  const trunks = session.figures.trunks ?? assert.fail('no trunks');
  const { numbers } = trunks;
  assert.ok(numbers !== null);
  const counted = (): number => new Numbers(session.figures).of('calltap_trunk_rtp_packets_total', 'other', 'out');
  const notJudged = (): number => new Numbers(session.figures).of('calltap_findings_total', 'other', 'not-judged');
  const whole = counted();
  assert.equal(whole, MAX_DIALOG_STREAMS * 150);
  const made = (): EndedCalls =>
    new EndedCalls({
      numbers,
      evidence: () => session.evidence,
      hopsOf: (of) => trunks.hopsOf(of),
      heardOn: (row, streams) => trunks.heardOn(row, streams),
    });
  const dueUs = d.endedUs + 2e6;

  const ticking = made();
  ticking.onDialogState(d);
  let ticks = 0;
  for (; counted() === whole && ticks < 100; ticks++) ticking.onTick(dueUs);
  assert.ok(ticks > 2 && ticks < 100, `${ticks} ticks`);
  ticking.onTick(dueUs);
  assert.equal(counted(), 2 * whole, 'once');
  assert.equal(notJudged(), 0);

  for (const begins of [false, true]) {
    const before = notJudged();
    const leaving = made();
    leaving.onDialogState(d);
    if (begins) leaving.onTick(dueUs);
    leaving.onDialogGone(d);
    leaving.onTick(dueUs);
    assert.equal(counted(), 2 * whole);
    assert.equal(notJudged(), before + 1, begins ? 'on its way' : 'before it began');
  }
});
