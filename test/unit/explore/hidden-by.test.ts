/** "I do not see my call": set-ups whose cause stands in a capture file, each named with what to do about it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ALICE, BOB, basicCall, callIdOf, withPort } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { Frame } from '../../../fixtures/build/pcap-file.ts';
import { pcap } from '../../../fixtures/build/pcap-file.ts';
import { rtpStream, voice } from '../../../fixtures/build/rtp.ts';
import type { SipScript } from '../../../fixtures/build/sip-call.ts';
import { TcpConnection } from '../../../fixtures/build/tcp.ts';
import { questionOf } from '../../../src/explore/question.ts';
import { loadNative } from '../../../src/sources/native.ts';
import { hepCapture } from '../../helpers/hep-capture.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const MINE = `callid:${callIdOf('mine')}`;

function framesOf(...calls: readonly SipScript[]): Frame[] {
  const capture = new Capture();
  for (const call of calls) capture.add(call.messages);
  return capture.frames();
}

/** What may hide the calls of a filter, the likeliest first. The calls must be hidden. */
async function hidden(
  t: TestContext,
  frames: readonly Frame[],
  filter = MINE,
  options: readonly string[] = [],
): Promise<[what: string, text: string][]> {
  const { session } = await readCapture(t, pcap(frames), options);
  const question = questionOf(filter, 'created', true);
  assert.deepEqual([...session.explorer.calls(question)], []);
  return session.explorer.hiddenBy(question).map(({ what, text }) => [what, text]);
}

/** The frame with an 802.1Q tag behind its addresses. */
function withTag({ tsUs, data }: Frame): Frame {
  const tag = Uint8Array.of(0x81, 0, 0, 100);
  return { tsUs, data: Buffer.concat([data.subarray(0, 12), tag, data.subarray(12)]) };
}

const OTHER = basicCall('other', { startUs: EPOCH_US + 60_000_000 });

describe('what hides a call', () => {
  it('names the port that was not looked at', async (t) => {
    const call = basicCall('mine', { caller: withPort(ALICE, 5090), callee: withPort(BOB, 5090) });
    const found = await hidden(t, framesOf(call, OTHER), MINE, ['--portrange', '5060']);
    const [, text] = found.find(([what]) => what === 'port-gate') ?? [];
    assert.equal(
      text,
      '7 SIP messages on other ports were not analysed, the busiest: 5090 (7); add them with --portrange.',
    );
  });

  it('names HEP that cannot be read, and does not ask for options that would not help', async (t) => {
    // A chunk that is longer than its packet.
    const datagram = Buffer.from('484550330014000000010006ffff0000000000000000', 'hex').subarray(0, 20);
    const capture = hepCapture([{ tsUs: EPOCH_US, datagram }]);
    const { session } = await readCapture(t, capture, ['-E']);
    const found = session.explorer.hiddenBy(questionOf(MINE, 'created', true));
    assert.equal(
      found.find(({ what }) => what === 'hep-refused')?.text,
      '1 HEP packet were refused (hep_rejected 1); look at the agent that sends them.',
    );
  });

  it('names TLS that no probe read', async (t) => {
    const connection = new TcpConnection({
      client: { ...ALICE.sip, port: 40_000 },
      server: { ...BOB.sip, port: 5061 },
      clientIsn: 1,
      serverIsn: 1,
    }).open(EPOCH_US);
    const record = Uint8Array.of(0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0);
    connection.send(true, EPOCH_US + 10_000, record).send(false, EPOCH_US + 20_000, record);
    const [[what, text] = []] = await hidden(t, connection.frames());
    assert.equal(what, 'encrypted');
    assert.equal(text, '1 connection carried TLS, which no packet shows; run calltap on the server with --uprobe.');
  });

  it('names calls that gave way to newer ones', async (t) => {
    const later = Array.from({ length: 5 }, (_, i) => basicCall(`n${i}`, { startUs: EPOCH_US + (i + 1) * 20_000_000 }));
    const found = await hidden(t, framesOf(basicCall('mine'), ...later), MINE, ['--max-dialogs', '3']);
    const [, text] = found.find(([what]) => what === 'evicted') ?? [];
    assert.equal(text, '3 dialogs gave way to newer ones; raise --max-dialogs.');
  });

  it('names the span that the question left out', async (t) => {
    const found = await hidden(t, framesOf(basicCall('mine'), OTHER), `${MINE} since:2025-03-04T09:00:30`);
    assert.deepEqual(found[0], ['span', 'Without since:2025-03-04T09:00:30 the filter finds 1 call.']);
    assert.deepEqual(found.at(-1), [
      'span',
      '2 dialogs were looked at, from 2025-03-04T09:00:00.000000Z to 2025-03-04T09:01:05.230000Z.',
    ]);
  });

  it('knows a number that is misspelt, or written another way', async (t) => {
    const call = basicCall('mine', { caller: { ...ALICE, user: '+442079460123' } });
    for (const [asked, meant] of [
      ['02079460123', '+442079460123'],
      ['+442079460132', '+442079460123'],
      ['alize', 'alice'],
    ]) {
      const [first] = await hidden(t, framesOf(call, OTHER), `from:${asked}`);
      assert.deepEqual(first, ['misspelt', `Nobody here is ${asked}; the nearest is ${meant}.`]);
    }
  });

  it('says that media alone passed here', async (t) => {
    const stream = rtpStream(
      { src: ALICE.rtp, dst: BOB.rtp, ssrc: 0x1234_5678, startUs: EPOCH_US },
      voice({ payloadType: 0, count: 200 }),
    );
    const [first] = await hidden(t, new Capture().add(stream.datagrams).frames());
    assert.deepEqual(first, ['only-rtp', '200 RTP packets and no SIP passed here: the signaling takes another way.']);
  });

  const noLibpcap = loadNative().expressionRefusal('udp').isMissing && 'no libpcap';
  it('names a filter that knows no VLAN', { skip: noLibpcap }, async (t) => {
    const frames = framesOf(basicCall('mine')).map(withTag);
    const [first] = await hidden(t, frames, MINE, ['--bpf', 'udp port 5060']);
    assert.equal(first?.[0], 'filtered');
    assert.match(first?.[1] ?? '', /^--bpf left 7 frames out; .* only after "vlan and"\.$/);
  });

  it('says of a capture without SIP and RTP what it held', async (t) => {
    const strange = basicCall('mine').messages.map((m) => ({ ...m, bytes: Uint8Array.of(1, 2, 3) }));
    const found = await hidden(t, new Capture().add(strange).frames());
    assert.deepEqual(found, [
      ['no-sip', '7 frames were read, and neither SIP nor RTP was in them: the calls take another way.'],
      ['span', 'No dialog was seen.'],
    ]);
  });

  it('names no cause where there is none', async (t) => {
    assert.deepEqual(
      (await hidden(t, framesOf(OTHER))).map(([what]) => what),
      ['span'],
    );
  });
});
