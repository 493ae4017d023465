/** What ties a call to another one and comes after its first row is shipped with the next row, once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB } from '../../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../../fixtures/build/capture.ts';
import { SipScript } from '../../../../fixtures/build/sip-call.ts';
import type { DialogStore } from '../../../../src/store/dialogs/dialog-store.ts';
import { readCapture } from '../../../helpers/read-capture.ts';
import { callShipper } from './lab.ts';

type Id = { readonly kind: string; readonly text: string };

test('identifiers of the answer, of the second INVITE and of the end', async (t) => {
  const call = new SipScript({ callId: 'b', caller: ALICE, callee: BOB, startUs: EPOCH_US });
  call.respond(call.request('INVITE', 0, { headers: [['X-CID', 'opening']] }), 407, 10);
  const again = call.request('INVITE', 20, { headers: [['X-CID', 'after-407, opening']] });
  call.respond(again, 200, 30, { headers: [['X-Leg', 'c;i=answer']] });
  call.respond(call.request('BYE', 40, { headers: [['X-Call-ID', 'end']] }), 200, 50);
  const argv = ['--json', '--call-id-header', 'X-Leg=~i=(.+)'];
  const { session } = await readCapture(t, new Capture().add(call.messages).pcap(), argv);
  const rows: Id[] = [];
  let version = 0;
  const take = (table: string, row: object): void => {
    if (table === 'ids') rows.push(row as Id);
  };
  const shipper = callShipper(() => session.evidence, take, { parts: 'none', nextVersion: () => ++version });
  const d = session.dialogs.get('b') ?? assert.fail();
  const endUs = Math.ceil(session.evidence.capture.nowUs);
  const tick = async (sec: number): Promise<void> => {
    shipper.onTick(endUs + sec * 1e6);
    await shipper.settled();
  };
  await tick(0);
  const seen = (): void => shipper.onMessage(Buffer.alloc(0), 0, 0, {} as never, {} as never, d);
  seen();
  await tick(3);
  const ties = (): string[] => rows.filter(({ kind }) => kind === 'correlation').map(({ text }) => text);
  assert.deepEqual(ties().sort(), ['after-407', 'answer', 'end', 'opening']);
  // Told of again, it has nothing new.
  (session.dialogs as unknown as DialogStore).touch(d);
  seen();
  await tick(40);
  assert.equal(version, 2);
  assert.equal(ties().length, 4);
});
