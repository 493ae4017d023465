/**
 * Every m= line of a call's descriptions, with what became of it, and video that ran one way: in the document of `/ask`, in
 * reports and ladders. `/v1` keeps one row a description, and healthy calls get no finding of it.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { sdpBody } from '../../fixtures/build/basic-call.ts';
import type { CallDocument } from '../../src/contract/index.ts';
import { MEDIA_LINES } from '../../src/view/media-lines.ts';
import { readCapture } from '../helpers/read-capture.ts';
import type { Section } from '../helpers/video-call.ts';
import { description, FAR, NEAR, PCMU, VideoCall, VP8 } from '../helpers/video-call.ts';

const AUDIO = { line: 'audio 4000 RTP/AVP 0' };
const VIDEO = { line: 'video 4002 RTP/AVP 96', attributes: ['rtpmap:96 H264/90000'] };
const OFF = { ...VIDEO, line: 'video 0 RTP/AVP 96' };
const SHOWN = { ...VIDEO, attributes: [...VIDEO.attributes, 'sendonly'] };
const WATCHED = { ...VIDEO, attributes: [...VIDEO.attributes, 'recvonly'] };
const near = (...sections: readonly Section[]): string => description(NEAR, sections);
const far = (...sections: readonly Section[]): string => description(FAR, sections);

const at = (address: string, port: number) => ({ address, port });

type Told = { readonly document: CallDocument; readonly report: string; readonly lines: string[]; readonly v1: object };

async function told(t: TestContext, call: VideoCall): Promise<Told> {
  const { session } = await readCapture(t, call.capture());
  const { explorer } = session;
  const { callId } = call.script;
  const document = await explorer.call(callId);
  const style = { width: null, color: false, isUtc: true };
  const report = [...(await explorer.text([callId], 'text', style))].join('\n');
  const v1 = await explorer.dialog(callId);
  const lines = (document.media_lines ?? []).map(
    ({ exchange, line, type, media_port, mode, change }) =>
      `${exchange}.${line} ${type} ${media_port} ${mode} ${change ?? '-'}`,
  );
  return { document, report, lines, v1 };
}

/** Both sides add video, and end it before the call. */
function addedAndRemoved(name: string): VideoCall {
  const call = new VideoCall(name, near(AUDIO), far(AUDIO));
  call.talk(at(NEAR, 4000), at(FAR, 4000), PCMU);
  call.reinvite(3000, near(AUDIO, VIDEO), far(AUDIO, VIDEO));
  call.reinvite(8000, near(AUDIO, OFF), far(AUDIO, OFF));
  return call;
}

test('video that is added, runs one way and is removed', async (t) => {
  const call = addedAndRemoved('one-way');
  call.send(at(NEAR, 4002), at(FAR, 4002), { ...VP8, count: 100 }, 3200);
  const { document, report, lines, v1 } = await told(t, call);
  assert.deepEqual(lines, [
    '0.0 audio 4000 sendrecv -',
    '1.0 audio 4000 sendrecv -',
    '2.0 audio 4000 sendrecv -',
    '2.1 video 4002 sendrecv added',
    '3.0 audio 4000 sendrecv -',
    '3.1 video 4002 sendrecv added',
    '4.0 audio 4000 sendrecv -',
    '4.1 video 0 sendrecv removed',
    '5.0 audio 4000 sendrecv -',
    '5.1 video 0 sendrecv removed',
  ]);
  assert.deepEqual(document.media_notes, [
    'Video ran one way: 192.168.7.10:4002 sent 100 packets of H264 to 192.168.7.20:4002, and no video came back. Both sides agreed to both ways.',
  ]);
  assert.deepEqual(document.diagnosis.hints, []);
  assert.match(report, /^Note {2,}Video ran one way/m);
  assert.match(report, /Nothing wrong was found\./);
  assert.match(report, /= RTP video H264 0\.0 % one way =+>/);
  assert.match(
    report,
    /^3\.000 s {2}offer of caller {3}audio .* -\n {20,}video {2}192\.168\.7\.10:4002 .* H264 {4}added$/m,
  );
  assert.match(report, /^ {20,}video {2}off \(port 0\) .* removed$/m);
  assert.equal(document.sdp_timeline.length, 6);
  for (const key of ['media_lines', 'media_notes']) assert.ok(!(key in v1), `${key} is no key of /v1`);
});

