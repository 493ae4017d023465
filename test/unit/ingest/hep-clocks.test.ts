/**
 * Clocks of HEP senders: whatever a mirror's clock shows, its copies agree with the wire; what is replayed has a time of
 * its own; and nobody's stamps move what others sent.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ALICE, BOB, basicCall, callIdOf } from '../../../fixtures/build/basic-call.ts';
import type { SipMessage } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { THRESHOLDS } from '../../../src/core/thresholds.ts';
import { DIALOG_STATES } from '../../../src/core/words.ts';
import { HEP_CLOCK_SENDERS, HEP_SENDER_CLOCKS, HepClocks } from '../../../src/ingest/hep-clocks.ts';
import { HepClock } from '../../../src/sources/hep/hep-clock.ts';
import { callTiming } from '../../../src/store/dialogs/call-timing.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';
import { disagreementOf, signalingOf } from '../../helpers/judged.ts';
import { TrackerKit } from './dialogs/tracker-kit.ts';

const SEC = 1_000_000;
const HOUR = 3_600 * SEC;
const YEAR = 365 * 24 * HOUR;

function scriptAt(name: string, startUs: number): SipScript {
  return new SipScript({ callId: callIdOf(name), startUs, caller: ALICE, callee: BOB });
}

function stateOf(d: Dialog): string | undefined {
  return DIALOG_STATES[d.state];
}

/** What is found in a call, judged a moment behind its last message. */
function findings(kit: TrackerKit, call: SipScript): { agreed: number; evidence: number[]; hints: readonly string[] } {
  const d = kit.dialog(call.callId);
  const compared = disagreementOf(d, kit.log);
  const nowUs = (call.messages.at(-1)?.tsUs ?? 0) + SEC;
  const found = signalingOf(d, kit.log, { nowUs, thresholds: THRESHOLDS, icmp: [] });
  return {
    agreed: compared?.agreed ?? 0,
    evidence: compared?.evidence ?? [],
    hints: found?.hints.map(({ text }) => text) ?? [],
  };
}

/** The call from both sources: `order` says of each step whether the mirror's next message comes, or the wire's. */
function playBoth(
  kit: TrackerKit,
  call: SipScript,
  order: readonly boolean[],
  aheadUs: (m: SipMessage) => number,
): void {
  const wire = [...call.messages];
  const mirror = [...call.messages];
  let nowUs = 0;
  const step = (isMirror: boolean): void => {
    const m = (isMirror ? mirror : wire).shift();
    if (m === undefined) return;
    nowUs = Math.max(nowUs, m.tsUs);
    if (isMirror) kit.mirror(m, { aheadUs: aheadUs(m), arrivedUs: nowUs });
    else kit.send(m);
  };
  for (const isMirror of order) step(isMirror);
  while (wire.length > 0) step(false);
  while (mirror.length > 0) step(true);
}

const CALLS = 3;
const callAt = (i: number): SipScript => basicCall(`clock ${i}`, { startUs: 1_760_000_000 * SEC + i * 20 * SEC });

const order = fc.oneof(
  fc.constantFrom<boolean[]>([], new Array(7).fill(true), new Array(7).fill([true, false]).flat(), [true]),
  fc.array(fc.boolean(), { maxLength: 14 }),
);

