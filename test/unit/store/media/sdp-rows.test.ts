/**
 * Descriptions and claims as rows: what stands in them is what the parsed form would say, an evicted dialog gives all of
 * its rows back, and nobody makes them grow without end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ALICE, answer, BOB, sdpBody } from '../../../../fixtures/build/basic-call.ts';
import { scriptOf } from '../../../../fixtures/build/calls-setup.ts';
import { CODEC, sdp, t38Sdp } from '../../../../fixtures/build/sdp.ts';
import type { SipScript } from '../../../../fixtures/build/sip-call.ts';
import { MAX_DIALOG_ENDPOINTS } from '../../../../src/ingest/media/ice-pairs.ts';
import { MAX_SDP_ENTRIES } from '../../../../src/ingest/media/sdp-tracker.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { Numbered } from '../../../../src/store/media/numbered.ts';
import { NONE, RowBlocks } from '../../../../src/store/row-blocks.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';

const PCMU = [CODEC.PCMU];
const V6 = { address: '2001:db8::10', port: 20000 };

/** A call whose offer and answer are these, on sockets of its own when `n` says so. */
function call(name: string, offered: string, answered: string): SipScript {
  const script = scriptOf(name);
  answer(script, script.request('INVITE', 0, { body: sdpBody(offered) }), answered);
  return script;
}

const described = (n: number, more: Partial<Parameters<typeof sdp>[0]> = {}): string =>
  sdp({ media: { address: `10.0.${n >> 8}.${n & 255}`, port: 20_000 }, codecs: PCMU, session: String(n), ...more });

/** Every kind of row: plain, of many texts, general, IPv6, many endpoints. */
function kindOf(n: number): string {
  switch (n % 5) {
    case 0:
      return t38Sdp({ media: ALICE.rtp, session: String(n) });
    case 1:
      return described(n, { media: V6 });
    case 2:
      return described(n, {
        attributes: [`candidate:1 1 UDP 1 192.0.2.${n % 200} ${1024 + n} typ host`, 'rtcp:20009'],
      });
    case 3:
      return described(n, { attributes: [`x-text:${n}`] });
    default:
      return described(n, { attributes: [`x-other:${n}`] });
  }
}

test('an evicted dialog gives its rows back, whatever they hold', () => {
  const kept = 40;
  const kit = new TrackerKit({ maxDialogs: kept });
  const { sdp: rows } = kit.dialogs;
  let most = 0;
  for (let n = 0; n < kept * 25; n++) {
    kit.play(call(`evicted ${n}`, kindOf(n), kindOf(n + 1)));
    if (n === 2 * kept) most = rows.size;
  }
  assert.equal(kit.dialogs.evicted, kept * 24);
  assert.ok(most > 2 * kept && rows.size <= most + 8, `${rows.size} rows, ${most} before`);
  assert.equal(kit.sdp.transactions, kept);
  for (let n = 0; n < kept; n++) {
    const silent = scriptOf(`silent ${n}`);
    // An answered call, which may take the place of one.
    silent.respond(silent.request('INVITE', 0), 200, 10);
    kit.play(silent);
  }
  assert.deepEqual([rows.size, rows.beside, kit.sdp.transactions, kit.endpoints.size], [0, 0, 0, 0]);
  assert.ok(rows.shapes.size > 0 && rows.shapes.size <= 256, 'only texts that were learned are left');
});

test('a dialog that describes for ever has as many rows as its caps say', () => {
  const kit = new TrackerKit();
  const script = scriptOf('endless');
  for (let n = 0; n < MAX_DIALOG_ENDPOINTS + 300; n++) script.request('UPDATE', n, { body: sdpBody(described(n)) });
  const d = kit.play(script);
  assert.deepEqual([d.sdp?.length, d.claimedCount], [MAX_SDP_ENTRIES, MAX_DIALOG_ENDPOINTS]);
  assert.equal(new Set(d.claimedKeys).size, MAX_DIALOG_ENDPOINTS);
  assert.ok(kit.dialogs.sdp.size <= MAX_SDP_ENTRIES + MAX_DIALOG_ENDPOINTS, `${kit.dialogs.sdp.size} rows`);
  assert.equal(kit.sdp.transactions, 8);
});

test('plain and other descriptions of one dialog stay in order, and so do the endpoints they claim', () => {
  const kit = new TrackerKit();
  kit.play(call('learned', described(1), described(2)));
  const script = call('mixed', described(3), t38Sdp({ media: BOB.rtp, session: 'b' }));
  script.request('UPDATE', 3000, { body: sdpBody(described(4, { media: V6 })) });
  script.request('UPDATE', 3100, { body: sdpBody(described(5)) });
  const d = kit.play(script);
  assert.deepEqual(
    d.sdp?.map((e) => e.address),
    ['10.0.0.3', BOB.rtp.address, V6.address, '10.0.0.5'],
  );
  assert.deepEqual(d.claimedKeys, [
    0x0a000003 * 65_536 + 20_000,
    (198 * 2 ** 24 + 51 * 65_536 + 100 * 256 + 20) * 65_536 + BOB.rtp.port,
    `${V6.address}|20000`,
    0x0a000005 * 65_536 + 20_000,
  ]);
});

