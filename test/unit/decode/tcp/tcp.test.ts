/** TCP streams give the messages they carry, whatever happened to their segments. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ByteBudget } from '../../../../src/decode/byte-buffer.ts';
import { DecodeCounters } from '../../../../src/decode/counters.ts';
import { TCP_LIMITS } from '../../../../src/decode/decode-limits.ts';
import { TcpConnection, TcpTable } from '../../../../src/decode/tcp/tcp-table.ts';
import { SharedInflation } from '../../../../src/decode/websocket/permessage-deflate.ts';
import { FLAG } from '../../../../src/sources/records.ts';
import { assertBounded } from '../../../helpers/bounded.ts';
import { ACK, bytes, FIN, RST, response, SYN, segment, sip, Tap } from './tcp-fixture.ts';

describe('TCP reassembly', () => {
  it('keeps the bytes that came first where segments overlap', () => {
    const tap = new Tap().open();
    const text = sip(1, 'ABCDEFGH');
    const evil = text.replace('ABCDEFGH', '12345678');
    tap.add({ seq: 1001 + 100, data: text.slice(100) });
    tap.add({ seq: 1001, data: evil });
    assert.deepEqual(tap.texts, [text]);
    assert.equal(tap.counters.tcpOverlaps, 1);
    const again = new Tap().open();
    again.add({ seq: 1001, data: text.slice(0, -4) }).add({ seq: 1001, data: evil });
    assert.equal(again.texts[0], `${text.slice(0, -4)}5678`);
    assert.equal(again.counters.tcpOverlaps, 1);
  });

  it('tells where and when a message began and ended', () => {
    const tap = new Tap().open();
    const text = sip(1, 'body');
    tap.add({ seq: 1001, data: sip(9) + text.slice(0, 10), frame: 50, tsUs: 5_000 });
    tap.add({ seq: 1001 + sip(9).length + 10, data: text.slice(10, 60), frame: 51, tsUs: 6_000 });
    tap.add({ seq: 1001 + sip(9).length + 60, data: text.slice(60) + sip(2), frame: 52, tsUs: 7_000 });
    assert.deepEqual(
      tap.seen.map((s) => [s.frame, s.tsUs]),
      [
        [50, 5_000],
        [50, 7_000],
        [52, 7_000],
      ],
    );
  });

  it('hands out the segment itself when it holds whole messages', () => {
    const tap = new Tap().open();
    tap.add({ seq: 1001, data: sip(1) });
    assert.equal(tap.reassembler.bufferedBytes, 0);
    tap.add({ seq: 1001 + sip(1).length, data: sip(2).slice(0, 5) });
    assert.notEqual(tap.reassembler.bufferedBytes, 0);
  });

  it('skips a hole after 2 s of capture time and finds the next message', () => {
    const tap = new Tap().open();
    const lost = sip(2, 'x'.repeat(200));
    tap.add({ seq: 1001, data: sip(1) + lost.slice(0, 40), tsUs: 1_000_000 });
    const after = 1001 + sip(1).length + lost.length;
    tap.add({ seq: after - 50, data: lost.slice(-50) + sip(3), tsUs: 1_100_000 });
    assert.deepEqual(tap.texts, [sip(1)]);
    tap.add({ seq: after + sip(3).length, data: sip(4), tsUs: 3_200_000 });
    assert.deepEqual(tap.texts.slice(0, 1), [sip(1)]);
    assert.equal(tap.counters.tcpGaps, 1);
    assert.equal(tap.counters.tcpGapBytes, lost.length - 90);
    assert.equal(tap.counters.tcpResyncs, 1);
    assert.equal(tap.texts.at(-1), sip(4));
  });

  it('stays in step when the whole hole lies in a body', () => {
    const tap = new Tap().open();
    const holed = sip(2, 'x'.repeat(2000));
    tap.add({ seq: 1001, data: holed.slice(0, 500) });
    tap.add({ seq: 1001 + 900, data: holed.slice(900) + sip(3) });
    tap.reassembler.expire(10_000_000);
    assert.deepEqual(tap.texts, [holed.slice(0, 500), sip(3)]);
    assert.deepEqual(
      tap.seen.map((s) => s.truncated),
      [true, false],
    );
    assert.equal(tap.counters.tcpResyncs, 0);
    assert.equal(tap.counters.tcpBytesIgnored, holed.length - 900);
    assert.equal(tap.counters.tcpTimeouts, 0);
  });

  it('skips a hole when 64 segments wait behind it', () => {
    const tap = new Tap().open();
    let at = 1001 + 10;
    for (let n = 0; n < 65; n++) {
      tap.add({ seq: at, data: sip(n), tsUs: 1_000_000 });
      at += sip(n).length;
    }
    assert.equal(tap.seen.length, 65);
    assert.equal(tap.counters.tcpGapBytes, 10);
  });

  it('waits on a mid-stream start for a segment that begins like a message', () => {
    const tap = new Tap();
    const text = sip(1, 'v=0\r\n');
    tap.add({ seq: 5_000, data: text.slice(60, 100) });
    tap.add({ seq: 5_040, data: text.slice(100) });
    assert.equal(tap.seen.length, 0);
    tap.add({ seq: 5_000 + text.length - 60, data: sip(2) });
    assert.deepEqual(tap.texts, [sip(2)]);
    assert.equal(tap.counters.tcpBytesIgnored, text.length - 60);
  });

  it('finds a message inside a segment when none begins with one', () => {
    const tap = new Tap();
    tap.add({ seq: 5_000, data: `a=sendrecv\r\n${sip(1)}`, tsUs: 1_000_000 });
    tap.reassembler.expire(4_000_000);
    assert.deepEqual(tap.texts, [sip(1)]);
    assert.equal(tap.counters.tcpBytesIgnored, 12);
  });

  it('anchors waiting segments when the SYN comes late', () => {
    const tap = new Tap();
    tap.add({ seq: 1021, data: sip(1).slice(20) });
    tap.add({ seq: 1000, flags: SYN }).add({ seq: 1001, data: sip(1).slice(0, 20) });
    assert.deepEqual(tap.texts, [sip(1)]);
    assert.equal(tap.counters.tcpConnections, 1);
  });

  it('knows late copies after both sides closed', () => {
    const tap = new Tap().open();
    tap.add({ seq: 1001, data: sip(1), flags: ACK | FIN }).add({ from: 1, seq: 2001, flags: ACK | FIN });
    tap.add({ seq: 1001, data: sip(1), flags: ACK | FIN });
    assert.deepEqual(tap.texts, [sip(1)]);
    assert.equal(tap.counters.tcpRetransmittedSegments, 1);
    assert.equal(tap.reassembler.connections, 1);
    tap.reassembler.expire(100_000_000);
    assert.equal(tap.reassembler.connections, 0);
    assert.equal(tap.counters.tcpEvicted, 0);
  });

  it('counts a message that FIN cuts', () => {
    const tap = new Tap().open();
    tap.add({ seq: 1001, data: sip(1).slice(0, 50), flags: ACK | FIN });
    assert.equal(tap.counters.tcpMessagesAborted, 1);
    assert.equal(tap.counters.tcpBytesIgnored, 50);
  });

  it('gives up partial data after 30 s and counts a reassembly timeout', () => {
    const tap = new Tap().open();
    tap.add({ seq: 1001, data: sip(1).slice(0, 50), tsUs: 1_000_000 });
    assert.equal(tap.reassembler.expire(31_000_000), 0);
    assert.equal(tap.reassembler.expire(31_000_001), 1);
    assert.equal(tap.counters.reassemblyTimeouts, 1);
    assert.equal(tap.reassembler.bufferedBytes, 0);
    assert.equal(tap.reassembler.expire(99_000_000), 0);
    tap.add({ seq: 1051, data: sip(1).slice(50) + sip(2), tsUs: 99_000_000 });
    assert.deepEqual(tap.texts, [sip(2)]);
  });

  it('ignores a tuple reused far away without SYN, except for its messages', () => {
    const tap = new Tap().open();
    tap
      .add({ seq: 1001, data: sip(1) })
      .add({ seq: 3_000_000_000, data: sip(2) })
      .add({ seq: 4_000, data: sip(3) });
    assert.deepEqual(tap.texts, [sip(1), sip(2), sip(3)]);
  });

  it('counts plain SIP on a WebSocket port as excluded, by the port that was called', () => {
    const tap = new Tap();
    const more = { ports: [40_000, 80] as const, gates: FLAG.WS_GATE };
    tap.open(more.ports, more.gates).add({ seq: 1001, data: sip(1), ...more });
    assert.deepEqual(tap.excluded, ['sip 80']);
    assert.equal(tap.counters.excludedSip, 1);
    assert.equal(tap.seen.length, 0);
  });

  it('reads a message without Content-Length as having no body, and takes bad lengths for none', () => {
    const tap = new Tap().open();
    const bare = 'OPTIONS sip:a@b SIP/2.0\r\nCall-ID: 1\r\n\r\n';
    const bad = 'OPTIONS sip:a@b SIP/2.0\r\nContent-Length: many\r\n\r\n';
    tap.add({ seq: 1001, data: bare + bad + sip(2) });
    assert.deepEqual(tap.texts, [bare, bad, sip(2)]);
    assert.equal(tap.counters.sipWithoutContentLength, 2);
  });

  it('refuses messages beyond the caps and goes on at the next one', () => {
    const tap = new Tap({ maxHeaderBytes: 400, maxBodyBytes: 100 }).open();
    const longBody = sip(1, `${'x'.repeat(149)}\n`);
    const longHeader = sip(2).replace('CSeq', `X: ${'y'.repeat(500)}\r\nCSeq`);
    tap.add({ seq: 1001, data: longBody + longHeader + sip(3) });
    assert.deepEqual(tap.texts, [sip(3)]);
    assert.equal(tap.counters.tcpMessageTooLong, 2);
    assert.equal(tap.counters.tcpBytesIgnored, longBody.length + longHeader.length);
  });

  it('counts a TLS flow once and keeps nothing of it', () => {
    const tap = new Tap().open();
    const hello = join0([0x16, 3, 1, 2, 0, 1]);
    tap.add({ seq: 1001, data: hello }).add({ seq: 1007, data: join0([0x17, 3, 3, 0, 1, 1]) });
    tap.add({ from: 1, seq: 2001, data: join0([0x16, 3, 3, 0, 1, 1]) });
    assert.equal(tap.counters.encryptedFlows, 1);
    assert.equal(tap.counters.encryptedBytes, 18);
    assert.equal(tap.reassembler.bufferedBytes, 0);
  });

  it('stops looking into what is not SIP, and starts again at a message', () => {
    const tap = new Tap({ maxUnknownBytes: 1_000 }).open();
    let at = 1001;
    for (let i = 0; i < 20; i++) {
      tap.add({ seq: at, data: '#'.repeat(100) });
      at += 100;
    }
    assert.equal(tap.reassembler.bufferedBytes, 0);
    assert.equal(tap.counters.tcpBytesIgnored, 2_000);
    tap.add({ seq: at, data: sip(1) });
    assert.deepEqual(tap.texts, [sip(1)]);
  });

  it('evicts the longest-idle connection, finished ones first', () => {
    const tap = new Tap({ maxConnections: 2 });
    tap.add({ seq: 1, data: sip(1).slice(0, 60), ports: [1, 5060] });
    tap.add({ seq: 1, data: sip(2).slice(0, 60), ports: [2, 5060] });
    tap.add({ seq: 61, flags: RST, ports: [2, 5060] });
    tap.add({ seq: 1, data: sip(3).slice(0, 60), ports: [3, 5060] });
    assert.equal(tap.counters.tcpEvicted, 0);
    tap.add({ seq: 61, data: sip(1).slice(60), ports: [1, 5060] });
    tap.add({ seq: 1, data: sip(4), ports: [4, 5060] });
    assert.equal(tap.counters.tcpEvicted, 1);
    assert.deepEqual(tap.texts, [sip(1), sip(4)]);
    assert.equal(tap.reassembler.connections, 2);
  });

  it('holds the cap on buffered bytes over all connections', () => {
    const tap = new Tap({ maxTotalBytes: 100_000 });
    for (let port = 1; port <= 200; port++) tap.add({ seq: 1, data: sip(1).slice(0, 60), ports: [port, 5060] });
    assert.ok(tap.reassembler.bufferedBytes <= 100_000);
    assert.ok(tap.counters.tcpEvicted > 100);
    tap.add({ seq: 61, data: sip(1).slice(60), ports: [200, 5060] });
    assert.equal(tap.seen.length, 1);
  });

  it('gives out what stands behind a hole when the source ends', () => {
    const tap = new Tap().open();
    tap.add({ seq: 1101, data: sip(1) });
    tap.reassembler.close();
    assert.deepEqual(tap.texts, [sip(1)]);
    assert.equal(tap.reassembler.bufferedBytes, 0);
    assert.equal(tap.reassembler.connections, 0);
  });
});

describe('the connection table', () => {
  it('tells IPv6 peers apart by every byte, and knows both directions of one', () => {
    const tap = new Tap();
    const six = (last: number, from: 0 | 1, seq: number, data: string): void => {
      const addresses = new Uint8Array(32).fill(0x20);
      addresses[15] = last;
      addresses[31] = 0x99;
      const s = segment({ seq, data, from }, 0);
      tap.reassembler.add({ ...s, packet: { ...s.packet, ipVersion: 6, addresses } });
    };
    six(1, 0, 1, sip(1).slice(0, 50));
    six(2, 0, 1, sip(2).slice(0, 50));
    six(1, 1, 9_000, response(1));
    six(2, 0, 51, sip(2).slice(50));
    six(1, 0, 51, sip(1).slice(50));
    assert.deepEqual(tap.texts, [response(1), sip(2), sip(1)]);
    assert.deepEqual(
      tap.seen.map((s) => s.srcPort),
      [5060, 40_000, 40_000],
    );
    assert.equal(tap.reassembler.connections, 2);
  });

  it('keeps connections of one bucket apart, whichever is removed', () => {
    const counters = new DecodeCounters();
    const inflation = new SharedInflation(counters);
    const shared = { counters, limits: TCP_LIMITS, budget: new ByteBudget(1_000), inflation, contentLength: () => -1 };
    for (const removed of [0, 1, 2]) {
      const table = new TcpTable();
      const keys = [1, 2, 3].map((port) => segment({ seq: 0, ports: [port, 5060] }, 0).packet);
      const all = keys.map((key) => new TcpConnection(42, key, shared, () => () => undefined));
      for (const c of all) table.add(c);
      const victim = all[removed];
      assert.ok(victim);
      table.remove(victim);
      assert.deepEqual(
        keys.map((key) => table.find(key, 42)),
        all.map((c, i) => (i === removed ? null : c)),
      );
      assert.equal(table.size, 2);
      assert.equal(table.victim, removed === 0 ? all[1] : all[0]);
    }
  });

  it('has one bucket for both directions', () => {
    const table = new TcpTable();
    assert.equal(table.hash(segment({ seq: 0 }, 0).packet), table.hash(segment({ seq: 0, from: 1 }, 0).packet));
    assert.notEqual(
      table.hash(segment({ seq: 0 }, 0).packet),
      table.hash(segment({ seq: 0, ports: [40_001, 5060] }, 0).packet),
    );
  });
});

function join0(list: readonly number[]): Uint8Array {
  return Uint8Array.from(list);
}

describe('a drip-fed header', () => {
  it('costs no more than linear time', () => {
    const text = bytes(sip(1).replace('CSeq', `X: ${'y'.repeat(30_000)}\r\nCSeq`));
    assertBounded(3_000, '30,000 segments', () => {
      const tap = new Tap().open();
      for (let i = 0; i < text.length; i++) tap.add({ seq: 1001 + i, data: text.subarray(i, i + 1), tsUs: 1_000_000 });
      assert.equal(tap.seen.length, 1);
    });
  });
});
