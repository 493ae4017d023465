/** Times that HEP packets cannot have: arrival counts in their place, with a counter and a line; wrong clocks stay wrong. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, it } from 'node:test';
import { basicCall, CALL_MESSAGES, CALL_TIMES } from '../../../fixtures/build/basic-call.ts';
import { hep1, hep2, hep3 } from '../../../fixtures/build/hep.ts';
import type { SipMessage } from '../../../fixtures/build/sip-call.ts';
import { isPlausible } from '../../../src/decode/hep/time.ts';
import { implausibleLine } from '../../../src/faces/cli/hep-lines.ts';
import { lossCounters, lossesByReason } from '../../../src/view/losses.ts';
import { hepCapture, OTHER_AGENT } from '../../helpers/hep-capture.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { openSession } from '../../helpers/open-session.ts';
import { readCapture, temporaryFolder } from '../../helpers/read-capture.ts';

const SEC = 1_000_000;
const HOUR = 3_600 * SEC;
const YEAR = 366 * 24 * HOUR;
/** The collector has each packet so much later than the agent saw it. */
const LATER_US = 2_000;

type Wrap = (m: SipMessage, tsUs: number) => Uint8Array;
const asHep3: Wrap = (m, tsUs) => hep3({ ...m, tsUs, payload: m.bytes });
const asHep2: Wrap = (m, tsUs) => hep2({ ...m, tsUs, payload: m.bytes });

/** The call as its mirror, whose clock says `told` of each message; it must have come as one dialog. */
async function mirrored(
  t: TestContext,
  told: (m: SipMessage) => number,
  wrap: Wrap = asHep3,
): Promise<{ session: OpenSession; agoUs: number; talkUs: number; odd: number }> {
  const { messages } = basicCall('hep-times');
  const packets = messages.map((m) => ({ tsUs: m.tsUs + LATER_US, datagram: wrap(m, told(m)) }));
  const { session } = await readCapture(t, hepCapture(packets), ['-E']);
  const [dialog, ...others] = [...session.dialogs.oldestFirst()];
  assert.ok(dialog !== undefined && others.length === 0);
  assert.equal(dialog.msgCount, CALL_MESSAGES);
  return {
    session,
    agoUs: dialog.createdUs - (messages[0]?.tsUs ?? 0),
    talkUs: dialog.updatedUs - dialog.createdUs,
    odd: session.ingest.hep.implausibleTimes,
  };
}

const SPAN_US = CALL_TIMES.byeOk * 1000;

describe('a time that cannot be becomes that of the frame that carried it', () => {
  const cases: readonly (readonly [string, (m: SipMessage) => number, Wrap])[] = [
    ['zeros', () => 0, asHep3],
    ['the uptime of a host', (m) => 12 * 24 * HOUR + (m.tsUs % HOUR), asHep3],
    ['an uptime of nine years', (m) => 9 * YEAR + (m.tsUs % HOUR), asHep3],
    ['all ones', () => 0xffff_ffff * SEC, asHep3],
    ['thirty years ahead', (m) => m.tsUs + 30 * YEAR, asHep3],
    ['zeros in HEP 2', () => 0, asHep2],
    ['an uptime in HEP 2', (m) => 5 * HOUR + (m.tsUs % HOUR), asHep2],
  ];
  for (const [name, told, wrap] of cases)
    it(name, async (t) => {
      const { session, agoUs, talkUs, odd } = await mirrored(t, told, wrap);
      assert.deepEqual([agoUs, talkUs, odd], [LATER_US, SPAN_US, CALL_MESSAGES]);
      assert.equal(lossesByReason(session.figures)['hep_implausible_times'], CALL_MESSAGES);
      assert.equal(lossCounters(session.figures).invalid_timestamps, CALL_MESSAGES);
    });
});

describe('a time that a clock may have stays as it was told', () => {
  const cases: readonly (readonly [string, number, Wrap])[] = [
    ['a capture of 2004, replayed', -21 * YEAR, asHep3],
    ['the same in HEP 2', -21 * YEAR, asHep2],
    ['a clock five hours slow', -5 * HOUR, asHep3],
    ['a clock two days fast', 48 * HOUR, asHep3],
    ['a clock a year fast', YEAR, asHep3],
  ];
  for (const [name, offUs, wrap] of cases)
    it(name, async (t) => {
      const { agoUs, talkUs, odd } = await mirrored(t, (m) => m.tsUs + offUs, wrap);
      assert.deepEqual([agoUs, talkUs, odd], [offUs, SPAN_US, 0]);
    });

  it('HEP 1 tells no time, which is nothing odd', async (t) => {
    const { agoUs, odd } = await mirrored(t, Number, (m) => hep1({ ...m, payload: m.bytes }));
    assert.deepEqual([agoUs, odd], [LATER_US, 0]);
  });
});

it('a clock of ours that is not set makes no sound time odd', () => {
  const now = 1_790_000_000 * SEC;
  assert.deepEqual(
    [0, 5 * YEAR, now, now + 9 * YEAR].map((arrivedUs) => isPlausible(now, arrivedUs)),
    [true, true, true, true],
  );
  assert.equal(isPlausible(Number.NaN, now), false);
});

it('each sender is named once, however many packets it sends', async (t) => {
  const { messages } = basicCall('hep-senders');
  const packets = messages.flatMap((m, i) => [
    { tsUs: m.tsUs, datagram: hep3({ ...m, tsUs: 0, payload: m.bytes }) },
    { tsUs: m.tsUs, datagram: hep3({ ...m, tsUs: i === 0 ? m.tsUs : 3, payload: m.bytes }), agent: OTHER_AGENT },
  ]);
  const session = await readLater(t, hepCapture(packets));
  assert.deepEqual(session.lines, [
    'calltap: HEP sender 203.0.113.9, agent 2001: it says the time 1970-01-01T00:00:00.000Z, which cannot be; ' +
      'calltap takes the time of arrival; set the clock of that host, or look at the agent\n',
    'calltap: HEP sender 203.0.113.10, agent 2001: it says the time 1970-01-01T00:00:00.000Z, which cannot be; ' +
      'calltap takes the time of arrival; set the clock of that host, or look at the agent\n',
  ]);
  assert.equal(session.odd, 2 * CALL_MESSAGES - 1);
});

/** Reads a file, and what is said of its senders meanwhile. */
async function readLater(t: TestContext, bytes: Uint8Array): Promise<{ lines: string[]; odd: number }> {
  const path = join(temporaryFolder(t), 'senders.pcap');
  writeFileSync(path, bytes);
  const session = openSession(['-I', path, '-E']);
  t.after(() => session.close());
  const lines: string[] = [];
  session.ingest.clocks.onImplausible = (sender, toldUs) => lines.push(implausibleLine(sender, toldUs));
  await session.read([path], () => undefined);
  return { lines, odd: session.ingest.hep.implausibleTimes };
}
