/** The messages of a TCP stream: how they may be cut, joined and lost, and where each ends. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ACK, CALL, RST, response, SYN, sip, Tap } from './tcp-fixture.ts';

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
      tap.seen.map((s) => Number(s.srcPort === 5060)),
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
