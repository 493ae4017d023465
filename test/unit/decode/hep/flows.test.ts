/** Pieces of SIP over TCP in HEP packets: which belong together, what is missing, and who may hold how much. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asBuffer } from '../../../../src/core/byte-text.ts';
import { TRANSPORT } from '../../../../src/core/words.ts';
import { WHOLE } from '../../../../src/decode/hep/flow.ts';
import { HEP_FLOW_LIMITS, HepFlows } from '../../../../src/decode/hep/flows.ts';
import { contentLength } from '../../../../src/protocols/sip/scanner/scan.ts';
import { emptyPacket } from '../../../../src/sources/packet.ts';

const FIELDS = 'Via: SIP/2.0/TCP a\r\nFrom: <sip:a@a>;tag=1\r\nTo: <sip:b@b>\r\nCall-ID: c\r\n';
const message = (method: string, body = ''): string =>
  `${method} sip:b@b SIP/2.0\r\n${FIELDS}CSeq: 1 ${method}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const INVITE = message(
  'INVITE',
  `v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nt=0 0\r\n${'a=sendrecv\r\n'.repeat(12)}a=end\r\n`,
);
const BYE = message('BYE');

class Mirror {
  readonly got: string[] = [];
  readonly flows: HepFlows;
  nowUs = 1_700_000_000_000_000;

  constructor(limits = HEP_FLOW_LIMITS) {
    const onMessage = (b: Uint8Array, start: number, end: number, _c: unknown, _is: boolean, isCut: boolean): void => {
      this.got.push((isCut ? 'cut ' : '') + asBuffer(b).toString('latin1', start, end));
    };
    this.flows = new HepFlows({ onMessage, contentLength, keepsFrames: false }, limits);
  }

  /** One packet; `sender` and `port` name its flow. Returns whether the flow took it. */
  send(
    text: string,
    { sender = 1, port = 5060, agentId = 7, whole = WHOLE.NO as 0 | 1 | 2, toldUs = Number.NaN } = {},
  ): boolean {
    const tsUs = ++this.nowUs;
    const c = { ...emptyPacket(Buffer.alloc(32)), transport: TRANSPORT.TCP, tsUs, toldUs, srcPort: port };
    const mirror = { ...emptyPacket(Buffer.alloc(32)), agentId, tsUs: this.nowUs };
    mirror.addresses.set([203, sender >> 16, (sender >> 8) & 255, sender & 255], 0);
    const b = Buffer.from(`..${text}..`, 'latin1');
    return this.flows.take(b, 2, b.length - 2, whole, c, mirror);
  }

  /** A whole message of the other direction of port 5060. */
  answer(callId: string): void {
    const c = { ...emptyPacket(Buffer.alloc(32)), transport: TRANSPORT.TCP, dstPort: 5060 };
    const mirror = { ...emptyPacket(Buffer.alloc(32)), agentId: 7 };
    mirror.addresses.set([203, 0, 0, 1], 0);
    this.flows.answered(Buffer.from(callId), c, mirror);
  }

  all(...texts: readonly string[]): this {
    for (const text of texts) this.send(text);
    return this;
  }

  get losses(): [unframed: number, cut: number, copies: number] {
    return [this.flows.unframed, this.flows.cut, this.flows.copies];
  }
}

