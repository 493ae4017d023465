/**
 * Captures as they are handed over (`--anonymize`), examined by a program that shares no code with the anonymizer
 * (`test/leaks`): nothing of the original is left, and calltap and tshark say the same of both.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, answer, BOB, hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { callCases } from '../../fixtures/build/calls.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { decodeMatrixCases } from '../../fixtures/build/decode-matrix.ts';
import { CODEC, sdp } from '../../fixtures/build/sdp.ts';
import type { Party } from '../../fixtures/build/sip-call.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { DEMO } from '../cli/run-program.ts';
import { examined, leftIn, mutatedCaptures, nastyCaptures } from '../helpers/leaks.ts';
import { readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { ROOT } from '../helpers/source-files.ts';

/** Mutants of each nasty capture. */
const MUTANTS = Number(process.env['CALLTAP_MUTANTS'] ?? 25);

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

/** What -O writes of a capture with a key. */
async function handedOver(t: TestContext, path: string, out: string, key: string): Promise<string> {
  const { session } = await readCaptureFile(t, path, ['-O', out, `--anonymize=${key}`]);
  session.close();
  return out;
}

test('nothing of a capture with originals in odd places is left, and calltap says the same of it', (t) => {
  for (const path of nastyCaptures(temporaryFolder(t))) {
    const options = basename(path) === 'hep.pcap' ? ['-E', '--planted'] : ['--planted'];
    assert.deepEqual(examined(['examine', ...options, path]), [], basename(path));
  }
});

test('nor of a capture of the repository', () => {
  const hops = join(ROOT, 'fixtures/hops');
  const paths = [DEMO, ...readdirSync(hops).map((name) => join(hops, name))];
  for (const path of paths) assert.deepEqual(examined(['examine', '--quick', path]), [], basename(path));
});

test('nor of any case that tests make', async (t) => {
  const folder = temporaryFolder(t);
  const bytesOf = { originals: 0, written: 0 };
  for (const [i, { name, bytes }] of [...callCases(), ...decodeMatrixCases()].entries()) {
    const path = join(folder, `${i}.pcap`);
    writeFileSync(path, bytes);
    const written: string[] = [];
    for (const key of ['a', 'b'])
      written.push(await handedOver(t, path, join(folder, `${i}-${key}.pcap`), join(folder, key)));
    assert.deepEqual(leftIn(path, written), [], name);
    bytesOf.originals += bytes.length;
    bytesOf.written += statSync(written[0] ?? '').size;
  }
  assert.ok(bytesOf.written > 0.9 * bytesOf.originals, `most of it is there: ${JSON.stringify(bytesOf)}`);
});

test('nor of one whose bytes are changed', async (t) => {
  const folder = temporaryFolder(t);
  const key = join(folder, 'key');
  for (const path of nastyCaptures(folder)) {
    const name = basename(path).replace(/\..*/, '');
    const [mutants, out] = [join(folder, name), join(folder, `${name}-out`)];
    mkdirSync(out);
    const written: string[] = [];
    for (const mutant of mutatedCaptures(path, 1, MUTANTS, mutants)) {
      written.push(await handedOver(t, mutant, join(out, basename(mutant)), key));
    }
    assert.equal(written.length, MUTANTS, name);
    assert.deepEqual(leftIn(path, written, ['--each', '--planted']), [], name);
  }
});
