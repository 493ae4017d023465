/** The examiner of captures that are handed over (`test/leaks`): what it finds in nasty captures, and which calls it takes for one. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { ALICE, answer, BOB, hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { CODEC, sdp } from '../../fixtures/build/sdp.ts';
import type { Party } from '../../fixtures/build/sip-call.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { examined, leftIn, nastyCaptures } from '../helpers/leaks.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

/** A call between two, and how late it is hung up. */
function callOf(caller: Party, callee: Party, callId: string, byeMs: number): Uint8Array {
  const call = new SipScript({ callId, caller, callee, startUs: EPOCH_US });
  const media = (party: Party): string => sdp({ media: party.rtp, codecs: [CODEC.PCMA], session: callId });
  const invite = call.request('INVITE', 0, { body: sdpBody(media(caller)) });
  answer(call, invite, media(callee));
  hangUp(call, byeMs);
  return new Capture().add(call.messages).pcap();
}

test('it reads what is planted in each nasty capture, and finds none of it in another', (t) => {
  const folder = temporaryFolder(t);
  const others = join(folder, 'others.pcap');
  writeFileSync(others, callOf(ALICE, BOB, 'somebody@pbx.example.com', 5_000));
  for (const path of nastyCaptures(folder)) {
    const found = leftIn(path, [path], ['--planted']);
    assert.ok(found.length >= 10, `${basename(path)}: ${found.join(', ')}`);
    assert.deepEqual(leftIn(path, [others], ['--planted']), [], basename(path));
  }
});

test('the examiner takes other names for the same call, and one name for two or another time for another call', (t) => {
  const folder = temporaryFolder(t);
  const write = (name: string, bytes: Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  const at = (address: string, port: number): Pick<Party, 'sip' | 'rtp'> => ({
    sip: { address, port: 5060 },
    rtp: { address, port },
  });
  const [lola, zed] = [
    { user: 'lolax', display: 'Lolax', ...at('192.0.2.77', ALICE.rtp.port) },
    { user: 'zed', ...at('198.51.100.99', BOB.rtp.port) },
  ];
  const original = write('original.pcap', callOf(ALICE, BOB, 'abc@example.org', 5_200));
  const renamed = write('renamed.pcap', callOf(lola, zed, 'qxw@rkwpzqs.org', 5_200));
  const same = write('same.pcap', callOf(lola, { ...zed, user: 'lolax' }, 'qxw@rkwpzqs.org', 5_200));
  const longer = write('longer.pcap', callOf(lola, zed, 'qxw@rkwpzqs.org', 5_300));
  assert.deepEqual(examined(['compare', original, renamed]), []);
  assert.match(examined(['compare', original, same]).join('\n'), /two become one/);
  assert.match(examined(['compare', original, longer]).join('\n'), /dialog\.duration_sec/);
});