describe('pieces of one flow', () => {
  it('at every place where a message may be cut, and two messages', () => {
    const both = INVITE + BYE;
    for (let at = 1; at < both.length; at++) {
      const mirror = new Mirror().all(both.slice(0, at), both.slice(at));
      assert.deepEqual([mirror.got, mirror.losses, mirror.flows.waiting], [[INVITE, BYE], [0, 0, 0], 0], String(at));
    }
  });

  it('byte by byte', () => {
    const mirror = new Mirror().all(...INVITE, ...BYE);
    assert.deepEqual(
      [mirror.got, mirror.losses],
      [
        [INVITE, BYE],
        [0, 0, 0],
      ],
    );
  });

  it('an answer ends the wait for a body, where the Call-ID is near the front', () => {
    for (const [before, left] of [
      [10, 0],
      [5_000, 1],
    ] as const) {
      const mirror = new Mirror();
      mirror.send(`INVITE sip:b@b SIP/2.0\r\nX: ${'c'.repeat(before)}\r\nCall-ID: here\r\nContent-Length: 9\r\n\r\n`);
      mirror.answer('here');
      assert.equal(mirror.flows.waiting, left, `${before} bytes before it`);
    }
  });

  it('whole messages never get there while nothing waits, and go through where something does', () => {
    const mirror = new Mirror();
    assert.equal(mirror.send(BYE, { whole: WHOLE.SURE }), false);
    mirror.send(INVITE.slice(0, 200));
    assert.equal(mirror.send(BYE, { whole: WHOLE.SURE, port: 5062 }), false);
    assert.equal(mirror.send(BYE, { whole: WHOLE.SURE }), true);
    assert.deepEqual(
      [mirror.got, mirror.losses],
      [
        [`cut ${INVITE.slice(0, 200)}`, BYE],
        [0, 1, 0],
      ],
    );
  });

  it('what keeps a connection open, in front, between and behind', () => {
    const mirror = new Mirror().all(
      '\r\n\r\n',
      `\r\n${BYE}`,
      `${BYE}\r\n\r\n`,
      '\r\n',
      INVITE.slice(0, 99),
      INVITE.slice(99),
    );
    assert.deepEqual(
      [mirror.got, mirror.losses],
      [
        [BYE, BYE, INVITE],
        [0, 0, 0],
      ],
    );
  });

  it('a piece that came again: at once, with more behind it, and after the message', () => {
    const [a, b, c] = [INVITE.slice(0, 100), INVITE.slice(100, 180), INVITE.slice(180)];
    assert.deepEqual(new Mirror().all(a, a, b, b, c, c).got, [INVITE]);
    const mirror = new Mirror().all(a, a + b, c, c);
    assert.deepEqual([mirror.got, mirror.losses], [[INVITE], [0, 0, 2]]);
  });

  it('a body that begins like a message is none, where it says so', () => {
    const fragment = 'SIP/2.0 200 OK\r\n';
    const notify = message('NOTIFY', fragment).replace(
      'Content-Length',
      'Content-Type: message/sipfrag\r\nContent-Length',
    );
    const at = notify.length - fragment.length;
    assert.deepEqual(new Mirror().all(notify.slice(0, at), fragment, BYE).got, [notify, BYE]);
    assert.deepEqual(new Mirror().all(notify.slice(0, at + 3), fragment.slice(3), BYE).got, [notify, BYE]);
  });

  it('a message without Content-Length ends with its piece', () => {
    const short = BYE.replace('Content-Length: 0\r\n', '');
    assert.deepEqual(new Mirror().all(short.slice(0, 60), short.slice(60), BYE).got, [short, BYE]);
  });
});

describe('pieces that come in another order than they were seen in', () => {
  const [a, b, c, d] = [INVITE.slice(0, 100), INVITE.slice(100, 200), INVITE.slice(200, 250), INVITE.slice(250)];
  const seen = (mirror: Mirror, ...pieces: readonly (readonly [text: string, toldUs: number])[]): Mirror => {
    for (const [text, toldUs] of pieces) mirror.send(text, { toldUs });
    return mirror;
  };

  for (const [name, pieces] of [
    [
      'the second first',
      [
        [b + c + d, 2],
        [a, 1],
      ],
    ],
    [
      'the last first',
      [
        [d, 4],
        [a, 1],
        [b, 2],
        [c, 3],
      ],
    ],
    [
      'backwards',
      [
        [d, 4],
        [c, 3],
        [b, 2],
        [a, 1],
      ],
    ],
    [
      'two in the middle',
      [
        [a, 1],
        [c, 3],
        [b, 2],
        [d, 4],
      ],
    ],
    [
      'each twice',
      [
        [a, 1],
        [c, 3],
        [a, 1],
        [b, 2],
        [c, 3],
        [b, 2],
        [d, 4],
      ],
    ],
  ] as const)
    it(name, () => {
      const mirror = seen(new Mirror(), ...pieces, [BYE, 5]);
      assert.deepEqual([mirror.got, mirror.losses.slice(0, 2), mirror.flows.waiting], [[INVITE, BYE], [0, 0], 0]);
      assert.equal(mirror.flows.heldBytes, 0);
    });

  it('a piece of the message before is not put into this one', () => {
    const mirror = seen(new Mirror(), [a, 1], [BYE.slice(0, 80), 3], [b + c + d, 2], [BYE.slice(80), 4]);
    assert.deepEqual(
      [mirror.got, mirror.losses],
      [
        [`cut ${a}`, BYE],
        [1, 1, 0],
      ],
    );
  });

  it('a whole message that others overtook leaves them alone', () => {
    const mirror = seen(new Mirror(), [a, 2]);
    assert.equal(mirror.send(BYE, { whole: WHOLE.SURE, toldUs: 1 }), false);
    seen(mirror, [b + c + d, 3]);
    assert.deepEqual([mirror.got, mirror.losses], [[INVITE], [0, 0, 0]]);
  });

  it('pieces without a beginning wait a little, are few, and count', () => {
    const mirror = new Mirror();
    for (let i = 1; i <= 100; i++) mirror.send(`tion/sdp ${i}, no message begins here `.repeat(100), { toldUs: i });
    assert.ok(mirror.flows.heldBytes < 100_000);
    seen(mirror, [BYE, 101]);
    assert.deepEqual([mirror.got, mirror.losses, mirror.flows.heldBytes], [[BYE], [100, 0, 0], 0]);
  });
});

