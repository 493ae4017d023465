/**
 * The audio of live calls against the sound the phones were given: each codec, both directions, the length against the
 * wire, and silence where packets were taken out of the capture.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { muLaw } from '../../fixtures/build/audio.ts';
import { startService } from '../conformance/service.ts';
import { correlationAt, lagOf, speak } from '../helpers/voice.ts';
import type { Wav } from '../helpers/wav.ts';
import { readWav } from '../helpers/wav.ts';
import type { PhoneCodec } from './baresip.ts';
import { startPhone } from './baresip.ts';
import { Dump } from './dump.ts';
import type { Running } from './lab.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';
import { SCENARIOS, scenarioFile } from './sipp-scenarios.ts';
import { rows } from './tls-peer-lab.ts';
import type { WirePacket } from './wire-truth.ts';
import { wirePackets } from './wire-truth.ts';

const skip = missing('baresip', 'sipp', 'dumpcap', 'tshark', 'editcap');
const SECONDS = 6;
const PACKET_SEC = 0.02;
/** Taken out of the capture: half a second. */
const [CUT_FIRST, CUT_COUNT] = [120, 25];

type Call = {
  /** The caller's user name, or the Call-ID of SIPp. */
  readonly name: string;
  readonly codec: PhoneCodec;
  /** Of the RTP timestamps; G.722 has its own by RFC 3551 section 4.5.2. */
  readonly clock: number;
  readonly least: number;
  /** Media ports of caller and callee begin here. */
  readonly ports: readonly [number, number];
  readonly sounds: readonly [Int16Array, Int16Array];
};

const voices = (rate: number): [Int16Array, Int16Array] => [
  speak({ pitch: 140 }, rate, rate * (SECONDS + 2)),
  speak({ pitch: 105 }, rate, rate * (SECONDS + 2)),
];

function calls(): Call[] {
  const codecs: readonly (readonly [string, number, number, number])[] = [
    ['PCMU/8000/1', 8000, 8000, 0.99],
    ['PCMA/8000/1', 8000, 8000, 0.99],
    ['G722/16000/1', 16_000, 8000, 0.99],
    ['opus/48000/2', 48_000, 48_000, 0.9],
  ];
  return codecs.map(([name, rate, clock, least], i) => ({
    name: `alice${i}`,
    codec: { name, rate },
    clock,
    least,
    ports: [30_000 + i * 100, 20_000 + i * 100],
    sounds: voices(rate),
  }));
}

/** The callees answer, the callers dial at once and hang up by the clock: all calls at the same time. */
async function talk(lab: Lab, list: readonly Call[]): Promise<Running[]> {
  // The port after that of the signaling is taken for TLS.
  const port = (i: number) => 5060 + i * 4;
  for (const [i, { codec, ports, sounds }] of list.entries()) {
    const callee = { host: 'b', user: `bob${i}`, port: port(i), rtpPort: ports[1], codec, sound: sounds[1] } as const;
    startPhone(lab, { ...callee, seconds: SECONDS + 60 });
  }
  for (const i of list.keys()) await lab.listening('b', port(i));
  return list.map(({ name, codec, ports, sounds }, i) =>
    startPhone(lab, {
      ...{ host: 'a', user: name, port: port(i) + 2, rtpPort: ports[0], codec, sound: sounds[0], seconds: SECONDS },
      dial: `sip:bob${i}@${ADDRESS.b.v4}:${port(i)}`,
    }),
  );
}

