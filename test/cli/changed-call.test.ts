/** The audio of a call whose codec changes on the way: every part is where it was spoken, in both directions. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { aLaw, muLaw } from '../../fixtures/build/audio.ts';
import { ALICE, answer, BOB, hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { concat } from '../../fixtures/build/bytes.ts';
import { scriptOf } from '../../fixtures/build/calls-setup.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import { type Datagram, rtpHeader } from '../../fixtures/build/rtp.ts';
import { described, reinvite, TALK_MS } from '../../fixtures/build/scene-kit.ts';
import { CODEC, type Codec, type SdpOptions } from '../../fixtures/build/sdp.ts';
import { createDecoder } from '../../src/protocols/codec/decoder.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';
import { correlationAt, speak } from '../helpers/voice.ts';
import { readWav } from '../helpers/wav.ts';
import { G722, OPUS } from '../unit/protocols/codec/vectors.ts';
import { run } from './run-program.ts';

/** What one side sends next: packets of 20 ms, or nothing; then its numbers and its timestamps go on, or stand still. */
type Part = {
  readonly packets: number;
  readonly codec?: Codec;
  readonly goesOn?: boolean;
  /** Begins anew: at this number. */
  readonly sequence?: number;
};
type Change = { readonly atPackets: number; readonly codecs: readonly Codec[] } & Pick<SdpOptions, 'direction'>;

const VOICES = [{ pitch: 105 }, { pitch: 140 }] as const;
/** Samples of a packet of 20 ms at 8 and at 16 kHz. */
const NARROW = 160;
const WIDE = 320;
const VECTOR_PACKETS = G722.length / NARROW;

const opusPackets = [...packetsOfOpus()];

function* packetsOfOpus(): Generator<Uint8Array> {
  for (let at = 0; at < OPUS.length; at += 2 + OPUS.readUInt16BE(at))
    yield OPUS.subarray(at + 2, at + 2 + OPUS.readUInt16BE(at));
}

/** Packet `slot` of the call, `nth` of its part. */
function payload(codec: Codec, voice: Int16Array, slot: number, nth: number): Uint8Array {
  if (codec === CODEC.G722) {
    const at = (nth % VECTOR_PACKETS) * NARROW;
    return G722.subarray(at, at + NARROW);
  }
  if (codec === CODEC.OPUS) return opusPackets[nth % opusPackets.length] ?? new Uint8Array(0);
  const law = codec === CODEC.PCMU ? muLaw : aLaw;
  return Uint8Array.from(voice.subarray(slot * NARROW, (slot + 1) * NARROW), law);
}

function media(src: Endpoint, dst: Endpoint, ssrc: number, startUs: number, voice: Int16Array, parts: readonly Part[]) {
  const out: Datagram[] = [];
  let [slot, sequence, timestamp] = [0, 65_400, 0xffffff00];
  for (const part of parts) {
    sequence = part.sequence ?? sequence;
    for (let nth = 0; nth < part.packets; nth++, slot++) {
      const { codec, goesOn = false } = part;
      if (codec === undefined) {
        if (goesOn) sequence++;
        if (goesOn) timestamp += NARROW;
        continue;
      }
      const header = rtpHeader(sequence++ & 0xffff, timestamp, ssrc, codec.payloadType, nth === 0);
      timestamp += codec.clock / 50;
      out.push({ tsUs: startUs + slot * 20_000, src, dst, bytes: concat(header, payload(codec, voice, slot, nth)) });
    }
  }
  return out;
}

const slots = (parts: readonly Part[]): number => parts.reduce((n, { packets }) => n + packets, 0);

/** The channels of what `--wav` makes of it, and the rate. */
async function heard(t: TestContext, changes: readonly Change[], sides: readonly [readonly Part[], readonly Part[]]) {
  const name = 'changed';
  const call = scriptOf(name);
  const first = { codecs: [CODEC.PCMU, CODEC.OPUS] };
  const [a, b] = [described(ALICE.rtp, 'changed/a', first), described(BOB.rtp, 'changed/b', first)];
  answer(call, call.request('INVITE', 0, { body: sdpBody(a) }), b);
  const length = Math.max(...sides.map(slots));
  for (const [k, { atPackets, codecs, direction = 'sendrecv' }] of changes.entries()) {
    const by = k % 2 === 0 ? 'caller' : 'callee';
    const back = direction === 'sendonly' ? 'recvonly' : direction;
    const [mine, others] = by === 'caller' ? [ALICE, BOB] : [BOB, ALICE];
    const text = (media: Endpoint, way: typeof direction): string =>
      described(media, `changed/${media.port}`, { codecs, direction: way, version: k + 2 });
    reinvite(call, TALK_MS + atPackets * 20 - 50, by, text(mine.rtp, direction), text(others.rtp, back));
  }
  hangUp(call, TALK_MS + length * 20 + 100);
  const capture = new Capture().add(call.messages);
  for (const [k, parts] of sides.entries()) {
    const [src, dst] = k === 0 ? [ALICE.rtp, BOB.rtp] : [BOB.rtp, ALICE.rtp];
    const voice = speak(VOICES[k] ?? VOICES[0], 8000, length * NARROW);
    capture.add(media(src, dst, 0xa0 + k, call.at(TALK_MS), voice, parts));
  }
  const folder = temporaryFolder(t);
  const [from, to] = [join(folder, 'changed.pcap'), join(folder, 'changed.wav')];
  writeFileSync(from, capture.pcap());
  const made = await run(['-I', from, '--wav', call.callId, '--to', to]);
  assert.equal(made.code, 0, made.stderr);
  return readWav(readFileSync(to));
}

