/**
 * The audio of generated calls against the samples that were sent: placed in time, both directions, silence where
 * packets are missing, and a sentence where there is none.
 */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Capture } from '../../../fixtures/build/capture.ts';
import { Turns } from '../../../src/core/turns.ts';
import { callAudio } from '../../../src/export/audio.ts';
import { asJson, asRows } from '../../helpers/json.ts';
import { readCapture } from '../../helpers/read-capture.ts';
import type { SpokenPlan } from '../../helpers/spoken-call.ts';
import { G729, GSM_LAW, PACKETS, PCMA, PCMU, spokenCall } from '../../helpers/spoken-call.ts';
import { readWav } from '../../helpers/wav.ts';
import { chirp } from '../protocols/codec/vectors.ts';

async function call(t: TestContext, plan: SpokenPlan = {}, options: readonly string[] = ['--retain-audio']) {
  const { session } = await readCapture(t, new Capture().add(spokenCall(plan)).pcap(), options);
  const d = session.dialogs.get('a"b/../c');
  assert.ok(d !== undefined);
  const turns = new Turns(() => performance.now());
  const made = await callAudio(session.evidence, d, turns, () => false);
  assert.ok(made !== null);
  return { session, d, audio: made.document };
}

function correlation(got: Int16Array, from: number, to: number, shift = 0): number {
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = from; i < to; i++) {
    const [x, y] = [chirp(i - shift, 8000), got[i] ?? 0];
    xy += x * y;
    xx += x * x;
    yy += y * y;
  }
  return xy / Math.sqrt(xx * yy || 1);
}

for (const [name, law] of [
  ['PCMU', PCMU],
  ['PCMA', PCMA],
] as const)
  test(`${name}: both directions as they were sent, from their first packet on`, async (t) => {
    const { audio } = await call(t, { law });
    assert.ok('wav' in audio, JSON.stringify(audio));
    const { rate, channels, note } = readWav(audio.wav);
    assert.equal(rate, 8000);
    assert.equal(audio.isPartial, false);
    assert.deepEqual(
      channels.map((c) => c.length),
      [PACKETS * 160, PACKETS * 160],
    );
    for (const c of channels) assert.ok(correlation(c, 0, c.length) > 0.99, String(correlation(c, 0, c.length)));
    assert.match(note, /calltap \d.*--retain-audio/s);
    assert.match(note, new RegExp(name));
  });

test('GSM: both directions as they were sent', async (t) => {
  const { audio } = await call(t, { law: GSM_LAW });
  assert.ok('wav' in audio, JSON.stringify(audio));
  const { rate, channels, note } = readWav(audio.wav);
  assert.equal(rate, 8000);
  assert.equal(audio.isPartial, false);
  assert.match(note, /GSM/);
  assert.deepEqual(
    channels.map((c) => c.length),
    [PACKETS * 160, PACKETS * 160],
  );
  for (const c of channels) assert.ok(correlation(c, 400, 3200) > 0.98, String(correlation(c, 400, 3200)));
});

test('packets that were held up on their way keep their place; those after a pause of the clock get a new one', async (t) => {
  // From packet 40 on nothing for 0.8 s, then a burst until the stream is in time again.
  const burst = await call(t, { heldMs: (i) => (i < 40 || i >= 80 ? 0 : (80 - i) * 20 - (80 - i) / 10) });
  assert.ok('wav' in burst.audio, JSON.stringify(burst.audio));
  const [held = new Int16Array(0)] = readWav(burst.audio.wav).channels;
  assert.equal(held.length, PACKETS * 160);
  assert.ok(correlation(held, 0, held.length) > 0.99, String(correlation(held, 0, held.length)));
  // The timestamps go on as if nothing had been, two seconds later.
  const paused = await call(t, { both: false, heldMs: (i) => (i < 40 ? 0 : 2000) });
  assert.ok('wav' in paused.audio, JSON.stringify(paused.audio));
  const [apart = new Int16Array(0)] = readWav(paused.audio.wav).channels;
  assert.equal(apart.length, PACKETS * 160 + 16_000);
  assert.ok(correlation(apart, 0, 6400) > 0.99);
  assert.ok(apart.subarray(6400, 22_400).every((sample) => sample === 0));
  assert.ok(correlation(apart, 22_400, apart.length, 16_000) > 0.99);
});

