/** Messages by UDP that their sender cut are counted, once each, with the datagrams of their rest; what looks like it is not. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, it } from 'node:test';
import { basicCall } from '../../../fixtures/build/basic-call.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { ethernet } from '../../../fixtures/build/link.ts';
import { udpPacket } from '../../../fixtures/build/packet.ts';
import { pcap } from '../../../fixtures/build/pcap-file.ts';
import type { Datagram } from '../../../fixtures/build/rtp.ts';
import type { SipMessage } from '../../../fixtures/build/sip-call.ts';
import { lossCounters, lossesByReason } from '../../../src/view/losses.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const { messages } = basicCall('cut-by-sender');
const [INVITE] = messages as [SipMessage];
const TEXT = Buffer.from(INVITE.bytes).toString('latin1');
const HEADERS = TEXT.indexOf('\r\n\r\n') + 4;

const at = (ms: number, payload: string | Uint8Array): Datagram => ({
  ...INVITE,
  tsUs: INVITE.tsUs + ms * 1000,
  bytes: Buffer.from(payload),
});

/** The INVITE cut at these places. */
function cut(...places: number[]): Datagram[] {
  const ends = [...places, TEXT.length];
  return ends.map((end, i) => at(i / 10, TEXT.slice(ends[i - 1] ?? 0, end)));
}

type Counts = { cut: number; rests: number; notSip: number; malformed: number; calls: number };

async function counts(t: TestContext, bytes: Uint8Array): Promise<Counts> {
  const { session } = await readCapture(t, bytes);
  const losses = lossesByReason(session.figures);
  return {
    cut: losses['sip_cut'] ?? 0,
    rests: losses['sip_cut_rests'] ?? 0,
    notSip: losses['sip_not_sip'] ?? 0,
    malformed: lossCounters(session.figures).malformed_sip,
    calls: session.dialogs.size,
  };
}

const read = (t: TestContext, datagrams: readonly Datagram[]): Promise<Counts> =>
  counts(t, new Capture().add(datagrams).pcap());

describe('a message that its sender cut', () => {
  it('into pieces of 300 bytes: each datagram counts, by one reason', async (t) => {
    const places = Array.from({ length: Math.ceil(TEXT.length / 300) - 1 }, (_, i) => 300 * (i + 1));
    const pieces = cut(...places);
    assert.ok(pieces.length >= 3);
    const rests = pieces.length - 1;
    assert.deepEqual(await read(t, pieces), { cut: 1, rests, notSip: 0, malformed: 1 + rests, calls: 1 });
  });

  it('within its body', async (t) => {
    const inBody = cut(TEXT.indexOf('m=audio') + 3);
    assert.deepEqual(await read(t, inBody), { cut: 1, rests: 1, notSip: 0, malformed: 2, calls: 1 });
  });

  it('between headers and body', async (t) => {
    assert.deepEqual(await read(t, cut(HEADERS)), { cut: 1, rests: 1, notSip: 0, malformed: 2, calls: 1 });
  });

  it('within its headers, without a rest: with its Call-ID it is kept, else that is the reason', async (t) => {
    const kept = TEXT.indexOf('CSeq:') + 9;
    assert.deepEqual(await read(t, cut(kept).slice(0, 1)), { cut: 1, rests: 0, notSip: 0, malformed: 1, calls: 1 });
    const nameless = new Capture().add(cut(TEXT.indexOf('Call-ID:') + 3).slice(0, 1)).pcap();
    assert.deepEqual(await counts(t, nameless), { cut: 0, rests: 0, notSip: 0, malformed: 0, calls: 0 });
    const { figures } = (await readCapture(t, nameless)).session;
    assert.equal(lossCounters(figures).sip_without_call_id, 1);
  });

  it('within its first line, which is a reason already', async (t) => {
    assert.deepEqual(await read(t, cut(20, 400)), { cut: 0, rests: 2, notSip: 0, malformed: 3, calls: 0 });
  });

  it('twice, from the same socket', async (t) => {
    const again = cut(300).map((d) => ({ ...d, tsUs: d.tsUs + 500_000 }));
    const all = [...cut(300), ...again];
    assert.deepEqual(await read(t, all), { cut: 2, rests: 2, notSip: 0, malformed: 4, calls: 1 });
  });
});

describe('what only looks like it', () => {
  const NOTHING: Counts = { cut: 0, rests: 0, notSip: 0, malformed: 0, calls: 1 };

  it('a whole message, keep-alives and STUN behind it', async (t) => {
    const stun = Buffer.from('000100002112a442000102030405060708090a0b', 'hex');
    assert.deepEqual(await read(t, [at(0, TEXT), at(5, '\r\n\r\n'), at(6, 'jaK'), at(7, stun)]), NOTHING);
  });

  it('a body that is shorter than its length says, as some phones send all theirs', async (t) => {
    const short = TEXT.slice(0, -2);
    assert.deepEqual(await read(t, [at(0, short), at(5, '\r\n\r\n'), at(500, short)]), NOTHING);
  });

  it('a description that no message went before, or from another socket, or much later', async (t) => {
    const rest = TEXT.slice(HEADERS + 40);
    const mgcp = `CRCX 1 aaln/1@gw MGCP 1.0\r\nM: sendrecv\r\n\r\n${TEXT.slice(HEADERS)}`;
    const short = TEXT.slice(0, -2);
    const other = { ...at(20, rest), src: INVITE.dst, dst: INVITE.src };
    assert.deepEqual(await read(t, [at(0, rest), at(1, mgcp), at(10, short), other, at(1_500, rest)]), NOTHING);
  });

  it('a message that the capture cut has the counter of the capture', async (t) => {
    const frame = ethernet(udpPacket(INVITE.src, INVITE.dst, INVITE.bytes), 0);
    const bytes = pcap([{ tsUs: INVITE.tsUs, data: frame.subarray(0, 300), wireLength: frame.length }]);
    const { session } = await readCapture(t, bytes);
    assert.equal(lossCounters(session.figures).malformed_sip, 0);
    assert.equal(lossCounters(session.figures).snapped_frames, 1);
    assert.equal(lossesByReason(session.figures)['sip_cut'], 0);
  });

  it('text of others with SIP in it is no SIP, as before', async (t) => {
    assert.deepEqual(await read(t, [at(0, 'hello, write to sip:a@b.example')]), { ...NOTHING, notSip: 1, calls: 0 });
  });
});