describe('a call and its mirror', () => {
  it('agree whatever the mirror takes for the time, and in whatever order they come in', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0, 3 * SEC, -3 * SEC, 59 * SEC, -HOUR, HOUR, -30 * HOUR, -22 * YEAR, 40 * YEAR),
        fc.constantFrom(0, 500, -20_000),
        fc.array(order, { minLength: CALLS, maxLength: CALLS }),
        fc.nat(5_000),
        (offsetUs, driftPpm, orders, noiseUs) => {
          const kit = new TrackerKit();
          kit.clocks.mayPair = true;
          for (let i = 0; i < CALLS; i++) {
            const call = callAt(i);
            const ahead = ({ tsUs }: SipMessage): number => {
              const drift = ((tsUs - callAt(0).at(0)) * driftPpm) / 1e6;
              return Math.round(offsetUs + drift + (noiseUs * (tsUs % 7)) / 7);
            };
            playBoth(kit, call, orders[i] ?? [], ahead);
            assert.deepEqual(findings(kit, call), { agreed: 7, evidence: [], hints: [] });
            const d = kit.dialog(call.callId);
            assert.deepEqual(
              [d.createdUs, d.updatedUs, d.clock, stateOf(d), callTiming(d).durationMs, callTiming(d).pddMs],
              [call.at(0), call.at(5230), null, 'Completed', 3020, 180],
            );
          }
          const [clock] = [...kit.clocks.known()];
          assert.ok(Math.abs((clock?.offsetUs ?? 0) - offsetUs) < 2 * SEC);
        },
      ),
    );
  });

  it('agree through a step, whether it comes between calls or in one', () => {
    for (const stepUs of [4 * SEC, -45 * SEC, HOUR, -HOUR, 20 * YEAR])
      for (const at of [0, 1, 3])
        for (const first of [[], new Array(7).fill([true, false]).flat()]) {
          const kit = new TrackerKit();
          kit.clocks.mayPair = true;
          const said: number[] = [];
          kit.clocks.onOffset = ({ offsetUs }) => said.push(Math.round(offsetUs / SEC));
          for (let i = 0; i < CALLS; i++) {
            const call = callAt(i);
            const steps = call.messages[at]?.tsUs ?? 0;
            playBoth(kit, call, first, ({ tsUs }) => (i > 1 || (i === 1 && tsUs >= steps) ? stepUs : 0));
            assert.deepEqual(findings(kit, call), { agreed: 7, evidence: [], hints: [] }, `${stepUs} ${at} call ${i}`);
          }
          assert.deepEqual(said, [0, stepUs / SEC]);
        }
  });

  it('differ where the copy is another transmission: two seconds count behind the correction', () => {
    const kit = new TrackerKit();
    const call = basicCall('late');
    for (const m of call.messages) kit.send(m);
    for (const [i, m] of call.messages.entries()) kit.mirror(m, { aheadUs: 3 * SEC + (i === 4 ? 2.1 * SEC : 0) });
    const { agreed, evidence } = findings(kit, call);
    assert.deepEqual([agreed, evidence.length], [6, 2]);
  });

  it('of which the mirror has a fault at its first pair still agree from the third on', () => {
    const kit = new TrackerKit();
    const call = basicCall('lost');
    for (const m of call.messages) kit.send(m);
    for (const [i, m] of call.messages.entries()) kit.mirror(m, { aheadUs: HOUR + (i === 0 ? 3.5 * SEC : 0) });
    assert.equal(Math.round(([...kit.clocks.known()][0]?.offsetUs ?? 0) / SEC), HOUR / SEC);
    assert.deepEqual(findings(kit, call), { agreed: 7, evidence: [], hints: [] });
  });
});

describe('a call that is mirrored alone', () => {
  it('keeps the times it was told by one clock, when that becomes known meanwhile', () => {
    const kit = new TrackerKit();
    kit.clocks.mayPair = true;
    const alone = basicCall('alone');
    const both = basicCall('both', { startUs: alone.at(1000) });
    const merged = [...alone.messages, ...both.messages].sort((a, b) => a.tsUs - b.tsUs);
    for (const m of merged) {
      kit.mirror(m, { aheadUs: 30 * SEC });
      if (both.messages.includes(m)) kit.send(m);
    }
    assert.equal(findings(kit, both).evidence.length, 0);
    const d = kit.dialog(alone.callId);
    assert.deepEqual([callTiming(d).durationMs, callTiming(d).pddMs, stateOf(d)], [3020, 180, 'Completed']);
    const list = messagesOf(d, kit.log).map((m) => m.tsUs - d.createdUs);
    assert.deepEqual(
      list,
      alone.messages.map((m) => m.tsUs - alone.at(0)),
    );
  });
});

/** A REGISTER granted for so many seconds, and an INVITE that nobody answers. */
function office(name: string, startUs: number, expires: number): { phone: SipScript; caller: SipScript } {
  const phone = scriptAt(`${name} phone`, startUs);
  const headers = [
    ['Expires', `${expires}`],
    ['Contact', '<sip:alice@192.0.2.10>'],
  ] as const;
  phone.respond(phone.request('REGISTER', 0, { headers }), 200, 30, { headers });
  const caller = scriptAt(`${name} caller`, startUs + SEC);
  caller.respond(caller.request('INVITE', 0), 100, 10);
  return { phone, caller };
}

