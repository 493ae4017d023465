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
import { ACK, bytes, CALL, FIN, RST, response, SYN, segment, sip, Tap } from './tcp-fixture.ts';

/** Sends each direction's stream cut into segments by `cut`, in the order of the call. */
function sendCall(tap: Tap, cut: (text: string) => readonly string[]): void {
  const seq: [number, number] = [1001, 2001];
  for (const [from, text] of CALL) {
    for (const data of cut(text)) {
      tap.add({ from, seq: seq[from], data });
      seq[from] += data.length;
    }
  }
}

const inThree = (text: string): string[] => {
  const third = Math.floor(text.length / 3);
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)];
};

const sevenTexts = CALL.map(([, text]) => text);

describe('decode matrix, TCP rows: 7 of 7 messages', () => {
  it('one message a segment', () => {
    const tap = new Tap().open();
    sendCall(tap, (text) => [text]);
    assert.deepEqual(tap.texts, sevenTexts);
    assert.deepEqual(
      tap.seen.map((s) => s.direction),
      CALL.map(([from]) => from),
    );
    assert.equal(tap.reassembler.bufferedBytes, 0);
  });

  it('several messages a segment', () => {
    const tap = new Tap().open();
    const both: [string, string] = ['', ''];
    for (const [from, text] of CALL) both[from] += text;
    tap.add({ seq: 1001, data: both[0] }).add({ from: 1, seq: 2001, data: both[1] });
    assert.deepEqual(tap.texts.toSorted(), sevenTexts.toSorted());
  });

  it('split in 3, in order', () => {
    const tap = new Tap().open();
    sendCall(tap, inThree);
    assert.deepEqual(tap.texts, sevenTexts);
    assert.equal(tap.counters.tcpOutOfOrder, 0);
  });

  it('split in 3, out of order', () => {
    const tap = new Tap().open();
    const seq: [number, number] = [1001, 2001];
    for (const [from, text] of CALL) {
      const [a = '', b = '', c = ''] = inThree(text);
      const at = seq[from];
      tap.add({ from, seq: at + a.length + b.length, data: c });
      tap.add({ from, seq: at, data: a });
      tap.add({ from, seq: at + a.length, data: b });
      seq[from] += text.length;
    }
    assert.deepEqual(tap.texts, sevenTexts);
    assert.equal(tap.counters.tcpOutOfOrder, 7);
    assert.equal(tap.counters.tcpGaps, 0);
  });

  it('several messages a segment, and split', () => {
    const tap = new Tap().open();
    const both: [string, string] = ['', ''];
    for (const [from, text] of CALL) both[from] += text;
    for (const from of [0, 1] as const) {
      let at = from === 0 ? 1001 : 2001;
      for (const data of inThree(both[from])) {
        tap.add({ from, seq: at, data });
        at += data.length;
      }
    }
    assert.deepEqual(tap.texts.toSorted(), sevenTexts.toSorted());
  });

  it('retransmitted segments', () => {
    const tap = new Tap().open();
    const seq: [number, number] = [1001, 2001];
    for (const [from, data] of CALL) {
      tap.add({ from, seq: seq[from], data }).add({ from, seq: seq[from], data });
      seq[from] += data.length;
    }
    assert.deepEqual(tap.texts, sevenTexts);
    assert.equal(tap.counters.tcpRetransmittedSegments, 7);
  });

  it('from mid-stream, without SYN', () => {
    const tap = new Tap();
    sendCall(tap, (text) => [text]);
    assert.deepEqual(tap.texts, sevenTexts);
  });

  it('CRLF keep-alives between messages', () => {
    const tap = new Tap().open();
    sendCall(tap, (text) => ['\r\n\r\n', text, '\r\n']);
    assert.deepEqual(tap.texts, sevenTexts);
    assert.equal(tap.counters.tcpKeepAliveBytes, 7 * 6);
    assert.equal(tap.counters.tcpBytesIgnored, 0);
  });

  it('bare LF line ends', () => {
    const tap = new Tap().open();
    const seq: [number, number] = [1001, 2001];
    for (const [from, text] of CALL) {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const data = `${head.replaceAll('\r\n', '\n')}\n\n${body}`;
      for (const part of inThree(data)) {
        tap.add({ from, seq: seq[from], data: part });
        seq[from] += part.length;
      }
    }
    assert.equal(tap.seen.length, 7);
    assert.equal(tap.seen[0]?.text.endsWith('s=-\r\n'), true);
  });

  it('wrapped sequence numbers', () => {
    const tap = new Tap();
    const first = 0xffffffff - 40;
    tap.add({ seq: first - 1, flags: SYN });
    let at = first;
    for (const n of [1, 2, 3]) {
      tap.add({ seq: at, data: sip(n) });
      at += sip(n).length;
    }
    assert.deepEqual(tap.texts, [sip(1), sip(2), sip(3)]);
    assert.equal(tap.counters.tcpGaps, 0);
  });

  it('a segment out of order across the wrap', () => {
    const tap = new Tap();
    const text = sip(1) + sip(2);
    const first = 0xffffffff - 30;
    tap.add({ seq: first - 1, flags: SYN });
    tap.add({ seq: first + 50, data: text.slice(50) }).add({ seq: first, data: text.slice(0, 50) });
    assert.deepEqual(tap.texts, [sip(1), sip(2)]);
  });

  it('two SYNs on one tuple are two connections', () => {
    const tap = new Tap().open();
    tap.add({ seq: 1001, data: sip(1) + sip(2).slice(0, 30) });
    tap.add({ seq: 777_000, flags: SYN }).add({ from: 1, seq: 888_000, flags: SYN | ACK });
    tap.add({ seq: 777_001, data: sip(3) }).add({ from: 1, seq: 888_001, data: response(3) });
    assert.deepEqual(tap.texts, [sip(1), sip(3), response(3)]);
    assert.equal(tap.counters.tcpConnections, 2);
    assert.equal(tap.counters.tcpMessagesAborted, 1);
    assert.equal(tap.counters.tcpBytesIgnored, 30);
  });

  it('a repeated SYN is the same connection', () => {
    const tap = new Tap().open();
    tap.add({ seq: 1001, data: sip(1).slice(0, 20) });
    tap.add({ seq: 1000, flags: SYN }).add({ seq: 1021, data: sip(1).slice(20) });
    assert.deepEqual(tap.texts, [sip(1)]);
    assert.equal(tap.counters.tcpConnections, 1);
  });

  it('RST in mid-message', () => {
    const tap = new Tap().open();
    tap.add({ seq: 1001, data: sip(1) + sip(2).slice(0, 40) });
    tap.add({ seq: 1001 + sip(1).length + 40, flags: RST });
    assert.deepEqual(tap.texts, [sip(1)]);
    assert.equal(tap.counters.tcpMessagesAborted, 1);
    assert.equal(tap.counters.tcpBytesIgnored, 40);
    assert.equal(tap.reassembler.bufferedBytes, 0);
  });

  it('a message cut by the snap length does not take the next one with it', () => {
    const tap = new Tap().open();
    const cut = sip(1, 'x'.repeat(300));
    tap.add({ seq: 1001, data: cut.slice(0, 200), wireLength: cut.length });
    tap.add({ seq: 1001 + cut.length, data: sip(2) });
    assert.deepEqual(tap.texts, [cut.slice(0, 200), sip(2)]);
    assert.deepEqual(
      tap.seen.map((s) => s.truncated),
      [true, false],
    );
    assert.equal(tap.counters.tcpGapBytes, cut.length - 200);
    assert.equal(tap.counters.tcpResyncs, 0);
  });

  it('a segment cut inside the headers is lost, what follows is not', () => {
    const tap = new Tap().open();
    tap.add({ seq: 1001, data: sip(1).slice(0, 60), wireLength: sip(1).length });
    tap.add({ seq: 1001 + sip(1).length, data: sip(2) });
    assert.deepEqual(tap.texts, [sip(2)]);
    assert.equal(tap.counters.tcpBytesIgnored, 60);
    assert.equal(tap.counters.tcpResyncs, 1);
  });
});

