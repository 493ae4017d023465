/** The examiner that handed captures are held to (`test/leaks`): it finds each original in each spelling, and nothing in others' captures. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { ALICE, BOB } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { leftIn } from '../helpers/leaks.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

const SECRET = 'zanderson-voss';
const NUMBER = '4930901820475';
const [FROM, TO] = [
  { address: '192.0.2.10', port: 40_000 },
  { address: '198.51.100.20', port: 514 },
];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What an anonymizer may leave behind of a user, a spelling each. */
const SPELLED: Readonly<Record<string, Uint8Array | string>> = {
  'as it is': `by ${SECRET}.`,
  'in capitals': SECRET.toUpperCase(),
  'with escapes': `sip:${[...SECRET].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')}@x`,
  'with quoted pairs': `"${SECRET.replaceAll('s', '\\s')}"`,
  folded: SECRET.replace('-', '-\r\n\t'),
  'in base64': base64(`${SECRET} calls`),
  'in base64, one on': base64(`.${SECRET} calls`),
  'in base64, two on': base64(`..${SECRET} calls`),
  'in base64 of a URL': Buffer.from(`\u00ff\u00fe${SECRET} calls`).toString('base64url'),
  'in hex': Buffer.from(SECRET).toString('hex'),
  'in UTF-16': Buffer.from(SECRET, 'utf16le'),
  'in gzip': gzipSync(SECRET),
  'in zlib': deflateSync(SECRET),
  'in hex of base64': Buffer.from(base64(SECRET)).toString('hex'),
};

/** A capture of one datagram. */
function holding(bytes: Uint8Array | string): Uint8Array {
  const datagram = { tsUs: EPOCH_US, src: FROM, dst: TO, bytes: Buffer.from(bytes) };
  return new Capture().add([datagram]).pcap();
}

function called(user: string): Uint8Array {
  const caller = { ...ALICE, user };
  const call = new SipScript({ callId: 'spelled@host.invalid', caller, callee: BOB, startUs: EPOCH_US });
  call.request('OPTIONS', 0);
  return new Capture().add(call.messages).pcap();
}

test('it finds an original in each spelling', (t) => {
  const folder = temporaryFolder(t);
  const original = join(folder, 'original.pcap');
  writeFileSync(original, called(SECRET));
  const missed = Object.entries(SPELLED).filter(([name, bytes]) => {
    const path = join(folder, `${name}.pcap`);
    writeFileSync(path, holding(bytes));
    return !leftIn(original, [path]).includes(`user ${SECRET}`);
  });
  assert.deepEqual(
    missed.map(([name]) => name),
    [],
  );
});

test('it finds a number whose nibbles are swapped', (t) => {
  const folder = temporaryFolder(t);
  const [original, path] = [join(folder, 'original.pcap'), join(folder, 'other.pcap')];
  writeFileSync(original, called(`+${NUMBER}`));
  const digits = `${NUMBER}f`.replaceAll(/(.)(.)/g, '$2$1');
  writeFileSync(path, holding(Buffer.from(`00${digits}00`, 'hex')));
  assert.ok(leftIn(original, [path]).includes(`user ${NUMBER}`));
});

test('it tells an original only if it is in what was written with every key', (t) => {
  const folder = temporaryFolder(t);
  const [original, one, other] = [join(folder, 'original.pcap'), join(folder, 'one.pcap'), join(folder, 'other.pcap')];
  writeFileSync(original, called(SECRET));
  writeFileSync(one, holding(`by ${SECRET}`));
  writeFileSync(other, holding('by somebody'));
  assert.notDeepEqual(leftIn(original, [one]), []);
  assert.deepEqual(leftIn(original, [one, other]), leftIn(original, [other]));
});
