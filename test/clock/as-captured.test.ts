/** Behind a step of the clock times are shown, asked for and written as they were captured; durations know of no step. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { basicCall, callIdOf } from '../../fixtures/build/basic-call.ts';
import { EPOCH_US } from '../../fixtures/build/capture.ts';
import { hep3 } from '../../fixtures/build/hep.ts';
import { pcap } from '../../fixtures/build/pcap-file.ts';
import { OutputFile } from '../../src/export/capture-file.ts';
import { writeDialogs } from '../../src/export/selected-frames.ts';
import { asCaptured, spanAsCaptured } from '../../src/store/clock-steps.ts';
import { AGENT, COLLECTOR } from '../helpers/hep-capture.ts';
import { asJson, asRows } from '../helpers/json.ts';
import { type OpenSession, openSession } from '../helpers/open-session.ts';
import { readCapture, readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { forged, Office, SET_MS, stamped } from './captures.ts';

const HOUR_MS = 3_600_000;
const NAME = 'as-captured';
const usOf = (text: unknown): number => Date.parse(String(text).replace(/\d{3}Z$/, 'Z')) * 1000;

test('a time has what the clock showed then, whichever way it was set', () => {
  const steps = [
    { atUs: 100, sizeUs: 50 },
    { atUs: 200, sizeUs: -120 },
  ];
  assert.deepEqual(
    [99, 100, 199, 200, 300].map((us) => asCaptured(steps, us)),
    [99, 150, 249, 130, 230],
  );
  assert.deepEqual(spanAsCaptured(steps, 0, 90), { fromUs: 0, toUs: 90 });
  assert.deepEqual(spanAsCaptured(steps, 90, 110), { fromUs: 90, toUs: 160 });
  assert.deepEqual(spanAsCaptured(steps, 150, 210), { fromUs: 130, toUs: 250 });
  assert.deepEqual(spanAsCaptured(steps, 150, Number.POSITIVE_INFINITY).toUs, Number.POSITIVE_INFINITY);
});

for (const sizeMs of [HOUR_MS, -HOUR_MS])
  test(`documents and findings of a capture whose clock was set by ${sizeMs} ms`, async (t) => {
    const office = new Office(NAME, { calls: 3, rings: true });
    const { session } = await readCapture(t, pcap(stamped(office.frames(), [{ atMs: SET_MS, sizeMs }])));
    const stats = await session.explorer.stats();
    assert.equal(stats.caveats.clock_steps, 1);
    const { findings } = await session.explorer.captureReport();
    const found = findings.find(({ kind }) => kind === 'clock_step');
    assert.equal(found?.occurrences, 1);
    assert.match(
      found?.evidence[0]?.note ?? '',
      sizeMs > 0 ? /set forward by 3600\.0/ : /set back by (3600\.0|3599\.9)/,
    );
    const list = await session.explorer.dialogs({ offset: 0, limit: 50 });
    for (const row of asRows(asJson(list)['dialogs'])) {
      const [from, to] = [usOf(row['created_at']), usOf(row['updated_at'])];
      assert.ok(from >= EPOCH_US && from < EPOCH_US + 10e6, String(row['created_at']));
      const off = to - from - sizeMs * 1000;
      assert.ok(off > 0 && off < 14e6, `${row['created_at']} to ${row['updated_at']}`);
      assert.ok(Math.abs(Number(row['duration_sec']) * 1e6 - off) < 50_000);
    }
  });

for (const sizeMs of [HOUR_MS, -HOUR_MS])
  test(`a second pass writes all of the calls though the clock was set by ${sizeMs} ms, with the times they have`, async (t) => {
    const frames = stamped(new Office(NAME, { calls: 3 }).frames(), [{ atMs: SET_MS, sizeMs }]);
    const folder = temporaryFolder(t);
    const [from, to] = [join(folder, 'in.pcap'), join(folder, 'out.pcap')];
    writeFileSync(from, pcap(frames));
    const session = openSession(['-I', from], { keepsFrames: true, writesLater: true });
    t.after(() => session.close());
    await session.read([from], () => undefined);
    const { clockSteps } = session.evidence.capture;
    assert.equal(clockSteps.length, 1);
    const output = OutputFile.open(to, { bytes: 0, seconds: 0 });
    assert.ok(session.file !== null);
    const dialogs = session.dialogs.oldestFirst();
    const done = await writeDialogs(dialogs, session.ingest.stores, session.file, output, clockSteps);
    output.close();
    assert.equal(done.frames, frames.length);
    const again = (await readCaptureFile(t, to)).session;
    assert.deepEqual(again.evidence.capture.clockSteps, clockSteps);
    const times = ({ dialogs: all }: OpenSession): number[] => [...all.oldestFirst()].map((d) => d.updatedUs);
    assert.deepEqual(times(again), times(session));
  });

test('flows that pause at once beside ringing calls alone move no time, whatever hosts they invent', async (t) => {
  const office = new Office('forged-alone', { calls: 0, rings: true });
  const flows = forged(office.random, 2, 4, 1400);
  const { session } = await readCapture(t, pcap(office.frames([...office.wire, ...flows])));
  assert.deepEqual(session.evidence.capture.clockSteps, []);
});

for (const sizeMs of [HOUR_MS, -HOUR_MS])
  for (const isHere of [true, false])
    test(`a HEP agent ${isHere ? 'on this host' : 'elsewhere'} whose call spans a step of ${sizeMs} ms`, async (t) => {
      const set = EPOCH_US + SET_MS * 1000;
      const { messages } = basicCall('hep-over-a-step', { startUs: set - 3_000_000 });
      const mirrored = messages.map((m) => {
        const toldUs = m.tsUs + (isHere && m.tsUs >= set ? sizeMs * 1000 : 0);
        const bytes = hep3({ ...m, tsUs: toldUs, payload: m.bytes });
        return { ...m, bytes, tsUs: m.tsUs + 2_000, src: AGENT, dst: COLLECTOR };
      });
      const office = new Office(NAME, { calls: 3 });
      const frames = office.frames([...office.wire, ...mirrored].sort((a, b) => a.tsUs - b.tsUs));
      const file = pcap(stamped(frames, [{ atMs: SET_MS, sizeMs }]));
      const { session } = await readCapture(t, file, ['-E']);
      assert.equal((await session.explorer.stats()).caveats.clock_steps, 1);
      const { duration_sec: lasted } = await session.explorer.dialog(callIdOf('hep-over-a-step'));
      assert.ok(
        Math.abs(lasted * 1e6 - ((messages.at(-1)?.tsUs ?? 0) - (messages[0]?.tsUs ?? 0))) < 50_000,
        `${lasted} s`,
      );
    });
