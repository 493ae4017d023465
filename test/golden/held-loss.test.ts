/**
 * A hold is no loss where the descriptions in force say that nothing is sent, though the sequence goes on meanwhile; loss
 * that only looks like a hold stays loss.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, ALICE6, BOB, BOB6 } from '../../fixtures/build/basic-call.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import { CAROL } from '../../fixtures/build/case-kit.ts';
import { rtpStream, voice } from '../../fixtures/build/rtp.ts';
import { TALK_MS } from '../../fixtures/build/scene-kit.ts';
import { worstLossPct, worstMos } from '../../src/analysis/call-figures.ts';
import { streamLossPct, streamMos } from '../../src/analysis/stream-quality.ts';
import { toCall } from '../../src/view/call.ts';
import { streamDocument } from '../../src/view/documents.ts';
import { callHints } from '../../src/view/explained.ts';
import { dialogFacts } from '../helpers/at-once.ts';
import type { Change, HeldPlan, Terms } from '../helpers/held-call.ts';
import { atRandom, HOLD, heldCall, heldCapture, heldFor, SSRC } from '../helpers/held-call.ts';
import { readCapture } from '../helpers/read-capture.ts';

const FLAWLESS = 4.4093;

type Heard = {
  readonly loss: number;
  readonly mos: number | undefined;
  readonly windows: readonly number[];
  readonly isBursty: boolean;
};

type Judged = {
  readonly caller: Heard;
  readonly callee: Heard;
  readonly findings: readonly string[];
  readonly hints: readonly string[];
};

/** What documents, row, filter and hints say of the call. */
async function judged(t: TestContext, plan: HeldPlan): Promise<Judged> {
  const { session } = await readCapture(t, heldCapture('held', plan));
  const { evidence, streams, dialogs } = session;
  const [d] = [...dialogs.oldestFirst()];
  assert.ok(d !== undefined);
  const quality = evidence.capture.quality;
  const heard = (ssrc: number): Heard => {
    const [stream, ...others] = streams.ownedBy(d).filter((s) => s.ssrc === ssrc);
    assert.ok(stream !== undefined && others.length === 0, 'one stream a direction');
    const doc = streamDocument(evidence, stream) ?? assert.fail();
    assert.ok(Math.abs((streamLossPct(stream, quality) ?? Number.NaN) - doc.loss_pct) < 1e-4);
    assert.ok(doc.mos === undefined || Math.abs((streamMos(stream, quality) ?? Number.NaN) - doc.mos) < 1e-4);
    const windows = doc.quality_intervals.map((w) => w.loss_pct);
    return { loss: doc.loss_pct, mos: doc.mos, windows, isBursty: doc.burst_gap?.is_bursty === true };
  };
  const call = toCall(evidence, d);
  const [caller, callee] = [heard(SSRC.caller), heard(SSRC.callee)];
  assert.equal(worstLossPct(evidence, d), call.loss_pct_max ?? null, 'filter and sort say what the column says');
  assert.equal(worstMos(evidence, d), call.mos_worst ?? null);
  assert.ok(Math.abs((call.loss_pct_max ?? 0) - Math.max(caller.loss, callee.loss)) < 1e-4);
  return { caller, callee, findings: call.findings, hints: callHints(dialogFacts(evidence, d)) };
}

const NO_LOSS: Heard = { loss: 0, mos: FLAWLESS, windows: [], isBursty: false };

function isUnharmed(heard: Heard, what: string): void {
  assert.deepEqual({ ...heard, windows: heard.windows.filter((loss) => loss > 0) }, NO_LOSS, what);
}

const GONE = { gone: [HOLD] };
const SENDONLY: Terms = { direction: 'sendonly' };
const RECVONLY: Terms = { direction: 'recvonly' };
const INACTIVE: Terms = { direction: 'inactive' };
const NOWHERE: Terms = { connection: '0.0.0.0' };
const OFF: Terms = { isOff: true };

