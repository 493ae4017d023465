/**
 * URIs of From and To without a user, or of no SIP: the host or URN is shown and found; the keys of `/v1` stay those of users.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { openingOf } from '../../../src/analysis/opening.ts';
import { finish } from '../../../src/core/turns.ts';
import { chosenSteps } from '../../../src/explore/chosen.ts';
import { COLUMNS } from '../../../src/faces/cli/columns.ts';
import { parseFilter } from '../../../src/query/parse.ts';
import { toCall } from '../../../src/view/call.ts';
import { callDocumentSteps } from '../../../src/view/documents.ts';
import { reportSteps } from '../../../src/view/report-input.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const LONG = `urn:x:${'y'.repeat(60)}`;

/** From and To, and what they are shown as; a user where the contract has one. */
const PARTIES: readonly (readonly [from: string, to: string, shown: readonly string[], users: readonly string[]])[] = [
  ['<sip:192.0.2.10>', '<urn:service:sos>', ['192.0.2.10', 'urn:service:sos'], []],
  ['<sip:@gw.example.com>', '<sip:[2001:DB8::1]:5060;lr>', ['gw.example.com', '2001:db8::1'], []],
  ['sip:Pbx.Example.COM:5080', 'urn:service:sos.fire', ['pbx.example.com', 'urn:service:sos.fire'], []],
  ['"Door" <sips:10.0.0.1?a=b>', '<im:bob@example.com>', ['10.0.0.1', 'im:bob@example.com'], []],
  ['<sip:h_1.x;user=phone>', `<${LONG}>`, ['h_1.x', LONG], []],
  ['<tel:+4930123;phone-context=x>', '<sip:2001@example.com>', ['+4930123', '2001'], ['+4930123', '2001']],
  ['<sip:%61lice@x>', '<sip::secret@y.example>', ['alice', 'y.example'], ['alice']],
  ['<>', '<sip:>', ['', ''], []],
  ['<tel:>', '<nobody>', ['', ''], []],
];

async function sessionOf(t: TestContext): Promise<OpenSession> {
  const messages = PARTIES.map(([from, to], i) => ({
    tsUs: EPOCH_US + i * 1000,
    src: { address: '198.51.100.1', port: 5060 },
    dst: { address: '198.51.100.2', port: 5060 },
    bytes: Buffer.from(
      [
        'OPTIONS sip:x@198.51.100.2 SIP/2.0',
        `Via: SIP/2.0/UDP 198.51.100.1;branch=z9hG4bKuserless${i}`,
        `From: ${from};tag=a${i}`,
        `To: ${to}`,
        `Call-ID: call${i}`,
        'CSeq: 1 OPTIONS',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
    ),
  }));
  return (await readCapture(t, new Capture().add(messages).pcap(), ['--json'])).session;
}

test('tables, documents of /ask and reports show them; /v1 leaves the keys out', async (t) => {
  const { evidence: e, dialogs } = await sessionOf(t);
  for (const [i, [, , shown, users]] of PARTIES.entries()) {
    const d = dialogs.get(`call${i}`) ?? assert.fail(`${i}`);
    const hosts = shown.map((text, side) => (users[side] === undefined && text !== '' ? text : undefined));
    const asked = toCall(e, d);
    const context = { number: 1, isUtc: true };
    assert.deepEqual(
      ['from', 'to'].map((key) => COLUMNS.get(key)?.text(asked, context)),
      shown,
    );
    assert.deepEqual([asked.from_user, asked.to_user], [users[0], users[1]]);
    assert.deepEqual([asked.from_host, asked.to_host], hosts);
    const call = finish(callDocumentSteps(e, d));
    assert.deepEqual([call.from, call.to], [users[0], users[1]]);
    assert.deepEqual([call.from_host, call.to_host], hosts);
    const document: object = dialogDocument(e, d);
    for (const key of ['from_host', 'to_host']) assert.ok(!(key in document), key);
    assert.equal('from' in document, users[0] !== undefined);
    const facts = new Map(finish(reportSteps(e, d)).facts);
    assert.ok(facts.get('From')?.includes(shown[0] ?? ''));
    assert.equal(facts.get('To'), shown[1]);
    const kinds = openingOf([], d, undefined).identifiers.map(({ kind, text }) => `${kind} ${text}`);
    for (const [side, kind] of ['from_host', 'to_host'].entries())
      assert.equal(kinds.includes(`${kind} ${hosts[side]}`), hosts[side] !== undefined);
  }
});

test('/v1 finds users alone', async (t) => {
  const { explorer } = await sessionOf(t);
  const found = async (pattern: RegExp): Promise<string[]> => {
    const list = await explorer.dialogs({ matchesFrom: (user) => pattern.test(user), offset: 0, limit: 50 });
    return (list?.dialogs ?? []).map(({ call_id }) => call_id).sort();
  };
  assert.deepEqual(await found(/./), ['call5', 'call6']);
  assert.deepEqual(await found(/192|gw|urn/), []);
  const list = await explorer.dialogs({ offset: 0, limit: 50 });
  for (const row of list?.dialogs ?? []) assert.ok(!('from_host' in row) && row.from_user !== '');
});

test('filters find them', async (t) => {
  const { evidence } = await sessionOf(t);
  const found = (filter: string): string[] => {
    const parsed = parseFilter(filter, { isUtc: true });
    assert.ok(parsed.ok, filter);
    const question = { filter: parsed.filter, sort: { by: 'created', isDescending: false } } as const;
    return finish(chosenSteps(evidence, question)).dialogs.map(({ callId }) => callId);
  };
  const WANTED: Readonly<Record<string, readonly string[]>> = {
    'from:192.0.2.10': ['call0'],
    'to:192.0.2.10': [],
    'to=urn:service:sos': ['call0'],
    'to:urn:service:sos*': ['call0', 'call2'],
    'to:URN:SERVICE:SOS.FIRE': ['call2'],
    'urn:service:sos': ['call0', 'call2'],
    'urn:service:*': ['call0', 'call2'],
    '"urn:service:sos"': ['call0', 'call2'],
    'gw.example.com': ['call1'],
    'from:gw*': ['call1'],
    'to:2001:db8::1': ['call1'],
    'pbx.example.com': ['call2'],
    'to:im:bob@example.com': ['call3'],
    [`to:${LONG}`]: ['call4'],
    'from:+4930123': ['call5'],
    'from:alice': ['call6'],
    'from:x': [],
    'to:example.com': [],
    // A user is no host.
    'user:192.0.2.10': [],
    'number:192.0.2.10': [],
    'user:2001': ['call5'],
  };
  for (const [filter, callIds] of Object.entries(WANTED)) assert.deepEqual(found(filter), callIds, filter);
});
