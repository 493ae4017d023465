/** What a row of registrations says of its binding: address of record, contacts, what was asked, granted, and until when. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { callCases } from '../../../fixtures/build/calls.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { AskRegistration } from '../../../src/contract/index.ts';
import { ALL_CALLS } from '../../../src/explore/question.ts';
import { readCapture } from '../../helpers/read-capture.ts';

/** The one row of a capture. */
async function rowOf(t: TestContext, bytes: Uint8Array): Promise<AskRegistration> {
  const { session } = await readCapture(t, bytes);
  const found = await session.explorer.registrations(ALL_CALLS);
  assert.equal(found?.registrations.length, 1);
  return found?.registrations[0] as AskRegistration;
}

const caseOf = (name: string): Uint8Array => callCases().find((c) => c.name === name)?.bytes ?? new Uint8Array();
const binding = (r: AskRegistration): readonly unknown[] => [
  r.state,
  r.aor,
  r.contacts,
  r.expires_asked_sec,
  r.expires_granted_sec,
  r.expires_at,
];

test('a binding ends so many seconds after the answer that granted it', async (t) => {
  const contacts = ['sip:alice@192.0.2.10:5060'];
  const aor = 'sip:alice@example.com';
  const at = (ms: number): string => `${new Date(EPOCH_US / 1000 + ms).toISOString().slice(0, -1)}000Z`;
  const row = async (name: string): Promise<readonly unknown[]> => binding(await rowOf(t, caseOf(name)));
  assert.deepEqual(await row('register'), ['Registered', aor, contacts, 3600, 3600, at(3_600_050)]);
  assert.deepEqual(await row('register-shortened'), ['Registered', aor, contacts, 3600, 60, at(60_050)]);
  assert.deepEqual(await row('unregister'), ['Terminated', aor, contacts, 0, undefined, undefined]);
  assert.deepEqual(await row('register-expired'), ['Expired', aor, contacts, 60, undefined, undefined]);
  assert.deepEqual(await row('register-rejected'), ['Failed', aor, contacts, 3600, undefined, undefined]);
});

const PHONE = { address: '192.0.2.10', port: 5060 };
const REGISTRAR = { address: '192.0.2.1', port: 5060 };

/** REGISTERs of one Call-ID with these Contacts, each granted; the text of To may be any. */
function registers(contacts: readonly (string | null)[], to = '<sip:alice@example.com>'): Uint8Array {
  const capture = new Capture();
  contacts.forEach((contact, i) => {
    const shared = [
      `Via: SIP/2.0/UDP 192.0.2.10;branch=z9hG4bK${i}`,
      'From: <sip:alice@example.com>;tag=1',
      `To: ${to}`,
      'Call-ID: phone',
      `CSeq: ${i + 1} REGISTER`,
    ];
    const own = ['Expires: 600', ...(contact === null ? [] : [`Contact: ${contact}`])];
    const bytes = (lines: readonly string[]): Uint8Array =>
      Buffer.from([...lines, 'Content-Length: 0', '', ''].join('\r\n'));
    const asked = bytes(['REGISTER sip:example.com SIP/2.0', ...shared, ...own]);
    const tsUs = EPOCH_US + i * 1e6;
    capture.add([
      { tsUs, src: PHONE, dst: REGISTRAR, bytes: asked },
      { tsUs: tsUs + 10_000, src: REGISTRAR, dst: PHONE, bytes: bytes(['SIP/2.0 200 OK', ...shared]) },
    ]);
  });
  return capture.pcap();
}

test('a REGISTER that only asks leaves the contacts of the one before', async (t) => {
  const { contacts } = await rowOf(t, registers(['<sip:alice@192.0.2.10>', null]));
  assert.deepEqual(contacts, ['sip:alice@192.0.2.10']);
});

test('several contacts: the first eight, each cut; the longest time', async (t) => {
  const many = Array.from({ length: 12 }, (_, i) => `<sip:alice@192.0.2.${i + 1}>;expires=${(i + 1) * 100}`);
  const row = await rowOf(t, registers([many.join(', ')]));
  assert.deepEqual(
    row.contacts,
    Array.from({ length: 8 }, (_, i) => `sip:alice@192.0.2.${i + 1}`),
  );
  assert.equal(row.expires_asked_sec, 1200);
  const long = await rowOf(t, registers([`<sip:${'a'.repeat(1000)}@192.0.2.1>`]));
  assert.deepEqual(
    long.contacts.map(({ length }) => length),
    [256],
  );
  assert.deepEqual((await rowOf(t, registers(['*']))).contacts, ['*']);
});

test('an address of record has no parameters, but a user may hold a semicolon', async (t) => {
  const aorOf = async (to: string): Promise<string | undefined> => (await rowOf(t, registers(['*'], to))).aor;
  assert.equal(await aorOf('"A; <b>" <sips:alice@example.com:5061;user=phone?x=y>'), 'sips:alice@example.com:5061');
  assert.equal(await aorOf('<sip:+49;ext=5@example.com;user=phone>;x=1'), 'sip:+49;ext=5@example.com');
  assert.equal(await aorOf('<tel:+4930;x=1>'), 'tel:+4930');
});