test('video both ways is nothing to say, and one audio line alone has no lines of its own', async (t) => {
  const call = addedAndRemoved('both-ways');
  call.talk(at(NEAR, 4002), at(FAR, 4002), { ...VP8, count: 100 }, 3200);
  const { document, report } = await told(t, call);
  assert.equal(document.media_notes, undefined);
  assert.match(report, /= RTP video H264 0\.0 % =+>/);
  const plain = new VideoCall('plain', near(AUDIO), far(AUDIO));
  plain.send(at(NEAR, 4000), at(FAR, 4000), { ...PCMU, count: 100 });
  const of = await told(t, plain);
  assert.deepEqual([of.document.media_lines, of.document.media_notes], [undefined, undefined]);
  assert.match(of.report, /offer of caller {3}audio {2}192\.168\.7\.10:4000 {2}sendrecv {2}PCMU {4}-/);
});

test('video of one way by agreement', async (t) => {
  const call = new VideoCall('screen', near(AUDIO, SHOWN), far(AUDIO, WATCHED));
  call.talk(at(NEAR, 4000), at(FAR, 4000), PCMU);
  call.send(at(NEAR, 4002), at(FAR, 4002), VP8);
  call.reinvite(7000, near(AUDIO, VIDEO), far(AUDIO, VIDEO));
  const { document, lines } = await told(t, call);
  assert.match(document.media_notes?.[0] ?? '', /no video came back\. The descriptions agree to one way\.$/);
  assert.deepEqual(document.diagnosis.hints, []);
  assert.deepEqual(
    lines.filter((l) => !l.endsWith('-')),
    ['2.1 video 4002 sendrecv mode_change', '3.1 video 4002 sendrecv mode_change'],
  );
});

test('video that the answer or a 488 refuses', async (t) => {
  const call = new VideoCall('refused', near(AUDIO, VIDEO), far(AUDIO, OFF));
  call.reinvite(3000, near(AUDIO, OFF), far(AUDIO, OFF));
  const again = call.script.request('INVITE', 4000, { by: 'callee', body: sdpBody(far(AUDIO, VIDEO)) });
  call.script.respond(again, 488, 4020);
  call.script.ack(again, 488, 4040);
  call.reinvite(5000, far(AUDIO, VIDEO), near(AUDIO, VIDEO), 'callee');
  const { lines, report } = await told(t, call);
  assert.deepEqual(
    lines.filter((l) => l.includes('video')),
    [
      '0.1 video 4002 sendrecv -',
      '1.1 video 0 sendrecv refused',
      '2.1 video 0 sendrecv removed',
      '3.1 video 0 sendrecv -',
      '4.1 video 4002 sendrecv refused',
      '5.1 video 4002 sendrecv added',
      '6.1 video 4002 sendrecv added',
    ],
  );
  assert.match(report, /^ {20,}video {2}off \(port 0\) .* refused$/m);
});

test('lines without RTP are there, and a line of a BUNDLE is not refused by its port of 0', async (t) => {
  const bfcp = { line: 'application 5070 TCP/BFCP *' };
  const grouped = (s: Section, mid: string, ...more: string[]): Section => ({
    ...s,
    attributes: [...(s.attributes ?? []), `mid:${mid}`, ...more],
  });
  const group = ['group:BUNDLE a v'];
  const call = new VideoCall(
    'bfcp',
    description(NEAR, [grouped(AUDIO, 'a'), grouped(OFF, 'v', 'bundle-only'), bfcp], group),
    description(FAR, [grouped(AUDIO, 'a'), grouped({ ...VIDEO, line: 'video 4000 RTP/AVP 96' }, 'v'), bfcp], group),
  );
  const { document, lines, report } = await told(t, call);
  assert.deepEqual(lines, [
    '0.0 audio 4000 sendrecv -',
    '0.1 video 4000 sendrecv -',
    '0.2 application 5070 sendrecv -',
    '1.0 audio 4000 sendrecv -',
    '1.1 video 4000 sendrecv -',
    '1.2 application 5070 sendrecv -',
  ]);
  assert.equal(document.media_lines?.[2]?.transport, 'TCP/BFCP');
  assert.match(report, /application TCP\/BFCP {2}192\.168\.7\.10:5070/);
});

test('a document shows so many lines and counts the others', async (t) => {
  const many = Array.from({ length: 70 }, () => VIDEO);
  const call = new VideoCall('many', near(AUDIO, ...many), far(AUDIO, ...many));
  for (let i = 0; i < 5; i++) call.reinvite(3000 + i * 100, near(AUDIO, ...many), far(AUDIO, ...many));
  const { document, report } = await told(t, call);
  // The parser reads 64 of the 71 lines of a description.
  assert.equal(document.media_lines?.length, MEDIA_LINES);
  assert.equal(document.media_lines_not_shown, 12 * 64 - MEDIA_LINES);
  assert.match(report, new RegExp(`${12 * 64 - MEDIA_LINES} more lines not shown`));
});