/** A pair of SIPp that streams a file of mu-law bytes to each other, three seconds of it. */
async function streamed(lab: Lab): Promise<{ call: Call; running: Running[] }> {
  const rate = 8000;
  const sound = speak({ pitch: 120 }, rate, rate * 8);
  writeFileSync(lab.path('tone.ul'), Uint8Array.from(sound, muLaw));
  const [caller, callee] = (['caller', 'callee'] as const).map((side) => {
    const file = lab.path(`${side}.xml`);
    writeFileSync(file, scenarioFile(side, SCENARIOS.answered[side]));
    const host = side === 'caller' ? 'a' : 'b';
    const at = [
      '-i',
      ADDRESS[host].v4,
      '-mi',
      ADDRESS[host].v4,
      '-p',
      '5090',
      '-mp',
      side === 'caller' ? '41000' : '40000',
    ];
    const options = ['-sf', file, ...at, '-m', '1', '-nostdin', '-timeout', '60'];
    return () =>
      lab.start(host, 'sipp', [
        ...options,
        ...(host === 'a' ? ['-cid_str', 'streamed@lab', `${ADDRESS.b.v4}:5090`] : []),
      ]);
  });
  assert.ok(caller !== undefined && callee !== undefined);
  const running = [callee()];
  await lab.listening('b', 5090);
  running.push(caller());
  const codec = { name: 'PCMU', rate };
  const call: Call = {
    name: 'streamed@lab',
    codec,
    clock: rate,
    least: 0.99,
    ports: [41_000, 40_000],
    sounds: [sound, sound],
  };
  return { call, running };
}

function isOf(call: Call, side: 0 | 1): (p: WirePacket) => boolean {
  const [from, to] = [call.ports[side], call.ports[side] + 40];
  return (p) => p.srcPort >= from && p.srcPort < to;
}

/** Seconds from the first sample of a call to its last, as its packets say. */
function wireSeconds(packets: readonly WirePacket[], call: Call): number {
  const spans = ([0, 1] as const).map((side) => {
    const list = packets.filter(isOf(call, side));
    const [first, last] = [list[0], list[list.length - 1]];
    assert.ok(first !== undefined && last !== undefined, `${call.name} sent nothing`);
    return { from: first.atSec, to: first.atSec + (last.timestamp - first.timestamp) / call.clock + PACKET_SEC };
  });
  return Math.max(...spans.map((s) => s.to)) - Math.min(...spans.map((s) => s.from));
}

/** Correlation of a channel with what that side played, of the whole and of each of these spans. */
function alike(wav: Wav, call: Call, side: 0 | 1, spans: readonly (readonly [number, number])[] = []): number[] {
  const [got, want] = [wav.channels[side] ?? new Int16Array(0), call.sounds[side]];
  const lag = lagOf(want, got, wav.rate, 1);
  return [[0, got.length] as const, ...spans].map(([from, to]) => correlationAt(want, got, lag, from, to));
}

/** The longest run of digital silence, in samples. */
function longestSilence(samples: Int16Array): { from: number; to: number } {
  let best = { from: 0, to: 0 };
  let from = 0;
  for (let i = 0; i <= samples.length; i++) {
    if (i < samples.length && samples[i] === 0) continue;
    if (i - from > best.to - best.from) best = { from, to: i };
    from = i + 1;
  }
  return best;
}

