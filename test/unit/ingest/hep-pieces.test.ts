/** SIP over TCP that agents mirror packet by packet is read as from a capture of TCP; what lost pieces take with them is counted. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, it } from 'node:test';
import { basicCall } from '../../../fixtures/build/basic-call.ts';
import { hep3 } from '../../../fixtures/build/hep.ts';
import { PROTO } from '../../../fixtures/build/packet.ts';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { DIALOG_STATES } from '../../../src/core/words.ts';
import { lossCounters, lossesByReason } from '../../../src/view/losses.ts';
import type { CarriedHep } from '../../helpers/hep-capture.ts';
import { hepCapture } from '../../helpers/hep-capture.ts';
import { mirroredFlows, randomOf } from '../../helpers/mirrored-flows.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';

/** Each call with its state and messages: when, between whom, and their bytes. */
function callsOf({ dialogs, log }: OpenSession): Map<string, unknown> {
  return new Map(
    [...dialogs.oldestFirst()].map((d) => [
      d.callId,
      [
        DIALOG_STATES[d.state],
        ...messagesOf(d, log).map((m) => `${m.tsUs} ${m.srcText} ${m.dstText} ${m.bytes.toString('latin1')}`),
      ],
    ]),
  );
}

async function mirrored(t: TestContext, packets: readonly CarriedHep[]): Promise<OpenSession> {
  return (await readCapture(t, hepCapture(packets), ['-E'])).session;
}

const CALLS = 1_512;
const FLOWS = 36;
/** Seeds, and one packet in how many is lost. */
const LOSSES = [
  [2, 100],
  [3, 30],
] as const;

it('an agent that leaves bodies out sends whole messages: they come in their order, marked as cut', async (t) => {
  const { messages } = basicCall('no-bodies', { transport: 'TCP' });
  const packets = messages.map((m) => {
    const text = Buffer.from(m.bytes).toString('latin1');
    const payload = Buffer.from(text.slice(0, text.indexOf('\r\n\r\n') + 4), 'latin1');
    return { tsUs: m.tsUs, datagram: hep3({ ...m, payload }, { ipProtocol: PROTO.TCP }) };
  });
  const session = await mirrored(t, packets);
  const [dialog] = [...session.dialogs.oldestFirst()];
  assert.ok(dialog !== undefined);
  assert.deepEqual(
    messagesOf(dialog, session.log).map((m) => m.tsUs),
    messages.map((m) => m.tsUs),
  );
  assert.equal(DIALOG_STATES[dialog.state], 'Completed');
  assert.equal(lossesByReason(session.figures)['hep_messages_cut'], 2);
});

it('a body that bytes of another message filled up is counted as cut', async (t) => {
  const [invite] = basicCall('torn', { transport: 'TCP' }).messages;
  assert.ok(invite !== undefined);
  const whole = Buffer.from(invite.bytes).toString('latin1');
  const at = whole.indexOf('\r\n\r\n') + 40;
  for (const [rest, cut] of [
    [whole.slice(at), 0],
    [whole.slice(at, -40) + whole.slice(at, at + 40), 1],
    [whole.slice(at).replace(/[a-z]=/g, 'ip'), 1],
  ] as const) {
    const packets = [whole.slice(0, at), rest].map((text, i) => {
      const tsUs = invite.tsUs + i * 100;
      const payload = Buffer.from(text, 'latin1');
      return { tsUs, datagram: hep3({ ...invite, tsUs, payload }, { ipProtocol: PROTO.TCP }) };
    });
    const session = await mirrored(t, packets);
    assert.equal(session.dialogs.size, 1);
    assert.equal(lossesByReason(session.figures)['hep_messages_cut'] ?? 0, cut, rest);
  }
});

describe('10,000 messages cut anywhere into 1 to 5 pieces, on many connections, from two agents', () => {
  const { messages, wire, pieces } = mirroredFlows(randomOf(1), FLOWS, CALLS / FLOWS);

  it('are the calls of the capture of TCP', async (t) => {
    assert.ok(messages.length > 9_500, String(messages.length));
    const wanted = callsOf((await readCapture(t, wire)).session);
    assert.equal(wanted.size, CALLS);
    const session = await mirrored(t, pieces);
    assert.deepEqual(callsOf(session), wanted);
    const counts = lossesByReason(session.figures);
    assert.deepEqual([counts['hep_pieces_unframed'], counts['hep_messages_cut']], [0, 0]);
    const { flows } = session.ingest.hep;
    assert.ok(flows.pieces > messages.length / 2);
    assert.deepEqual([flows.waiting, flows.heldBytes], [0, 0]);
  });

  it('with losses: other messages are whole, and what is missing stands in a counter', async (t) => {
    for (const [seed, oneIn] of LOSSES) {
      const random = randomOf(seed);
      const lost = new Set(pieces.filter(() => random(oneIn) === 0));
      const came = pieces.filter((piece) => !lost.has(piece));
      const session = await mirrored(t, came);
      const seen = new Set(
        [...session.dialogs.oldestFirst()].flatMap((d) =>
          messagesOf(d, session.log).map((m) => m.bytes.toString('latin1')),
        ),
      );
      const missing = messages.filter((m) => !seen.has(Buffer.from(m.bytes).toString('latin1')));
      const harmed = new Set([...lost].flatMap((piece) => piece.messages));
      // Where the lost bytes were fewer than the next piece has, nothing tells one message from the other.
      const others = missing.filter((m) => !harmed.has(m)).length;
      assert.ok(others <= lost.size / 100, `${others} beside the ${harmed.size} that ${lost.size} packets were of`);
      // Of a message that lost all its packets nothing can be known.
      const shown = new Set(came.flatMap((piece) => piece.messages));
      const counts = lossesByReason(session.figures);
      const counted = (counts['hep_pieces_unframed'] ?? 0) + (counts['hep_messages_cut'] ?? 0);
      assert.ok(counted >= missing.filter((m) => shown.has(m)).length, `${counted} of ${missing.length}`);
      assert.ok(lossCounters(session.figures).hep_rejected > 0);
      assert.ok(lossCounters(session.figures).reassembly_timeouts > 0);
    }
  });
});
