/** Descriptions over all dialogs have a budget of bytes: whoever describes most without being answered loses them first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, basicCall, sdpBody } from '../../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../../fixtures/build/calls-setup.ts';
import type { SipScript } from '../../../../fixtures/build/sip-call.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { SdpBudget } from '../../../../src/store/media/sdp-budget.ts';
import { MIN_SDP_BYTES } from '../../../../src/store/media/sdp-rows.ts';
import { NONE } from '../../../../src/store/row-blocks.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';

const LINES = 64;

type Bomb = (dialog: number, message: number) => string;

const address = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
const head = (n: number): string =>
  `v=0\r\no=- 1 ${n} IN IP4 ${address(n)}\r\ns=-\r\nc=IN IP4 ${address(n)}\r\nt=0 0\r\n`;
const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

/** What an attacker fills memory with. */
const BOMBS: Readonly<Record<string, Bomb>> = {
  'media lines': (d, m) => head(d * 100 + m) + lines(LINES, (i) => `m=audio ${1024 + 2 * i} RTP/AVP 0\r\n`),
  'codecs of its own': (d, m) =>
    head(d * 100 + m) +
    lines(4, (l) => {
      const maps = lines(32, (i) => `a=rtpmap:${96 + (i % 32)} X${d}Y${m}Z${l}A${i}/8000\r\n`);
      return `m=audio ${1024 + 2 * l} RTP/AVP ${Array.from({ length: 32 }, (_, i) => 96 + i).join(' ')}\r\n${maps}`;
    }),
  'candidates of IPv6': (d, m) =>
    `${head(d * 100 + m)}m=audio 4000 RTP/AVP 0\r\na=ice-ufrag:u${d}x${m}\r\n` +
    lines(30, (i) => `a=candidate:1 1 UDP 1 2001:db8::${d.toString(16)}:${m}:${i} ${1024 + i} typ host\r\n`),
};

/** A call that nobody answers, described over and over. */
function bombed(name: string, n: number, messages: number, bomb: Bomb): SipScript {
  const script = scriptOf(name);
  for (let m = 0; m < messages; m++) script.request(m === 0 ? 'INVITE' : 'UPDATE', m, { body: sdpBody(bomb(n, m)) });
  return script;
}

for (const [what, bomb] of Object.entries(BOMBS)) {
  test(`${what}: within the budget, all counted, and no call loses anything`, () => {
    const kit = new TrackerKit({ logBytes: 1 << 20 });
    const { sdp: rows } = kit.dialogs;
    const calls = Array.from({ length: 20 }, (_, i) => kit.play(basicCall(`call ${i}`)));
    let n = 0;
    for (; kit.sdp.shedDialogs < 50 && n < 3000; n++) {
      kit.play(bombed(`bomb ${n}`, n, 4, bomb));
      assert.ok(rows.budget.bytes <= MIN_SDP_BYTES, `${rows.budget.bytes} bytes`);
    }
    assert.equal(kit.sdp.shedDialogs, 50, 'the budget was reached');
    assert.ok(kit.sdp.shedClaims > 0);
    for (const d of calls) assert.deepEqual([d.sdp?.length, d.claimedCount], [2, 2]);
    const shed = allOf(kit).filter((d) => d.claimedCount === 0 && d.sdpCount === 0);
    assert.ok(shed.length >= 49 && shed.every((d) => Number.isNaN(d.answerUs)));
    assert.deepEqual(staleClaims(kit), 0);
  });
}

function allOf(kit: TrackerKit): Dialog[] {
  return [...kit.dialogs.oldestFirst()];
}

/** Claims that are found and are of a dialog that made none. */
function staleClaims(kit: TrackerKit): number {
  let stale = 0;
  for (const { key } of kit.claims) {
    const row = kit.endpoints.find(key, Number.MAX_SAFE_INTEGER);
    if (row !== NONE && kit.endpoints.dialogOf(row)?.claimedKeys.includes(key) !== true) stale++;
  }
  return stale;
}

test('what was shed may be described again, and an evicted dialog gives its weight back', () => {
  const kept = 60;
  const kit = new TrackerKit({ maxDialogs: kept, logBytes: 1 << 20 });
  const bomb = BOMBS['media lines'] ?? assert.fail();
  for (let n = 0; n < kept; n++) kit.play(bombed(`again ${n}`, n, 16, bomb));
  assert.ok(kit.sdp.shedDialogs > 0);
  const [first] = allOf(kit).filter((d) => d.sdpCount === 0);
  assert.ok(first !== undefined);
  const before = kit.dialogs.sdp.budget.bytes;
  kit.play(bombed(first.callId.replace(/@.*/, ''), 5000, 20, bomb));
  assert.ok(kit.dialogs.sdp.budget.bytes <= Math.max(before, MIN_SDP_BYTES));
  for (let n = 0; n < kept; n++) {
    const silent = scriptOf(`silent ${n}`);
    silent.cancel(silent.request('INVITE', 0), 5);
    kit.play(silent);
  }
  assert.deepEqual([kit.dialogs.sdp.budget.bytes, kit.dialogs.sdp.size, kit.endpoints.size], [0, 0, 0]);
});

test('of two that weigh alike the one that was never answered goes, then the one that has ended', () => {
  const kit = new TrackerKit();
  const answered = scriptOf('goes on');
  answer(answered, answered.request('INVITE', 0), '');
  const dialogs = [kit.play(answered), kit.play(basicCall('ended')), kit.play(bombed('ringing', 1, 1, () => ''))];
  const [on, ended, ringing] = dialogs;
  assert.ok(on !== undefined && ended !== undefined && ringing !== undefined);
  const budget = new SdpBudget(3000, 100);
  for (const d of dialogs) budget.add(d, 1000);
  assert.equal(budget.isExceeded, false);
  for (const expected of [ringing, ended, on]) {
    assert.equal(budget.heaviest(), expected.slot);
    budget.drop(expected);
  }
  assert.deepEqual([budget.heaviest(), budget.bytes], [-1, 0]);
  // Far more weighs more, answered or not.
  budget.add(on, 9000);
  budget.add(ringing, 1000);
  assert.equal(budget.heaviest(), on.slot);
  // Whoever has no more than a share is not looked at.
  budget.drop(on);
  budget.drop(ringing);
  budget.add(on, 20);
  assert.equal(budget.heaviest(), -1);
});