/** Each hold with the directions in which nothing comes though their sequences go on. */
const HOLDS: readonly { name: string; plan: HeldPlan }[] = [
  { name: 'sendonly, answered recvonly', plan: { changes: heldFor(SENDONLY, RECVONLY), callee: GONE } },
  { name: 'sendonly, answered sendrecv', plan: { changes: heldFor(SENDONLY, {}), callee: GONE } },
  { name: 'inactive', plan: { changes: heldFor(INACTIVE, INACTIVE), caller: GONE, callee: GONE } },
  { name: 'c=0.0.0.0', plan: { changes: heldFor(NOWHERE, {}), callee: GONE } },
  { name: 'c=0.0.0.0 and inactive', plan: { changes: heldFor({ ...NOWHERE, ...INACTIVE }, INACTIVE), callee: GONE } },
  { name: 'port 0', plan: { changes: heldFor(OFF, OFF), caller: GONE, callee: GONE } },
  { name: 'recvonly offered', plan: { changes: heldFor(RECVONLY, SENDONLY), caller: GONE } },
  { name: 'by the callee', plan: { changes: heldFor(SENDONLY, RECVONLY, { by: 'callee' }), caller: GONE } },
  { name: 'by UPDATE', plan: { changes: heldFor(SENDONLY, RECVONLY, { how: 'UPDATE' }), callee: GONE } },
  {
    name: 'offered in the 200, answered in the ACK',
    plan: { changes: heldFor(SENDONLY, RECVONLY, { by: 'callee', how: 'delayed' }), callee: GONE },
  },
  {
    name: 'over IPv6',
    plan: { parties: [ALICE6, BOB6], changes: heldFor({ connection: '::' }, {}), callee: GONE },
  },
  {
    name: 'the media of the callee goes elsewhere for a while',
    plan: { changes: heldFor({ media: CAROL.rtp }, {}), callee: GONE },
  },
  {
    name: 'from the start',
    plan: {
      offered: SENDONLY,
      answered: RECVONLY,
      changes: [{ atMs: HOLD.toMs, offered: {}, answered: {} }],
      callee: { gone: [{ fromMs: 2400, toMs: HOLD.toMs }] },
    },
  },
  {
    name: 'a hold within the other side',
    plan: {
      changes: [
        { atMs: 5000, offered: SENDONLY, answered: RECVONLY },
        { atMs: 8000, by: 'callee', offered: INACTIVE, answered: INACTIVE },
        { atMs: 12_000, offered: RECVONLY, answered: SENDONLY },
        { atMs: 18_000, by: 'callee', offered: {}, answered: {} },
      ],
      callee: { gone: [{ fromMs: 5000, toMs: 12_000 }] },
      caller: { gone: [{ fromMs: 8000, toMs: 18_000 }] },
    },
  },
  {
    name: 'twice, each shorter than a window',
    plan: {
      changes: [
        ...heldFor(SENDONLY, RECVONLY, {}, { fromMs: 5000, toMs: 8000 }),
        ...heldFor(SENDONLY, RECVONLY, {}, { fromMs: 15_000, toMs: 18_000 }),
      ],
      callee: {
        gone: [
          { fromMs: 5000, toMs: 8000 },
          { fromMs: 15_000, toMs: 18_000 },
        ],
      },
    },
  },
  {
    name: 'described a round trip of 300 ms after the gap began, and before it ended',
    plan: {
      changes: heldFor(SENDONLY, RECVONLY, { roundTripMs: 300 }, { fromMs: 5300, toMs: 17_500 }),
      callee: { gone: [{ fromMs: 5020, toMs: 18_080 }] },
    },
  },
  {
    name: 'for longer than a jump in the sequence may be',
    plan: {
      endMs: 120_000,
      changes: heldFor(SENDONLY, RECVONLY, {}, { fromMs: 5000, toMs: 95_000 }),
      callee: { gone: [{ fromMs: 5000, toMs: 95_000 }] },
    },
  },
  {
    name: 'the sequence stands still',
    plan: { changes: heldFor(SENDONLY, RECVONLY), callee: { paused: [HOLD] } },
  },
];