const NOW = 1_790_000_000 * SEC;
const THEN = 1_100_000_000 * SEC;

describe('a replay', () => {
  it('has its own time: what lasted then lasts, and lapses when its stamps say so', () => {
    const kit = new TrackerKit();
    const old = office('old', THEN, 60);
    const live = office('live', NOW, 60);
    // At full speed: all of it comes in at once. Live traffic goes on beside it.
    for (const m of [...old.phone.messages, ...old.caller.messages])
      kit.mirror(m, { arrivedUs: NOW + (m.tsUs - THEN) / 1000 });
    for (const m of [...live.phone.messages, ...live.caller.messages]) kit.send(m);
    kit.tracker.sweep(NOW + 10 * SEC);
    const d = kit.dialog(old.caller.callId);
    const phone = kit.dialog(old.phone.callId);
    assert.deepEqual([d.createdUs, stateOf(d), stateOf(phone)], [THEN + SEC, 'Trying', 'Registered']);
    const nowUs = d.clock?.nowUs(NOW + 10 * SEC) ?? Number.NaN;
    assert.equal(nowUs, THEN + 1_010_000);
    assert.equal(signalingOf(d, kit.log, { nowUs, thresholds: THRESHOLDS, icmp: [] }), null);
    // A minute later by our clock: the wire's registration lapses, not that of the replay.
    kit.tracker.sweep(NOW + 61 * SEC);
    assert.deepEqual([stateOf(phone), stateOf(kit.dialog(live.phone.callId))], ['Registered', 'Expired']);
    const later = basicCall('later', { startUs: THEN + 200 * SEC });
    for (const m of later.messages) kit.mirror(m, { arrivedUs: NOW + 62 * SEC });
    kit.tracker.sweep(NOW + 63 * SEC);
    assert.equal(stateOf(phone), 'Expired');
    const then = signalingOf(d, kit.log, {
      nowUs: d.clock?.nowUs(NOW + 63 * SEC) ?? Number.NaN,
      thresholds: THRESHOLDS,
      icmp: [],
    });
    assert.deepEqual(
      then?.hints.map(({ text }) => text),
      ['No final response came within 204 s of the INVITE.'],
    );
  });

  it('of several days, or by several agents at once, is told apart', () => {
    const kit = new TrackerKit();
    const one = office('one', THEN, 60);
    const two = office('two', THEN + YEAR, 60);
    const three = office('three', THEN + 10 * YEAR, 60);
    for (let i = 0; i < 2; i++) {
      kit.mirror(one.phone.messages[i] ?? assert.fail(), { arrivedUs: NOW });
      kit.mirror(two.phone.messages[i] ?? assert.fail(), { arrivedUs: NOW });
      kit.mirror(three.phone.messages[i] ?? assert.fail(), { arrivedUs: NOW, agentId: 7 });
    }
    for (const m of basicCall('on', { startUs: THEN + 100 * SEC }).messages) kit.mirror(m, { arrivedUs: NOW });
    kit.tracker.sweep(NOW + HOUR);
    assert.deepEqual(
      [one, two, three].map(({ phone }) => stateOf(kit.dialog(phone.callId))),
      ['Expired', 'Registered', 'Registered'],
    );
  });

  it('cannot be told from a clock that is off: time goes on between stamps that keep the pace of ours', () => {
    const kit = new TrackerKit();
    const { phone } = office('off', NOW, 60);
    const aheadUs = -9 * HOUR;
    for (const m of phone.messages) kit.mirror(m, { aheadUs });
    for (let sec = 5; sec < 30; sec += 5)
      for (const m of basicCall(`pace ${sec}`, { startUs: NOW + sec * SEC }).messages) kit.mirror(m, { aheadUs });
    kit.tracker.sweep(NOW + 59 * SEC);
    assert.equal(stateOf(kit.dialog(phone.callId)), 'Registered');
    kit.tracker.sweep(NOW + 61 * SEC);
    assert.equal(stateOf(kit.dialog(phone.callId)), 'Expired');
  });

  it('joins our time when its copies come past: what was granted lasts as long as it was granted for', () => {
    const kit = new TrackerKit();
    kit.clocks.mayPair = true;
    const { phone } = office('joins', NOW, 60);
    for (const m of phone.messages) kit.mirror(m, { aheadUs: HOUR });
    for (const m of phone.messages) kit.send(m);
    const d = kit.dialog(phone.callId);
    assert.deepEqual([d.clock, d.createdUs, d.expiresUs], [null, NOW, NOW + 60.03 * SEC]);
    kit.tracker.sweep(NOW + 61 * SEC);
    assert.equal(stateOf(d), 'Expired');
  });
});

