/**
 * Which m= section a stream belongs to where descriptions leave it open: sections that share an ICE user fragment, sockets
 * that nobody named, BUNDLE. Video that is taken for audio has the wrong codec, clock and packet time, and false findings.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import { spokenPacketMs } from '../../src/analysis/stream-quality.ts';
import { endpointKeyText } from '../../src/core/ip.ts';
import { callHints } from '../../src/view/explained.ts';
import { dialogFacts } from '../helpers/at-once.ts';
import { readCapture } from '../helpers/read-capture.ts';
import type { Flow, Section } from '../helpers/video-call.ts';
import { ANSWER_MS, candidate, description, FAR, NEAR, OPUS, VideoCall, VP8 } from '../helpers/video-call.ts';

const A = NEAR;
const B = FAR;
/** What the NAT of both sides shows. */
const OUTSIDE = '203.0.113.7';
const AUDIO = { line: 'audio 9 RTP/AVPF 96', attributes: ['rtpmap:96 opus/48000/2'] };
const VIDEO = { line: 'video 9 RTP/AVPF 96', attributes: ['rtpmap:96 VP8/90000'] };
const OPUS_111 = { ...OPUS, payloadType: 111 };
const AUDIO_111 = { line: 'audio 9 RTP/AVPF 111', attributes: ['rtpmap:111 opus/48000/2'] };

const at = (address: string, port: number): Endpoint => ({ address, port });

/** The section at a port, with further attributes. */
function on(port: number, s: Section, ...attributes: readonly string[]): Section {
  return { line: s.line.replace(' 9 ', ` ${port} `), attributes: [...(s.attributes ?? []), ...attributes] };
}

/** Of each stream the source, media type, codec, packet time and late packets; and what is wrong. */
async function told(t: TestContext, call: VideoCall): Promise<{ streams: string[]; hints: string[] }> {
  const { session } = await readCapture(t, call.capture());
  const d = session.dialogs.get(call.script.callId);
  assert.ok(d !== undefined);
  const facts = dialogFacts(session.evidence, d);
  const streams = facts.streams.map(({ stream, quality }) => {
    assert.ok(quality.jitterMs < 0.01, `${quality.codec}: jitter ${quality.jitterMs} ms`);
    const type = stream.claim?.mediaType || 'open';
    return `${endpointKeyText(stream.srcKey)} ${type} ${quality.codec} ${spokenPacketMs(quality)} ms ${quality.late} late`;
  });
  return { streams: streams.sort(), hints: callHints(facts) };
}

const WELL = {
  streams: [
    '192.168.7.10:7078 audio opus 20 ms 0 late',
    '192.168.7.10:9078 video VP8 40 ms 0 late',
    '192.168.7.20:7214 audio opus 20 ms 0 late',
    '192.168.7.20:9204 video VP8 40 ms 0 late',
  ],
  hints: [],
};

/** Audio and video between the hosts, after a check of each pair. */
function played(call: VideoCall, user: string, audio: Flow = OPUS, fromMs = ANSWER_MS + 120): VideoCall {
  call.check(at(A, 7078), at(B, 7214), user, fromMs - 90);
  call.check(at(A, 9078), at(B, 9204), user, fromMs - 80);
  call.talk(at(A, 7078), at(B, 7214), audio, fromMs);
  call.talk(at(A, 9078), at(B, 9204), VP8, fromMs);
  return call;
}

/** Host and server-reflexive candidates of a socket. */
const reflexive = (address: string, port: number): string[] => [
  candidate(at(address, port)),
  candidate(at(OUTSIDE, port), 'srflx'),
];

const FRAGMENTS: readonly (readonly [a: string, b: string])[] = [
  ['abcd', 'abcd'],
  ['AliC', 'BoBb'],
];
for (const [a, b] of FRAGMENTS)
  test(`candidates tell sections of one fragment apart: ${a} and ${b}`, async (t) => {
    const call = new VideoCall(
      `fragments ${a}`,
      description(
        OUTSIDE,
        [on(7078, AUDIO, ...reflexive(A, 7078)), on(9078, VIDEO, ...reflexive(A, 9078))],
        [`ice-ufrag:${a}`],
      ),
      description(
        OUTSIDE,
        [on(7214, AUDIO, ...reflexive(B, 7214)), on(9204, VIDEO, ...reflexive(B, 9204))],
        [`ice-ufrag:${b}`],
      ),
    );
    assert.deepEqual(await told(t, played(call, `${b}:${a}`)), WELL);
  });