for (const { name, plan } of HOLDS)
  test(`a hold is no loss: ${name}`, async (t) => {
    const { caller, callee, findings, hints } = await judged(t, plan);
    isUnharmed(caller, 'caller');
    isUnharmed(callee, 'callee');
    assert.deepEqual(findings, []);
    assert.deepEqual(
      hints.filter((h) => /loss|missing|Poor/.test(h)),
      [],
    );
  });

test('the sender is known by its own socket where nobody named the other end', async (t) => {
  // The callee is behind a NAT: what it named is not where its media comes from or goes.
  const named = { media: { address: '192.168.1.7', port: 4444 } };
  const held = heldFor({ ...INACTIVE }, { ...INACTIVE, ...named }).map(
    (c): Change => (c.atMs === HOLD.toMs ? { ...c, answered: named } : c),
  );
  const { caller, callee } = await judged(t, { answered: named, changes: held, caller: GONE, callee: GONE });
  isUnharmed(caller, 'caller');
  isUnharmed(callee, 'callee');
});

const GAP =
  /^(\d+) packets from \S+ to \S+ are missing while nothing came for ([\d.]+) s: a hold or a bridge elsewhere/;

function gapsSaid(hints: readonly string[]): [number, number][] {
  return hints.flatMap((h) => {
    const [, packets, sec] = GAP.exec(h) ?? [];
    return sec === undefined ? [] : [[Number(packets), Number(sec)] as [number, number]];
  });
}

/** Of 1388 packets 650 are gone. */
const BRIDGED = (650 / 1388) * 100;

/** What looks like a hold, and is none that the signaling shows. */
const LOOK_ALIKES: readonly { name: string; changes: readonly Change[] }[] = [
  { name: 'an outage, or a hold on the other leg of a B2BUA', changes: [] },
  { name: 'refused with 488', changes: heldFor(SENDONLY, RECVONLY, { how: 'refused' }) },
  { name: 'never answered', changes: heldFor(SENDONLY, RECVONLY, { how: 'unanswered' }) },
  { name: 'the other direction is held', changes: heldFor(RECVONLY, SENDONLY) },
  { name: 'a refresh that changes nothing', changes: heldFor({}, {}) },
];

for (const { name, changes } of LOOK_ALIKES)
  test(`a gap that no description explains is loss, with both readings: ${name}`, async (t) => {
    const { callee, findings, hints } = await judged(t, { changes, callee: GONE });
    assert.ok(Math.abs(callee.loss - BRIDGED) < 0.1, `${callee.loss}`);
    assert.ok((callee.mos ?? 5) < 3.1 && callee.windows.includes(100), `${callee.mos}`);
    assert.ok(findings.includes('packet-loss'), findings.join());
    assert.deepEqual(gapsSaid(hints), [[650, 13]]);
  });

test('music on hold flows, and what is lost of it is lost', async (t) => {
  const lost = atRandom('music', 0.05);
  const changes = heldFor(SENDONLY, RECVONLY);
  const without = await judged(t, { caller: { lost } });
  const held = await judged(t, { changes, caller: { lost }, callee: GONE });
  assert.deepEqual(held.caller, without.caller);
  assert.ok(held.caller.loss > 4);
  isUnharmed(held.callee, 'callee');
  // It stops for 8 s: nobody said it would.
  const gone = await judged(t, { changes, caller: { gone: [{ fromMs: 7000, toMs: 15_000 }] } });
  assert.deepEqual(gapsSaid(gone.hints), [[400, 8]]);
});