/** How like the voice the slots are; the sound of a rate above is compared where it has a sample of the lower one. */
function likeVoice(channel: Int16Array, rate: number, side: number, from: number, to: number): number {
  const want = speak(VOICES[side] ?? VOICES[0], 8000, to * NARROW);
  const step = rate / 8000;
  return correlationAt(
    want,
    Int16Array.from({ length: to * NARROW }, (_, i) => channel[i * step] ?? 0),
    0,
    from * NARROW,
  );
}

/** What the decoder makes of the G.722 of a side: its parts follow each other, whatever lies between them. */
async function wideband(parts: readonly number[]): Promise<Int16Array[]> {
  const decoder = await createDecoder('G722', 8000, 1);
  assert.ok(decoder !== null);
  const empty = new Int16Array(0);
  return parts.map((packets) =>
    Int16Array.from(
      Array.from({ length: packets }, (_, nth) => [...decoder.decode(payload(CODEC.G722, empty, 0, nth))]).flat(),
    ),
  );
}

const isSilent = (channel: Int16Array, rate: number, from: number, to: number): boolean =>
  channel.subarray((from * rate) / 50, (to * rate) / 50).every((sample) => sample === 0);

test('PCMU, PCMA and G722 by re-INVITE, a hold, and the call goes on', async (t) => {
  const before: readonly Part[] = [
    { packets: 150, codec: CODEC.PCMU },
    { packets: 125, codec: CODEC.PCMA },
    { packets: 100, codec: CODEC.G722 },
  ];
  const changes: readonly Change[] = [
    { atPackets: 150, codecs: [CODEC.PCMA] },
    { atPackets: 275, codecs: [CODEC.G722, CODEC.PCMA] },
    { atPackets: 375, codecs: [CODEC.G722, CODEC.PCMA], direction: 'inactive' },
    { atPackets: 575, codecs: [CODEC.G722, CODEC.PCMA] },
  ];
  const [first, second] = await wideband([100, 140]);
  for (const [caller, callee, codec] of [
    [true, true, CODEC.PCMA],
    [false, true, CODEC.G722],
    [true, false, CODEC.G722],
    [false, false, CODEC.PCMA],
  ] as const) {
    const side = (goesOn: boolean): Part[] => [...before, { packets: 200, goesOn }, { packets: 140, codec }];
    const { rate, channels } = await heard(t, changes, [side(caller), side(callee)]);
    const what = `${codec.name} behind it, numbers go on: ${caller}, ${callee}`;
    assert.equal(rate, 16_000);
    assert.deepEqual(
      channels.map((c) => c.length),
      [715 * WIDE, 715 * WIDE],
      what,
    );
    for (const [k, channel] of channels.entries()) {
      assert.ok(likeVoice(channel, rate, k, 0, 150) > 0.99, `PCMU, ${what}`);
      assert.ok(likeVoice(channel, rate, k, 150, 275) > 0.99, `PCMA, ${what}`);
      assert.deepEqual(channel.subarray(275 * WIDE, 375 * WIDE), first, `G722, ${what}`);
      assert.ok(isSilent(channel, rate, 375, 575), `the hold, ${what}`);
      const behind = channel.subarray(575 * WIDE);
      if (codec === CODEC.G722) assert.deepEqual(behind, second, `behind the hold, ${what}`);
      else assert.ok(likeVoice(channel, rate, k, 575, 715) > 0.99, `behind the hold, ${what}`);
    }
  }
});

test('a clock that changes soon after the beginning moves nothing', async (t) => {
  const opus = { packets: 4, codec: CODEC.OPUS };
  for (const [first, second] of [
    [
      { packets: 4, codec: CODEC.OPUS },
      { packets: 146, codec: CODEC.PCMU },
    ],
    [
      { packets: 20, codec: CODEC.OPUS },
      { packets: 130, codec: CODEC.PCMU },
    ],
    [
      { packets: 25, codec: CODEC.PCMU },
      { packets: 125, codec: CODEC.OPUS },
    ],
    [{ packets: 28, codec: CODEC.PCMU }, opus],
  ] as const) {
    const side = [first, second, { packets: 50, codec: CODEC.PCMA }];
    const { rate, channels } = await heard(t, [], [side, [{ packets: slots(side), codec: CODEC.PCMU }]]);
    const what = `${first.packets} of ${first.codec.name}, then ${second.codec.name}`;
    assert.deepEqual(
      channels.map((c) => c.length),
      channels.map(() => (slots(side) * rate) / 50),
      what,
    );
    for (const [k, channel] of channels.entries()) {
      let from = 0;
      for (const { packets, codec } of k === 0 ? side : [{ packets: slots(side), codec: CODEC.PCMU }]) {
        const like = codec === CODEC.OPUS ? 1 : likeVoice(channel, rate, k, from, from + packets);
        assert.ok(like > 0.99, `${codec.name} from ${from}, ${what}: ${like}`);
        from += packets;
      }
    }
  }
});

test('a sender that begins anew at a number it had is heard before and after', async (t) => {
  for (const sequence of [65_400, 65_300, 65_200, 100]) {
    const side = [
      { packets: 150, codec: CODEC.PCMU },
      { packets: 150, codec: CODEC.PCMA, sequence },
    ];
    const { rate, channels } = await heard(t, [], [side, [{ packets: 300, codec: CODEC.PCMU }]]);
    assert.equal(rate, 8000);
    for (const [k, channel] of channels.entries())
      for (const [from, to] of [
        [0, 150],
        [150, 300],
      ] as const)
        assert.ok(likeVoice(channel, rate, k, from, to) > 0.99, `channel ${k} from ${from}, number ${sequence}`);
  }
});