test('sections that repeat one fragment, with candidates for RTCP and of a relay, the video first', async (t) => {
  const relayed = at('198.51.100.9', 50_000);
  const side = (address: string, audio: number, video: number, ufrag: string): string =>
    description(OUTSIDE, [
      on(video, VIDEO, `ice-ufrag:${ufrag}`, `rtcp:${video + 1}`, ...reflexive(address, video)),
      on(
        audio,
        AUDIO,
        `ice-ufrag:${ufrag}`,
        ...reflexive(address, audio),
        candidate(at(address, audio + 1), 'host', 2),
        candidate(relayed, 'relay'),
      ),
    ]);
  const call = new VideoCall('repeated fragment', side(A, 7078, 9078, 'AliC'), side(B, 7214, 9204, 'BoBb'));
  call.check(at(A, 7079), at(B, 7215), 'BoBb:AliC');
  call.check(at(A, 9079), at(B, 9205), 'BoBb:AliC');
  assert.deepEqual(await told(t, played(call, 'BoBb:AliC')), WELL);
});

test('a socket that nobody named is of the section of the other end', async (t) => {
  const seen = at('198.51.100.77', 61_001);
  const seenToo = at('198.51.100.77', 61_002);
  const call = new VideoCall(
    'peer-reflexive',
    description('10.0.0.5', [on(5000, AUDIO), on(5002, VIDEO)], ['ice-ufrag:AliC']),
    description(
      B,
      [on(7214, AUDIO, candidate(at(B, 7214))), on(9204, VIDEO, candidate(at(B, 9204)))],
      ['ice-ufrag:BoBb'],
    ),
  );
  for (const [near, port] of [
    [seenToo, 9204],
    [seen, 7214],
  ] as const)
    call.check(near, at(B, port), 'BoBb:AliC');
  call.talk(seen, at(B, 7214), OPUS);
  call.talk(seenToo, at(B, 9204), VP8);
  const { streams, hints } = await told(t, call);
  assert.deepEqual(
    streams.map((s) => s.split(' ').slice(0, 3).join(' ')),
    [
      '192.168.7.20:7214 audio opus',
      '192.168.7.20:9204 video VP8',
      '198.51.100.77:61001 audio opus',
      '198.51.100.77:61002 video VP8',
    ],
  );
  assert.deepEqual(hints, []);
});

/** Trickled candidates stand in no description. */
const trickled = (ufrag: string, ports: readonly [number, number], audio: Section = AUDIO): string =>
  description(OUTSIDE, [on(ports[0], audio), on(ports[1], VIDEO)], [`ice-ufrag:${ufrag}`, 'ice-options:trickle']);

test('without candidates the ports tell that the NAT kept', async (t) => {
  const call = new VideoCall('kept ports', trickled('AliC', [7078, 9078]), trickled('BoBb', [40_000, 40_002]));
  assert.deepEqual(await told(t, played(call, 'BoBb:AliC')), WELL);
});

test('without candidates and ports the payload type tells which section alone has it', async (t) => {
  const call = new VideoCall('types', trickled('AliC', [9, 9], AUDIO_111), trickled('BoBb', [9, 9], AUDIO_111));
  assert.deepEqual(await told(t, played(call, 'BoBb:AliC', OPUS_111)), WELL);
});

test('what one direction tells holds for the other', async (t) => {
  const call = new VideoCall('other way', trickled('AliC', [9, 9], AUDIO_111), trickled('BoBb', [9, 9]));
  for (const [a, b] of [
    [7078, 7214],
    [9078, 9204],
  ] as const)
    call.check(at(A, a), at(B, b), 'BoBb:AliC');
  // Each side is sent to by its own numbers: 96 may be audio of one side and video of both.
  call.send(at(A, 7078), at(B, 7214), OPUS);
  call.send(at(B, 7214), at(A, 7078), OPUS_111);
  const { streams, hints } = await told(t, call);
  assert.deepEqual(streams, [WELL.streams[0], WELL.streams[2]]);
  assert.deepEqual(hints, []);
});

test('where nothing tells, neither codec nor type is said, and no finding', async (t) => {
  const call = new VideoCall('open', trickled('AliC', [9, 9]), trickled('BoBb', [9, 9]));
  const { streams, hints } = await told(t, played(call, 'BoBb:AliC'));
  assert.deepEqual(
    streams.map((s) => s.split(' ').slice(1, 3).join(' ')),
    new Array(4).fill('open null'),
  );
  assert.deepEqual(hints, []);
});

test('what a stranger sends to one of the sockets tells nothing of it', async (t) => {
  const more = { line: 'video 9 RTP/AVPF 96 97', attributes: ['rtpmap:96 VP8/90000', 'rtpmap:97 H264/90000'] };
  const side = (ufrag: string): string => description(OUTSIDE, [on(9, AUDIO), on(9, more)], [`ice-ufrag:${ufrag}`]);
  const call = new VideoCall('stranger', side('AliC'), side('BoBb'));
  call.send(at('198.51.100.66', 6666), at(A, 7078), { ...VP8, payloadType: 97 });
  const { streams, hints } = await told(t, played(call, 'BoBb:AliC'));
  assert.deepEqual(
    streams.map((s) => s.split(' ').slice(0, 3).join(' ')),
    [
      '192.168.7.10:7078 open null',
      '192.168.7.10:9078 open null',
      '192.168.7.20:7214 open null',
      '192.168.7.20:9204 open null',
      '198.51.100.66:6666 video H264',
    ],
  );
  assert.deepEqual(hints, []);
});