test('an entry says what its row said when it was asked for, also when the dialog has gone', () => {
  const kit = new TrackerKit({ maxDialogs: 1 });
  kit.play(call('learned', described(1), described(2)));
  const d = kit.play(call('asked', described(3), described(4)));
  const [first] = d.sdp ?? assert.fail();
  kit.play(call('other', described(5), described(6)));
  assert.deepEqual([first?.address, first?.port, first?.codecs.names], ['10.0.0.3', 20_000, ['PCMU']]);
});

/** What can be asked about a dialog's descriptions. */
function answersOf(kit: TrackerKit, d: Dialog, script: SipScript): unknown {
  const { sdp: entries, claimedKeys, marks, claimedCount } = d;
  return {
    entries: (entries ?? []).map(
      ({ tsUs, isOffer, side, codecs, mode, address, port, event, isRefused, hasT38, sender }) => ({
        ...{ tsUs, isOffer, side, names: codecs.names, mode, address, port, event, isRefused, hasT38, sender },
      }),
    ),
    claims: claimedKeys.map((key) => [key, kit.endpoints.claim(kit.endpoints.find(key, script.at(60_000)))?.fromUs]),
    marks,
    claimedCount,
  };
}

test('descriptions of a known text make the same timeline as those that are read in full', () => {
  // With an SSRC a description belongs to one call, and nobody remembers its text.
  const body = (text: string, isRead: boolean) => sdpBody(isRead ? `${text}a=ssrc:1 cname:x\r\n` : text);
  const step = fc.record({
    method: fc.constantFrom('INVITE' as const, 'UPDATE' as const, 'PRACK' as const),
    by: fc.constantFrom('caller' as const, 'callee' as const),
    offer: fc.option(fc.nat(3), { nil: null }),
    status: fc.constantFrom(180, 183, 200, 488, 491),
    answer: fc.option(fc.nat(3), { nil: null }),
    ack: fc.option(fc.nat(3), { nil: null }),
    direction: fc.constantFrom('sendrecv' as const, 'sendonly' as const, 'inactive' as const),
    tag: fc.constantFrom('desk', 'mobile'),
    relayed: fc.boolean(),
    repeated: fc.boolean(),
  });
  const story = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 9 }),
    order: fc.infiniteStream(fc.nat(3)),
  });
  fc.assert(
    fc.property(story, ({ steps, order }) => {
      const disorder = [...order.take(60)];
      const played = (isRead: boolean): unknown => {
        const kit = new TrackerKit();
        for (const direction of ['sendrecv', 'sendonly', 'inactive'] as const)
          kit.play(call(`known ${direction}`, described(9, { direction }), described(8, { direction })));
        const script = scriptOf('told twice');
        const say = (n: number, direction: 'sendrecv' | 'sendonly' | 'inactive') => ({
          body: body(described(n, { direction }), isRead),
        });
        for (const [i, s] of steps.entries()) {
          const at = i * 1000;
          const offer = s.offer === null ? {} : say(s.offer, s.direction);
          const request = script.request(s.method, at, { by: i === 0 ? 'caller' : s.by, ...offer });
          const answered = s.answer === null ? {} : say(s.answer, s.direction);
          script.respond(request, s.status, at + 20, { ...(i === 0 ? { tag: s.tag } : {}), ...answered });
          if (s.method === 'INVITE' && s.status >= 200)
            script.ack(request, s.status, at + 40, s.ack === null ? {} : say(s.ack, s.direction));
        }
        // Some come late, some twice, some over another hop.
        const messages = script.messages.map((m, i) => ({ m, at: i + (disorder[i] ?? 0) })).sort((a, b) => a.at - b.at);
        for (const { m } of messages) {
          const s = steps[Math.floor((m.tsUs - script.at(0)) / 1_000_000)];
          kit.send(s?.relayed === true ? { ...m, src: { address: '203.0.113.1', port: 5060 } } : m);
          if (s?.repeated === true) kit.send(m);
        }
        return answersOf(kit, kit.dialog(script.callId), script);
      };
      assert.deepEqual(played(false), played(true));
    }),
    { numRuns: 150 },
  );
});

test('an object lasts until its last use is over, and its number is given again', () => {
  const numbered = new Numbered<string>();
  const [a, b] = [numbered.add('a'), numbered.add('b')];
  numbered.use(a);
  numbered.release(a);
  assert.deepEqual([numbered.get(a), numbered.get(b), numbered.size], ['a', 'b', 2]);
  numbered.release(a);
  assert.deepEqual([numbered.get(a), numbered.size], [undefined, 1]);
  assert.equal(numbered.add('c'), a);
});

test('rows given back are taken first, and blocks that are full stay where they are', () => {
  const rows = new RowBlocks(4);
  const total = 70_000;
  for (let n = 0; n < total; n++) {
    const row = rows.take();
    rows.block(row).i32[rows.wordOf(row) + 3] = n;
  }
  assert.equal(rows.room, 2 * 65_536);
  for (const row of [0, 65_535, 65_536, total - 1]) assert.equal(rows.block(row).i32[rows.wordOf(row) + 3], row);
  rows.give(5);
  rows.give(66_000);
  assert.equal(rows.size, total - 2);
  assert.deepEqual([rows.take(), rows.take(), rows.take()], [66_000, 5, total]);
  assert.throws(() => rows.block(NONE), RangeError);
});