test('the audio of live calls is what the phones played', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  const live = ['-d', 'eth0', '--portrange', '5060-5099', '--retain-audio'];
  const agent = await Agent.start(lab, live, /capturing on eth0/);
  const dump = await Dump.start(lab, 'eth0', 'wire.pcap', ['-P']);
  const { file } = dump;
  const spoken = calls();
  const phones = await talk(lab, spoken);
  const sipp = await streamed(lab);
  for (const peer of [...phones, ...sipp.running]) assert.equal(await peer.ended, 0, peer.output().slice(-2000));
  await dump.stop();

  const all = [...spoken, sipp.call];
  const packets = wirePackets(
    file,
    all.flatMap(({ ports }) => ports),
  );
  const dialogs = rows(agent.get('/v1/dialogs'), 'dialogs');
  const callIds = new Map(
    dialogs.map((d) => [d['from_user'] === 'alice' ? d['call_id'] : d['from_user'], d['call_id']]),
  );
  const pathOf = ({ name }: Call) => `/v1/dialogs/${encodeURIComponent(String(callIds.get(name)))}/audio`;

  for (const call of all)
    await t.test(`${call.codec.name} of ${call.name}`, () => {
      const wav = readWav(agent.bytes(pathOf(call)));
      assert.deepEqual([wav.channels.length, wav.rate], [2, call.codec.rate]);
      assert.doesNotMatch(wav.note, /partial/);
      const seconds = (wav.channels[0]?.length ?? 0) / wav.rate;
      const wire = wireSeconds(packets, call);
      assert.ok(Math.abs(seconds - wire) <= PACKET_SEC, `${seconds} s, ${wire} s on the wire`);
      for (const side of [0, 1] as const) {
        const [r = 0] = alike(wav, call, side);
        assert.ok(r > call.least, `side ${side}: correlation ${r}`);
      }
    });

  await t.test('packets that are missing are silence in their place, in that direction alone', async () => {
    const cut = lab.path('cut.pcap');
    const lost = spoken.flatMap((call) => packets.filter(isOf(call, 0)).slice(CUT_FIRST, CUT_FIRST + CUT_COUNT));
    const edited = spawnSync('editcap', ['-F', 'pcap', file, cut, ...lost.map((p) => String(p.frame))], {
      encoding: 'utf8',
    });
    assert.equal(edited.status, 0, edited.stderr);
    const service = await startService(['-I', cut, '--portrange', '5060-5099', '--retain-audio']);
    try {
      for (const call of spoken) {
        const wav = readWav((await service.ask(pathOf(call))).bytes);
        const list = packets.filter(isOf(call, 0));
        const first = packets.find((p) => isOf(call, 0)(p) || isOf(call, 1)(p));
        const [own, gone] = [list[0], list[CUT_FIRST]];
        assert.ok(first !== undefined && own !== undefined && gone !== undefined);
        const from = own.atSec - first.atSec + (gone.timestamp - own.timestamp) / call.clock;
        const silence = longestSilence(wav.channels[0] ?? new Int16Array(0));
        const [begins, ends] = [silence.from / wav.rate, silence.to / wav.rate];
        const what = `${call.codec.name}: silent from ${begins} to ${ends} s, taken out from ${from} s`;
        assert.ok(Math.abs(begins - from) <= PACKET_SEC, what);
        assert.ok(Math.abs(ends - from - CUT_COUNT * PACKET_SEC) <= PACKET_SEC, what);
        const end = wav.channels[0]?.length ?? 0;
        const [, before = 0, after = 0] = alike(wav, call, 0, [
          [0, silence.from],
          [silence.to, end],
        ]);
        const [back = 0] = alike(wav, call, 1);
        const r = Math.min(before, after, back);
        assert.ok(r > call.least, `${call.codec.name}: correlation ${before} before, ${after} after, ${back} back`);
      }
    } finally {
      await service.stop();
    }
  });

  await t.test('one direction of a call is one channel, and partial', async () => {
    const half = lab.path('half.pcap');
    const [call] = spoken;
    assert.ok(call !== undefined);
    const other = spawnSync('tshark', [
      '-r',
      file,
      '-Y',
      `!(udp.srcport >= ${call.ports[1]} && udp.srcport < ${call.ports[1] + 40})`,
      '-F',
      'pcap',
      '-w',
      half,
    ]);
    assert.equal(other.status, 0, String(other.stderr));
    const service = await startService(['-I', half, '--portrange', '5060-5099', '--retain-audio']);
    try {
      const answer = await service.ask(pathOf(call));
      assert.equal(answer.headers['x-service-audio-partial'], 'true');
      const wav = readWav(answer.bytes);
      assert.equal(wav.channels.length, 1);
      const [r = 0] = alike(wav, call, 0);
      assert.ok(r > call.least, `correlation ${r}`);
    } finally {
      await service.stop();
    }
  });
  assert.equal(await lab.stop(agent.running), 0);
});