test('a later offer that names the sockets tells it of streams that run there', async (t) => {
  const call = new VideoCall('named later', trickled('AliC', [9, 9]), trickled('BoBb', [9, 9]));
  played(call, 'BoBb:AliC');
  const side = (address: string, audio: number, video: number): string =>
    description(address, [on(audio, AUDIO), on(video, VIDEO)]);
  call.reinvite(4000, side(A, 7078, 9078), side(B, 7214, 9204));
  assert.deepEqual(await told(t, call), WELL);
});

test('video that a re-INVITE adds under the same fragment', async (t) => {
  const audio = (address: string, port: number): Section => on(port, AUDIO, ...reflexive(address, port));
  const both = (address: string, a: number, v: number): Section[] => [
    audio(address, a),
    on(v, VIDEO, ...reflexive(address, v)),
  ];
  const call = new VideoCall(
    'added',
    description(OUTSIDE, [audio(A, 7078)], ['ice-ufrag:AliC']),
    description(OUTSIDE, [audio(B, 7214)], ['ice-ufrag:BoBb']),
  );
  call.reinvite(
    ANSWER_MS + 60,
    description(OUTSIDE, both(A, 7078, 9078), ['ice-ufrag:AliC']),
    description(OUTSIDE, both(B, 7214, 9204), ['ice-ufrag:BoBb']),
  );
  assert.deepEqual(await told(t, played(call, 'BoBb:AliC', OPUS, ANSWER_MS + 300)), WELL);
});

/** All on one socket, which the first section of the group gives. */
const bundled = (address: string, port: number, ...sections: readonly Section[]): string =>
  description(
    address,
    sections.map((s, i) => ({ ...s, attributes: [...(s.attributes ?? []), `mid:${address}${i}`] })),
    [`group:BUNDLE ${sections.map((_, i) => `${address}${i}`).join(' ')}`, `ice-ufrag:f${port}`],
  );
const BUNDLES: readonly (readonly [name: string, offered: string])[] = [
  ['each section offers its own port', bundled(A, 7078, on(7078, AUDIO_111), on(9078, VIDEO))],
  ['the further section has port 0', bundled(A, 7078, on(7078, AUDIO_111), on(0, VIDEO, 'bundle-only'))],
];
for (const [name, offered] of BUNDLES)
  test(`the streams of one socket belong to the sections of their payload types: ${name}`, async (t) => {
    const call = new VideoCall(`bundle ${name}`, offered, bundled(B, 7214, on(7214, AUDIO_111), on(7214, VIDEO)));
    call.check(at(A, 7078), at(B, 7214), 'f7214:f7078');
    call.talk(at(A, 7078), at(B, 7214), OPUS_111);
    call.talk(at(A, 7078), at(B, 7214), VP8);
    const { streams, hints } = await told(t, call);
    assert.deepEqual(streams, [
      '192.168.7.10:7078 audio opus 20 ms 0 late',
      '192.168.7.10:7078 video VP8 40 ms 0 late',
      '192.168.7.20:7214 audio opus 20 ms 0 late',
      '192.168.7.20:7214 video VP8 40 ms 0 late',
    ]);
    assert.deepEqual(hints, []);
  });

test('a BUNDLE that the answer does not take leaves each socket to its own section, whatever the numbers', async (t) => {
  const call = new VideoCall(
    'bundle refused',
    bundled(A, 7078, on(7078, AUDIO), on(9078, VIDEO)),
    description(B, [on(7214, AUDIO), on(9204, VIDEO)]),
  );
  call.talk(at(A, 7078), at(B, 7214), OPUS);
  call.talk(at(A, 9078), at(B, 9204), VP8);
  assert.deepEqual(await told(t, call), WELL);
});

test('the codec of a number is that of its own section, in either direction', async (t) => {
  const sections = (audio: Section, video: Section): Section[] => [on(7078, audio), on(9078, video)];
  const other = { line: 'video 9 RTP/AVPF 97', attributes: ['rtpmap:97 H264/90000'] };
  const call = new VideoCall(
    'own section',
    description(A, sections(AUDIO, VIDEO)),
    description(B, [on(7214, AUDIO), on(9204, other)]),
  );
  call.send(at(A, 7078), at(B, 7214), OPUS);
  call.send(at(B, 7214), at(A, 7078), OPUS);
  // By the number of the other side, and by one that only audio has.
  call.send(at(A, 9078), at(B, 9204), VP8);
  call.send(at(B, 9204), at(A, 9078), { ...VP8, payloadType: 97 });
  const { streams } = await told(t, call);
  assert.deepEqual(
    streams.map((s) => s.split(' ').slice(0, 3).join(' ')),
    [
      '192.168.7.10:7078 audio opus',
      '192.168.7.10:9078 video VP8',
      '192.168.7.20:7214 audio opus',
      '192.168.7.20:9204 video H264',
    ],
  );
});