test('scattered loss before and behind a hold stays', async (t) => {
  for (const silence of [{ gone: [HOLD] }, { paused: [HOLD] }]) {
    const lost = (n: number) => n % 20 === 7;
    const { callee, findings } = await judged(t, {
      changes: heldFor(SENDONLY, RECVONLY),
      callee: { ...silence, lost },
    });
    assert.ok(Math.abs(callee.loss - 5) < 0.5, `${callee.loss}`);
    assert.ok(findings.includes('packet-loss'));
    assert.ok((callee.mos ?? 5) < 4.2);
  }
});

test('a burst beside a hold in which the sequence stood still stays', async (t) => {
  const lost = (n: number) => n >= 100 && n < 130;
  const paused = await judged(t, { changes: heldFor(SENDONLY, RECVONLY), callee: { paused: [HOLD], lost } });
  assert.ok(Math.abs(paused.callee.loss - (30 / 738) * 100) < 0.4, `${paused.callee.loss}`);
});

test('an outage that reaches over the edge of a hold is loss there', async (t) => {
  for (const [gone, lost] of [
    [{ fromMs: 3000, toMs: HOLD.toMs }, 100],
    [{ fromMs: HOLD.fromMs, toMs: 21_000 }, 150],
    [{ fromMs: 4000, toMs: 19_000 }, 100],
  ] as const) {
    const changes = heldFor(SENDONLY, RECVONLY);
    const { callee, findings } = await judged(t, { changes, callee: { gone: [gone] } });
    const wanted = (lost / (1388 - 650)) * 100;
    assert.ok(Math.abs(callee.loss - wanted) < 0.6, `${callee.loss} of ${wanted}`);
    assert.ok(findings.includes('packet-loss'));
  }
});

test('an outage elsewhere in a call that was held is loss, and the hold is none', async (t) => {
  const outage = { fromMs: 22_000, toMs: 24_000 };
  const { callee } = await judged(t, { changes: heldFor(SENDONLY, RECVONLY), callee: { gone: [HOLD, outage] } });
  assert.ok(Math.abs(callee.loss - (100 / 738) * 100) < 0.6, `${callee.loss}`);
  assert.equal(callee.windows.filter((loss) => loss > 0).length, 2);
});

test('a codec and a packet time that change with the hold are those of each part', async (t) => {
  const { call, media } = heldCall('held', { changes: heldFor(SENDONLY, RECVONLY) });
  const callee = { src: BOB.rtp, dst: ALICE.rtp, ssrc: SSRC.callee };
  const first = voice({ payloadType: 0, count: 138 });
  // 433 packets of 30 ms went elsewhere.
  const second = voice({ payloadType: 8, ptimeMs: 30, count: 400, fromUs: 15_760_000, fromTimestamp: 126_080 });
  const at = { firstSequence: 10, startUs: call.at(TALK_MS) };
  const before = rtpStream({ ...callee, ...at }, first).datagrams;
  const behind = rtpStream({ ...callee, ...at, firstSequence: 10 + 138 + 433 }, second).datagrams;
  const caller = media.filter(({ src }) => src.port === ALICE.rtp.port);
  const bytes = new Capture()
    .add(call.messages)
    .add([...caller, ...before, ...behind])
    .pcap();
  const { session } = await readCapture(t, bytes);
  const [stream] = [...session.streams.fromNewest()].filter((one) => one.ssrc === SSRC.callee);
  assert.ok(stream !== undefined);
  const doc = streamDocument(session.evidence, stream) ?? assert.fail();
  assert.ok(doc.loss_pct < 0.8 && (doc.mos ?? 0) > 4.2, `${doc.loss_pct} ${doc.mos}`);
});

test('a phone behind its hold that sends on is heard as ever', async (t) => {
  const lost = (n: number) => n % 50 === 9;
  const changes = heldFor(SENDONLY, RECVONLY);
  const { callee } = await judged(t, { changes, callee: { lost } });
  assert.ok(Math.abs(callee.loss - 2) < 0.4, `${callee.loss}`);
});
