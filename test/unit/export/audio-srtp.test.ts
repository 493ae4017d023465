/** The audio of calls with SRTP: what a key of the signaling opens is heard, and the file says what is silent and why. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Capture } from '../../../fixtures/build/capture.ts';
import type { Config } from '../../../src/config/config.ts';
import { Turns } from '../../../src/core/turns.ts';
import type { Explorer } from '../../../src/explore/port.ts';
import type { CallAudio } from '../../../src/export/audio.ts';
import { callAudio } from '../../../src/export/audio.ts';
import { writeAudio } from '../../../src/faces/cli/call-files.ts';
import { readCapture, temporaryFolder } from '../../helpers/read-capture.ts';
import { type SpokenPlan, spokenCall } from '../../helpers/spoken-call.ts';
import { protect } from '../../helpers/srtp-packets.ts';
import { readWav } from '../../helpers/wav.ts';

const [ALICE, BOB, OTHER] = [1, 2, 3].map((n) => Buffer.alloc(30, n)) as [Buffer, Buffer, Buffer];
/** The sequence wraps on the way. */
const FIRST = 65_500;

const sealed = (bytes: Buffer, i: number, master: Buffer): Buffer =>
  protect(bytes, (FIRST + i) >> 16, { master, tagBytes: 10 });

async function audioOf(t: TestContext, secured: NonNullable<SpokenPlan['secured']>): Promise<CallAudio> {
  const { session } = await readCapture(t, new Capture().add(spokenCall({ secured })).pcap(), ['--retain-audio']);
  const d = session.dialogs.get('a"b/../c') ?? assert.fail('no call');
  const made = await callAudio(session.evidence, d, new Turns(() => performance.now()), () => false);
  const document = made?.document ?? assert.fail('nobody waited');
  assert.ok('wav' in document, JSON.stringify(document));
  return document;
}

/** Samples that are heard, of each direction. */
const heard = ({ wav }: CallAudio): number[] => readWav(wav).channels.map((c) => c.filter((x) => x !== 0).length);

test('both directions are opened with the keys of the signaling', async (t) => {
  const audio = await audioOf(t, {
    keys: [ALICE, BOB],
    seal: (bytes, i, isCaller) => sealed(bytes, i, isCaller ? ALICE : BOB),
  });
  assert.equal(audio.isPartial, false);
  assert.equal(audio.sealed, undefined);
  assert.ok(heard(audio).every((n) => n > 15_000));
});

test('a direction whose key nobody named is silent, and the file says so', async (t) => {
  const audio = await audioOf(t, {
    keys: [ALICE, BOB],
    seal: (bytes, i, isCaller) => sealed(bytes, i, isCaller ? ALICE : OTHER),
  });
  const said = '100 of 100 SRTP packets from 192.0.2.2:5000 not decrypted (no key in the signaling fits)';
  assert.equal(audio.isPartial, true);
  assert.equal(audio.sealed, said);
  assert.ok(readWav(audio.wav).note.includes(`silent: ${said}`));
  const [caller = 0, callee = 0] = heard(audio);
  assert.ok(caller > 15_000);
  assert.equal(callee, 0);
});

test('a key that changes without signaling ends the sound, and the file says how much is missing', async (t) => {
  const audio = await audioOf(t, {
    keys: [ALICE, BOB],
    seal: (bytes, i, isCaller) => sealed(bytes, i, !isCaller ? BOB : i < 60 ? ALICE : OTHER),
  });
  assert.match(
    audio.sealed ?? '',
    /^40 of 100 SRTP packets from 192\.0\.2\.1:4000 not decrypted \(they were damaged, or/,
  );
});

test('keys that were offered for plain RTP and not taken leave it plain', async (t) => {
  const audio = await audioOf(t, { keys: [ALICE], seal: (bytes) => bytes });
  assert.equal(audio.sealed, undefined);
  assert.ok(heard(audio).every((n) => n > 15_000));
});

test('the line of --wav names what is silent', async (t) => {
  const to = join(temporaryFolder(t), 'call.wav');
  const audio: CallAudio = { wav: Buffer.alloc(4), isPartial: true, sealed: '3 of 9 SRTP packets' };
  const explorer = { audio: () => Promise.resolve(audio) } as unknown as Explorer;
  const lines = await writeAudio(explorer, { to, force: false, span: null } as Config, 'a');
  assert.deepEqual(lines, [
    `${to}: 4 bytes, partial (its comment says what is missing)`,
    'silent: 3 of 9 SRTP packets',
  ]);
});

test('plain RTP where keys were agreed is not taken for sound', async (t) => {
  const audio = await audioOf(t, {
    keys: [ALICE, BOB],
    seal: (bytes, i, isCaller) => (isCaller ? sealed(bytes, i, ALICE) : bytes),
  });
  assert.match(audio.sealed ?? '', /^100 of 100 SRTP packets from 192\.0\.2\.2:5000 not decrypted/);
});
