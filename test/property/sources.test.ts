/**
 * A call that the wire and its HEP mirror both carry is one call, whatever order the two deliver in: state, counts,
 * times and what they disagree about are the same in every interleaving.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { basicCall } from '../../fixtures/build/basic-call.ts';
import { CHALLENGE, credentials, inviteOf, scriptOf } from '../../fixtures/build/calls-setup.ts';
import type { SipMessage, SipScript } from '../../fixtures/build/sip-call.ts';
import { DIALOG_STATES } from '../../src/core/words.ts';
import { callTiming } from '../../src/store/dialogs/call-timing.ts';
import { NO_ROW } from '../../src/store/messages/message-rows.ts';
import { disagreementOf } from '../helpers/judged.ts';
import { HEP, TrackerKit, WIRE } from '../unit/ingest/dialogs/tracker-kit.ts';

/** Calls of several shapes, some with retransmissions. */
const CALLS: readonly (() => SipScript)[] = [
  () => basicCall('plain'),
  () => {
    const call = scriptOf('challenged');
    const first = inviteOf(call, 'challenged');
    call.respond(first, 407, 20, { headers: [['Proxy-Authenticate', CHALLENGE]] });
    call.ack(first, 407, 25);
    const second = call.request('INVITE', 40, {
      headers: [['Proxy-Authorization', credentials('alice', 'sip:bob@example.com')]],
    });
    call.respond(second, 100, 60);
    call.respond(second, 180, 400);
    call.respond(second, 486, 2600);
    call.ack(second, 486, 2610);
    return call;
  },
  () => {
    const call = scriptOf('cancelled');
    const invite = inviteOf(call, 'cancelled');
    call.respond(invite, 180, 300, { tag: 'one' });
    call.respond(invite, 180, 500, { tag: 'two' });
    call.respond(invite, 487, 4000);
    call.ack(invite, 487, 4010);
    return call;
  },
  () => {
    const call = basicCall('repeated');
    const again = [0, 3, 5].flatMap((i) => {
      const m = call.messages[i];
      return m === undefined ? [] : [0.5, 1.5].map((s) => ({ ...m, tsUs: m.tsUs + s * 1e6 }));
    });
    call.messages.push(...again);
    call.messages.sort((a, b) => a.tsUs - b.tsUs);
    return call;
  },
];

type Delivery = { readonly message: SipMessage; readonly origin: number; readonly arrivedUs: number };

/** Merges two sequences: `picks` says which one delivers next while both have something. */
function interleave(wire: readonly Delivery[], mirror: readonly Delivery[], picks: readonly boolean[]): Delivery[] {
  const out: Delivery[] = [];
  for (let w = 0, m = 0; w < wire.length || m < mirror.length; ) {
    const takesWire = m >= mirror.length || (w < wire.length && picks[(w + m) % picks.length] === true);
    const next = takesWire ? wire[w++] : mirror[m++];
    if (next !== undefined) out.push(next);
  }
  return out;
}

/** All that is known of the call, without the numbers that name its messages. */
function known(call: SipScript, order: readonly Delivery[], isWhole: boolean) {
  const kit = new TrackerKit();
  for (const { message, origin, arrivedUs } of order) kit.send(message, { origin, arrivedUs });
  const d = kit.dialog(call.callId);
  const place: string[] = [];
  const count = [0, 0];
  for (let row = d.headRow; row !== NO_ROW; row = kit.log.next(row)) {
    const origin = kit.log.origin(row);
    place.push(`${origin}/${count[origin]}`);
    count[origin] = (count[origin] ?? 0) + 1;
  }
  const found = disagreementOf(d, kit.log);
  const where = (list: readonly { index: number; summary: string }[] | undefined) =>
    list?.map((m) => `${place[m.index]} ${m.summary}`).sort();
  const always = {
    agreed: found?.agreed,
    wireOnly: where(found?.wireOnly),
    mirrorOnly: where(found?.mirrorOnly),
    retransmits: d.retransmits,
    messages: d.msgCount,
    origin: d.origin,
    createdUs: d.createdUs,
    updatedUs: d.updatedUs,
  };
  if (!isWhole) return always;
  return {
    ...always,
    timing: callTiming(d),
    state: DIALOG_STATES[d.state],
    left: kit.left,
    final: [d.finalCode, d.finalReason],
    sdp: d.sdp?.map((e) => [e.tsUs, e.isOffer, e.side, e.address, e.port, e.event]),
    claims: kit.claims.length,
  };
}

const deliveries = fc.record({
  call: fc.integer({ min: 0, max: CALLS.length - 1 }),
  skewUs: fc.integer({ min: -1_900_000, max: 1_900_000 }),
  lagUs: fc.integer({ min: 1, max: 200_000 }),
  picks: fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
  wireLost: fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
  mirrorLost: fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
});

function sides(p: { call: number; skewUs: number; lagUs: number }): {
  call: SipScript;
  wire: Delivery[];
  mirror: Delivery[];
} {
  const call = (CALLS[p.call] ?? assert.fail())();
  const wire = call.messages.map((message) => ({ message, origin: WIRE, arrivedUs: message.tsUs }));
  const mirror = call.messages.map((m) => ({
    message: { ...m, tsUs: m.tsUs + p.skewUs },
    origin: HEP,
    arrivedUs: m.tsUs + p.lagUs,
  }));
  return { call, wire, mirror };
}

test('two whole copies of a call are the call the wire carried, in every interleaving', () => {
  fc.assert(
    fc.property(deliveries, (p) => {
      const { call, wire, mirror } = sides(p);
      const got = known(call, interleave(wire, mirror, p.picks), true);
      assert.deepEqual(got, known(call, [...wire, ...mirror], true));
      const alone = known(call, wire, true);
      assert.deepEqual(got, {
        ...alone,
        agreed: wire.length,
        wireOnly: [],
        mirrorOnly: [],
        messages: 2 * alone.messages,
      });
    }),
    { numRuns: 100 },
  );
});

test('what each of the two lost is the same in every interleaving', () => {
  fc.assert(
    fc.property(deliveries, (p) => {
      const { call, wire, mirror } = sides(p);
      const keep = (list: Delivery[], lost: readonly boolean[]) => list.filter((_, i) => i === 0 || lost[i] !== true);
      const w = keep(wire, p.wireLost);
      const m = keep(mirror, p.mirrorLost);
      const got = known(call, interleave(w, m, p.picks), false);
      assert.deepEqual(got, known(call, [...w, ...m], false));
      assert.equal((got.agreed ?? 0) + (got.wireOnly?.length ?? 0), w.length);
      assert.equal((got.agreed ?? 0) + (got.mirrorOnly?.length ?? 0), m.length);
    }),
    { numRuns: 100 },
  );
});