test('a key is silence in its place, a mark, and a word in the note', async (t) => {
  const keys = [
    { event: 5, first: 40, count: 8 },
    { event: 11, first: 60, count: 5 },
  ];
  const { audio } = await call(t, { keys });
  assert.ok('wav' in audio);
  assert.equal(audio.isPartial, false);
  const { channels, note, marks } = readWav(audio.wav);
  const [caller, callee] = channels;
  assert.ok(caller !== undefined && callee !== undefined);
  assert.ok(caller.subarray(40 * 160, 48 * 160).every((s) => s === 0));
  assert.ok(caller.subarray(60 * 160, 65 * 160).every((s) => s === 0));
  assert.ok(correlation(caller, 48 * 160, 60 * 160) > 0.99);
  assert.ok(correlation(callee, 0, callee.length) > 0.99, 'the other side is heard meanwhile');
  assert.match(note, /; keys: 5 at 0\.800 s from 192\.0\.2\.1:4000, # at 1\.200 s from 192\.0\.2\.1:4000\0/);
  assert.deepEqual(marks, [
    { at: 6400, label: 'key 5' },
    { at: 9600, label: 'key #' },
  ]);
});

test('a call of key presses alone says so', async (t) => {
  const { audio } = await call(t, { keys: [{ event: 1, first: 0, count: PACKETS }], both: false });
  assert.ok('reason' in audio);
  assert.match(audio.reason, /key presses/);
});

test('a lost packet is silence in its place, what follows stays in its own', async (t) => {
  const { audio } = await call(t, { lost: (i) => i >= 40 && i < 45 });
  assert.ok('wav' in audio);
  const [caller] = readWav(audio.wav).channels;
  assert.ok(caller !== undefined);
  assert.ok(caller.subarray(40 * 160, 45 * 160).every((s) => s === 0));
  assert.ok(correlation(caller, 0, 40 * 160) > 0.99);
  assert.ok(correlation(caller, 45 * 160, PACKETS * 160) > 0.99);
});

test('packets that arrived in the wrong order are put right', async (t) => {
  const { audio } = await call(t, { swap: true });
  assert.ok('wav' in audio);
  const [caller] = readWav(audio.wav).channels;
  assert.ok(caller !== undefined && correlation(caller, 0, caller.length) > 0.99);
});

test('the direction that began later begins later in the file', async (t) => {
  const { audio } = await call(t, { offsetMs: 300 });
  assert.ok('wav' in audio);
  const [caller, callee] = readWav(audio.wav).channels;
  assert.ok(caller !== undefined && callee !== undefined);
  assert.equal(callee.length, (PACKETS + 15) * 160);
  assert.ok(callee.subarray(0, 300 * 8).every((s) => s === 0));
  assert.ok(correlation(callee, 300 * 8, callee.length, 300 * 8) > 0.99);
  assert.ok(correlation(caller, 0, PACKETS * 160) > 0.99);
});

test('one direction is mono, and partial', async (t) => {
  const { audio } = await call(t, { both: false });
  assert.ok('wav' in audio);
  const { channels, note } = readWav(audio.wav);
  assert.equal(channels.length, 1);
  assert.equal(audio.isPartial, true);
  assert.match(note, /partial: direction never seen/);
});

test('a codec without a decoder is named, an option that was not given too', async (t) => {
  const undecodable = (await call(t, { law: G729 })).audio;
  assert.ok('reason' in undecodable);
  assert.match(undecodable.reason, /only codecs that cannot be decoded: G729/);
  const notKept = (await call(t, {}, [])).audio;
  assert.ok('reason' in notKept);
  assert.match(notKept.reason, /--retain-audio/);
});

test('the container of the call takes the same file in', async (t) => {
  const { session, audio } = await call(t);
  assert.ok('wav' in audio);
  const found = await session.explorer.vcon('a"b/../c');
  const container = found ?? assert.fail();
  assert.ok(container.keeps > audio.wav.length, 'the audio counts until it is read');
  const vcon = asJson(JSON.parse(await text(container.text)));
  assert.equal(asRows(vcon['dialog'])[0]?.['body'], Buffer.from(audio.wav).toString('base64url'));
});