describe('forged stamps', () => {
  it('move neither the offset of another sender nor what the wire carries', () => {
    const kit = new TrackerKit();
    kit.clocks.mayPair = true;
    for (let i = 0; i < 4; i++) {
      const call = callAt(i);
      for (const m of call.messages) {
        kit.send(m);
        kit.mirror(m, { aheadUs: 3 * SEC });
      }
      // Copies of the same call by another agent, by another host, and with any stamp.
      for (const [k, m] of call.messages.entries()) {
        kit.mirror(m, { aheadUs: (k - 3) * YEAR, agentId: 2002 });
        kit.mirror(m, { aheadUs: (k + 1) * HOUR, address: '2001:db8::99' });
      }
    }
    const own = [...kit.clocks.known()].find((c) => c.sender.address === '192.0.2.99' && c.sender.agentId === 2001);
    assert.equal(own?.offsetUs, 3 * SEC);
    const live = office('live', NOW, 3600);
    for (const m of live.phone.messages) kit.send(m);
    // Whoever knows its Call-ID says that it is 2106, or 1970.
    for (const aheadUs of [80 * YEAR, -50 * YEAR]) {
      const again = scriptAt('live phone', NOW + SEC);
      kit.mirror(again.respond(again.request('REGISTER', 0), 200, 30), { aheadUs, agentId: 666 });
      for (const m of basicCall(`${aheadUs}`, { startUs: NOW }).messages) kit.mirror(m, { aheadUs, agentId: 666 });
      kit.tracker.sweep(NOW + 2 * SEC);
    }
    const d = kit.dialog(live.phone.callId);
    assert.deepEqual([stateOf(d), d.clock, d.createdUs], ['Registered', null, NOW]);
    assert.ok(d.updatedUs < NOW + 2 * SEC && d.expiresUs <= NOW + 3602 * SEC);
  });

  it('of invented agents keep nothing of a pushed-out sender from lapsing', () => {
    const kit = new TrackerKit();
    kit.clocks.mayPair = true;
    const { phone } = office('pushed', NOW, 60);
    for (const m of phone.messages) kit.mirror(m);
    for (let i = 0; i < 2 * HEP_CLOCK_SENDERS; i++)
      for (const m of office(`${i}`, NOW, 60).caller.messages) kit.mirror(m, { agentId: i, aheadUs: i * YEAR });
    assert.ok(kit.clocks.evicted > 0);
    kit.tracker.sweep(NOW + 59 * SEC);
    assert.equal(stateOf(kit.dialog(phone.callId)), 'Registered');
    kit.tracker.sweep(NOW + 62 * SEC);
    assert.equal(stateOf(kit.dialog(phone.callId)), 'Expired');
  });

  it('of invented agents take the place of no sender whose clock is known', () => {
    const clocks = new HepClocks();
    const at = (n: number): Uint8Array => Uint8Array.from([10, n >> 16, (n >> 8) & 255, n & 255]);
    const good = clocks.clockOf(at(1), 0, 4, 1, NOW, NOW);
    clocks.onPair(good, 5);
    for (let i = 0; i < 3 * HEP_CLOCK_SENDERS; i++) clocks.clockOf(at(2 + i), 0, 4, i, NOW + i * YEAR, NOW);
    assert.equal(clocks.clockOf(at(1), 0, 4, 1, NOW, NOW), good);
    assert.deepEqual([clocks.senders, clocks.evicted], [HEP_CLOCK_SENDERS + 1, 2 * HEP_CLOCK_SENDERS]);
    // Of one agent's days the one in use longest ago goes, the known one stays.
    const made = Array.from({ length: 10 }, (_, i) => clocks.clockOf(at(1), 0, 4, 1, NOW + (i + 1) * YEAR, NOW));
    assert.equal(clocks.clockOf(at(1), 0, 4, 1, NOW, NOW), good);
    assert.equal(made.filter((clock) => !clock.isDropped).length, HEP_SENDER_CLOCKS - 1);
  });
});

