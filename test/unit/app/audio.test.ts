/**
 * The audio of generated calls against the samples that were sent: placed in time, both directions, silence where
 * packets are missing, and a sentence where there is none.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { aLaw, muLaw } from '../../../fixtures/build/audio.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { callAudio } from '../../../src/app/audio.ts';
import { createReaders } from '../../../src/app/readers.ts';
import { readCapture } from '../../helpers/read-capture.ts';
import { chirp } from '../codec/vectors.ts';

const A = { user: 'alice', sip: { address: '192.0.2.1', port: 5060 }, rtp: { address: '192.0.2.1', port: 4000 } };
const B = { user: 'bob', sip: { address: '192.0.2.2', port: 5060 }, rtp: { address: '192.0.2.2', port: 5000 } };
const PACKETS = 100;

type Law = { readonly type: number; readonly encode: (sample: number) => number };
const PCMU: Law = { type: 0, encode: muLaw };
const PCMA: Law = { type: 8, encode: aLaw };
const G729: Law = { type: 18, encode: () => 0x55 };

const sdp = (address: string, port: number, law: Law): string =>
  `v=0\r\no=- 1 1 IN IP4 ${address}\r\ns=-\r\nc=IN IP4 ${address}\r\nt=0 0\r\nm=audio ${port} RTP/AVP ${law.type}\r\n`;

/** 20 ms packets of the sound from A or B, `startMs` after the answer; `lost` are not captured. */
function stream(from: typeof A, to: typeof A, law: Law, startMs: number, lost: (i: number) => boolean, swap = false) {
  const out = [];
  for (let i = 0; i < PACKETS; i++) {
    if (lost(i)) continue;
    const bytes = Buffer.alloc(172);
    bytes.writeUInt16BE(0x8000 | law.type, 0);
    bytes.writeUInt16BE((65_500 + i) & 0xffff, 2);
    bytes.writeUInt32BE((0xffffff00 + i * 160) >>> 0, 4);
    bytes.writeUInt32BE(from === A ? 0xa : 0xb, 8);
    for (let k = 0; k < 160; k++) bytes[12 + k] = law.encode(chirp(i * 160 + k, 8000));
    // Neighbours in the wrong order: they belong where their timestamps say.
    const slot = swap && i % 10 === 4 ? i + 1 : swap && i % 10 === 5 ? i - 1 : i;
    out.push({ tsUs: EPOCH_US + (200 + startMs + slot * 20) * 1000, src: from.rtp, dst: to.rtp, bytes });
  }
  return out;
}

type Plan = { law?: Law; lost?: (i: number) => boolean; both?: boolean; swap?: boolean; offsetMs?: number };

async function call(t: TestContext, plan: Plan = {}, options: readonly string[] = ['--retain-audio']) {
  const law = plan.law ?? PCMU;
  const script = new SipScript({ callId: 'a"b/../c', caller: A, callee: B, startUs: EPOCH_US });
  const invite = script.request('INVITE', 0, { body: { type: 'application/sdp', text: sdp('192.0.2.1', 4000, law) } });
  script.respond(invite, 200, 100, { body: { type: 'application/sdp', text: sdp('192.0.2.2', 5000, law) } });
  script.ack(invite, 200, 110);
  const capture = new Capture().add(script.messages).add(stream(A, B, law, 0, plan.lost ?? (() => false), plan.swap));
  if (plan.both !== false) capture.add(stream(B, A, law, plan.offsetMs ?? 0, () => false));
  const { session } = await readCapture(t, capture.pcap(), options);
  const d = session.dialogs.get('a"b/../c');
  assert.ok(d !== undefined);
  return { session, d, audio: await callAudio(session, d) };
}

/** Channels and note of a WAV file. */
function readWav(wav: Uint8Array) {
  const b = Buffer.from(wav);
  assert.equal(b.toString('latin1', 0, 4) + b.toString('latin1', 8, 16), 'RIFFWAVEfmt ');
  assert.equal(b.readUInt32LE(4), b.length - 8);
  const [count, rate] = [b.readUInt16LE(22), b.readUInt32LE(24)];
  const at = b.indexOf('data', 36, 'latin1') + 8;
  const frames = b.readUInt32LE(at - 4) / 2 / count;
  assert.equal(b.length, at + frames * 2 * count);
  const channels = Array.from({ length: count }, (_, c) =>
    Int16Array.from({ length: frames }, (_x, i) => b.readInt16LE(at + (i * count + c) * 2)),
  );
  return { rate, channels, note: b.toString('latin1', 36, at) };
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
  const vcon = await createReaders(session).vcon('a"b/../c');
  assert.equal(vcon?.dialog[0]?.body, Buffer.from(audio.wav).toString('base64url'));
});