describe('a message that says no length', () => {
  const bare = (n: number, body: string, length = ''): string =>
    sip(n, body).replace(/Content-Length: \d+\r\n/, length);
  const sdp = 'v=0\r\no=- 1 1 IN IP4 10.0.0.1\r\ns=-\r\n';

  it('ends where the next one begins, or with what has come', () => {
    for (const length of ['', 'Content-Length: abc\r\n']) {
      const both = [bare(1, sdp, length), bare(2, sdp, length)];
      assert.deepEqual(new Tap().open().add({ seq: 1001, data: both.join('') }).texts, both);
    }
  });

  it('has no body in front of a keep-alive, or of the next message', () => {
    const pair = [bare(1, ''), bare(2, '')];
    assert.deepEqual(new Tap().open().add({ seq: 1001, data: pair.join('\r\n\r\n') }).texts, pair);
    assert.deepEqual(new Tap().open().add({ seq: 1001, data: pair.join('') }).texts, pair);
    const [first = '', second = ''] = pair;
    const cut = first.length + 3;
    const tap = new Tap().open().add({ seq: 1001, data: pair.join('').slice(0, cut) });
    tap.add({ seq: 1001 + cut, data: second.slice(3) });
    assert.deepEqual(tap.texts, pair);
  });
});

describe('a stream joined late', () => {
  const invite = sip(1, 'v=0\r\n', 'INVITE');

  it('finds the first message wherever its start line is cut, in either order', () => {
    for (const text of [invite, response(1, '100 Trying')]) {
      for (let cut = 1; cut < text.length; cut++) {
        const first = { seq: 1001, data: text.slice(0, cut) };
        const second = { seq: 1001 + cut, data: text.slice(cut) };
        assert.deepEqual(new Tap().add(first).add(second).texts, [text], `cut at ${cut}`);
        // What looks like a start line or a keep-alive is taken for one when nothing came before it.
        if (new Tap().add(second).texts.length > 0 || second.data.trim() === '') continue;
        assert.deepEqual(new Tap().add(second).add(first).texts, [text], `cut at ${cut}, second first`);
      }
    }
  });

  it('finds it in segments of one byte', () => {
    const tap = new Tap();
    for (let i = 0; i < 60; i++) tap.add({ seq: 0xffff_fff0 + i, data: invite.slice(i, i + 1) });
    tap.add({ seq: 0xffff_fff0 + 60, data: invite.slice(60) });
    assert.deepEqual(tap.texts, [invite]);
  });

  it('takes a word in front of a start line for the end of something else', () => {
    const tap = new Tap().add({ seq: 1001, data: 'abc' }).add({ seq: 1004, data: invite });
    assert.deepEqual(tap.texts, [invite]);
  });
});

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
      tap.reassembler.add({ ...segment({ seq, data, from }, 0), ipVersion: 6, addresses });
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
    const shared = { counters, limits: TCP_LIMITS, budget: new ByteBudget(1_000), inflation };
    for (const removed of [0, 1, 2]) {
      const table = new TcpTable();
      const keys = [1, 2, 3].map((port) => segment({ seq: 0, ports: [port, 5060] }, 0));
      const all = keys.map((key, id) => new TcpConnection(id, 42, key, shared, () => () => undefined));
      for (const c of all) table.add(c);
      const victim = all[removed];
      assert.ok(victim);
      table.remove(victim);
      assert.deepEqual(
        keys.map((key) => table.find(key, 42)?.id ?? -1),
        [0, 1, 2].map((id) => (id === removed ? -1 : id)),
      );
      assert.equal(table.size, 2);
      assert.equal(table.victim, removed === 0 ? all[1] : all[0]);
    }
  });

  it('has one bucket for both directions', () => {
    const table = new TcpTable();
    assert.equal(table.hash(segment({ seq: 0 }, 0)), table.hash(segment({ seq: 0, from: 1 }, 0)));
    assert.notEqual(table.hash(segment({ seq: 0 }, 0)), table.hash(segment({ seq: 0, ports: [40_001, 5060] }, 0)));
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