it('the offset follows a drift, and one pair in three that is off moves it by nothing', () => {
  const clock = new HepClock({ address: '192.0.2.1', agentId: 1 }, NOW, NOW);
  for (let i = 0; i < 3_000; i++) {
    const driftUs = i * 1_000;
    clock.onPair(3 * SEC + driftUs + (i % 3 === 1 ? 500_000 : 0));
    if (i > 15) assert.ok(Math.abs(clock.offsetUs - 3 * SEC - driftUs) < 60_000, `${i}: ${clock.offsetUs}`);
  }
  for (let i = 0; i < 100; i++) clock.onPair(6 * SEC + (i % 2) * 4 * SEC);
  assert.ok(Math.abs(clock.offsetUs - 6 * SEC) < SEC, 'what agrees with nothing is no step');
});

describe('the clock of this host is set', () => {
  const START = 1_700_000_000 * SEC;
  const ADDRESS = Uint8Array.of(192, 0, 2, 1);

  /** What becomes of stamps of a sender, one a second, `aheadUs` ahead of their arrival, over these steps of our clock. */
  function steadied(
    steps: Readonly<Record<number, number>>,
    aheadUs: (second: number, shiftUs: number) => number,
  ): number[] {
    const clocks = new HepClocks();
    return Array.from({ length: 10 }, (_, second) => {
      clocks.hostShiftUs += steps[second] ?? 0;
      const arrivedUs = START + second * SEC;
      const stampUs = arrivedUs + aheadUs(second, clocks.hostShiftUs);
      return clocks.steady(ADDRESS, 0, 4, 7, stampUs, arrivedUs) - arrivedUs;
    });
  }

  for (const stepUs of [HOUR, -HOUR, 5 * SEC, -30 * 24 * HOUR]) {
    it(`by ${stepUs / SEC} s: a sender on this host was set with it`, () => {
      const found = steadied({ 3: stepUs }, (_, shiftUs) => shiftUs - 2_000);
      assert.deepEqual(new Set(found), new Set([-2_000]));
    });
    it(`by ${stepUs / SEC} s: a sender elsewhere was not, whatever its clock shows`, () => {
      for (const aheadUs of [-40_000, 20 * SEC, -45 * SEC])
        assert.deepEqual(new Set(steadied({ 3: stepUs }, () => aheadUs)), new Set([aheadUs]));
    });
  }

  it('twice, and by little before: each time only by that', () => {
    const found = steadied({ 2: 0.2 * SEC, 4: HOUR, 7: -HOUR }, (_, shiftUs) => shiftUs);
    assert.deepEqual(
      found,
      [0, 0, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2].map((sec) => sec * SEC),
    );
  });

  it('what was sent before it and comes after it changes nothing', () => {
    const found = steadied({ 3: HOUR }, (second, shiftUs) => (second === 3 ? -100_000 : shiftUs));
    assert.deepEqual(found, [0, 0, 0, -100_000, 0, 0, 0, 0, 0, 0]);
  });

  it('a replay of last year stays in its time', () => {
    for (const stepUs of [HOUR, -HOUR])
      assert.deepEqual(new Set(steadied({ 3: stepUs }, () => -YEAR)), new Set([-YEAR]));
  });

  it('who was an hour behind our wrong clock is not of another time when ours is right', () => {
    const found = steadied({ 3: -HOUR }, () => -HOUR);
    assert.deepEqual(found.slice(0, 3), [-HOUR, -HOUR, -HOUR]);
    assert.deepEqual(new Set(found.slice(3)), new Set([0]));
  });
});