describe('a piece that did not come', () => {
  it('the first: what follows is counted, and the next message is whole', () => {
    const mirror = new Mirror().all(INVITE.slice(150), BYE);
    assert.deepEqual([mirror.got, mirror.losses], [[BYE], [1, 0, 0]]);
  });

  it('the last: the part is handed out', () => {
    const mirror = new Mirror().all(INVITE.slice(0, 250), BYE);
    assert.deepEqual(
      [mirror.got, mirror.losses],
      [
        [`cut ${INVITE.slice(0, 250)}`, BYE],
        [0, 1, 0],
      ],
    );
  });

  it('one in the middle of a body, with the next message in the same packet', () => {
    const at = INVITE.length - 40;
    const mirror = new Mirror().all(INVITE.slice(0, at), INVITE.slice(at + 20) + BYE);
    assert.deepEqual(
      [mirror.got, mirror.losses],
      [
        [`cut ${INVITE.slice(0, at)}`, BYE],
        [1, 1, 0],
      ],
    );
  });

  it('the last, and the start line of the next message came in three pieces', () => {
    for (const next of [BYE, INVITE]) {
      const mirror = new Mirror().all(INVITE.slice(0, 250), next.slice(0, 2), next.slice(2, 9), next.slice(9));
      assert.deepEqual(
        [mirror.got, mirror.losses],
        [
          [`cut ${INVITE.slice(0, 250)}`, next],
          [0, 1, 0],
        ],
      );
    }
  });

  it('the end, for ever: after ten seconds, and when nothing more comes', () => {
    const mirror = new Mirror().all(INVITE.slice(0, 250));
    mirror.flows.expire(mirror.nowUs + 9_000_000);
    assert.deepEqual(mirror.got, []);
    mirror.flows.expire(mirror.nowUs + 11_000_000);
    mirror.all(BYE.slice(0, 80)).flows.finish();
    assert.deepEqual(mirror.got, [`cut ${INVITE.slice(0, 250)}`, `cut ${BYE.slice(0, 80)}`]);
    assert.deepEqual([mirror.flows.waiting, mirror.flows.heldBytes, mirror.losses], [0, 0, [0, 2, 0]]);
  });

  it('bytes that are no SIP hold nothing', () => {
    const mirror = new Mirror();
    for (let i = 0; i < 100; i++) mirror.send(`{"a": "b ${i}", "c": "d"}\n`.repeat(40));
    assert.deepEqual(
      [mirror.got, mirror.flows.waiting, mirror.flows.heldBytes, mirror.flows.unframed],
      [[], 0, 0, 100],
    );
  });
});

describe('who holds what', () => {
  it('one address and port behind two agents, or of two agent ids, are two flows', () => {
    const mirror = new Mirror();
    mirror.send(INVITE.slice(0, 50), { sender: 1 });
    mirror.send(BYE.slice(0, 70), { sender: 2 });
    mirror.send(message('INFO').slice(0, 60), { sender: 2, agentId: 8 });
    mirror.send(message('INFO').slice(60), { sender: 2, agentId: 8 });
    mirror.send(INVITE.slice(50), { sender: 1 });
    mirror.send(BYE.slice(70), { sender: 2 });
    assert.deepEqual(
      [mirror.got, mirror.losses],
      [
        [message('INFO'), INVITE, BYE],
        [0, 0, 0],
      ],
    );
  });

  it('a sender that begins flow after flow pushes out its own, and no one else', () => {
    const mirror = new Mirror({ ...HEP_FLOW_LIMITS, maxFlows: 64 });
    mirror.send(INVITE.slice(0, 50), { sender: 1 });
    for (let port = 1; port <= 1_000; port++) mirror.send('INVITE sip:', { sender: 9, port });
    assert.equal(mirror.flows.waiting, 17);
    assert.equal(mirror.flows.evicted, 1_000 - 16);
    mirror.send(INVITE.slice(50), { sender: 1 });
    assert.equal(mirror.got.at(-1), INVITE);
  });

  it('a sender that fills its flows pushes out its own, and no one else', () => {
    const maxBytes = 512 * 1024;
    const mirror = new Mirror({ ...HEP_FLOW_LIMITS, maxBytes });
    mirror.send(INVITE.slice(0, 50), { sender: 1 });
    const long = message('INFO', 'x'.repeat(90_000)).slice(0, 40_000);
    for (let port = 1; port <= 50; port++) mirror.send(long, { sender: 9, port });
    assert.ok(mirror.flows.heldBytes <= maxBytes / 4 + 4_096, String(mirror.flows.heldBytes));
    mirror.send(INVITE.slice(50), { sender: 1 });
    assert.equal(mirror.got.at(-1), INVITE);
  });

  it('many senders stay under the caps of all', () => {
    const mirror = new Mirror({ ...HEP_FLOW_LIMITS, maxFlows: 64, maxBytes: 256 * 1024 });
    for (let sender = 1; sender <= 2_000; sender++) mirror.send(INVITE.slice(0, 100), { sender });
    assert.ok(mirror.flows.waiting <= 64);
    assert.ok(mirror.flows.heldBytes <= 256 * 1024);
    mirror.flows.finish();
    assert.deepEqual([mirror.flows.waiting, mirror.flows.heldBytes, mirror.flows.cut], [0, 0, 2_000]);
  });
});
