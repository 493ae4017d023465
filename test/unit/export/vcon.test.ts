/**
 * vCon of the demo's and of generated calls: held against the contract and the rules of the core draft's schema that an
 * unsigned container can be held against, stable identity, no secrets.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import type { Vcon } from '../../../src/contract/index.ts';
import { packageRoot } from '../../../src/core/package.ts';
import { finish } from '../../../src/core/turns.ts';
import type { VconAudio } from '../../../src/export/vcon.ts';
import { dialogVcon, VCON_AUDIO_BYTES } from '../../../src/export/vcon.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';
import { assertDocument } from '../../api/strict-contract.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture, readCaptureFile } from '../../helpers/read-capture.ts';

const index = { type: 'integer', minimum: 0 };
const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const encoding = { enum: ['base64url', 'json', 'none'] };

/**
 * The unsigned form of draft-ietf-vcon-vcon-core in our words. Held: the required parameters, the closed lists (dialog
 * type, disposition, encoding, syntax 0.4.0), the types, and indexes. Its rule that `redacted` names a type is left out,
 * since nothing is redacted here by its meaning; the signed and encrypted forms are not made.
 */
const DRAFT = {
  type: 'object',
  required: ['uuid', 'created_at'],
  properties: {
    vcon: { const: '0.4.0' },
    uuid: { type: 'string', format: 'uuid' },
    created_at: time,
    extensions: { type: 'array', items: text },
    parties: {
      type: 'array',
      items: { type: 'object', properties: { sip: text, name: text, validation: text, type: text } },
    },
    dialog: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'start'],
        properties: {
          type: { enum: ['recording', 'text', 'transfer', 'incomplete', 'recording-set'] },
          start: time,
          duration: { type: 'number', minimum: 0 },
          parties: { type: 'array', items: index },
          originator: index,
          mediatype: text,
          encoding,
          disposition: { enum: ['no-answer', 'congestion', 'failed', 'busy', 'hung-up', 'voicemail-no-message'] },
        },
        if: { properties: { type: { const: 'incomplete' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { required: ['disposition'] },
      },
    },
    attachments: {
      type: 'array',
      items: {
        type: 'object',
        required: ['start', 'party', 'dialog'],
        properties: { start: time, party: index, dialog: index, purpose: text, mediatype: text, encoding },
      },
    },
    analysis: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'vendor'],
        properties: { type: text, vendor: text, product: text, schema: text, dialog: index, mediatype: text, encoding },
      },
    },
  },
};

const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
const isDraft = ajv.compile(DRAFT);

const NOW = Date.UTC(2026, 0, 1);

function container(session: OpenSession, d: Dialog, nowMs: number, audio: VconAudio): Vcon {
  // Held against the contract by who asks.
  return JSON.parse([...finish(dialogVcon(session.figures, d, nowMs, audio))].join('')) as Vcon;
}

function vcon(session: OpenSession, callId: string, audio: VconAudio = null): Vcon {
  const d = session.dialogs.get(callId);
  assert.ok(d !== undefined, callId);
  const document = container(session, d, NOW, audio);
  assertDocument('Vcon', document);
  assert.ok(isDraft(document), ajv.errorsText(isDraft.errors));
  return document;
}

const party = (user: string, address: string) => ({
  user,
  display: `${user} & friends`,
  agent: `${user} phone/1`,
  sip: { address, port: 5060 },
  rtp: { address, port: 20_000 },
});

/** One call that ends with this status; the INVITE has these headers. */
async function call(t: TestContext, status: number, headers: readonly (readonly [string, string])[] = []) {
  const script = new SipScript({
    callId: 'one@example.com',
    caller: party('alice', '192.0.2.1'),
    callee: party('bob', '192.0.2.2'),
    startUs: EPOCH_US,
  });
  const invite = script.request('INVITE', 0, { headers });
  script.respond(invite, 180, 100);
  script.respond(invite, status, 2000);
  script.ack(invite, status, 2010);
  const { session } = await readCapture(t, new Capture().add(script.messages).pcap());
  return session;
}

test('every dialog of the demo makes a container the draft accepts', async (t) => {
  const { session } = await readCaptureFile(t, join(packageRoot(), 'fixtures/demo/demo.pcap'));
  const uuids = new Set<string>();
  for (const d of session.dialogs.oldestFirst()) {
    const document = vcon(session, d.callId);
    uuids.add(document.uuid);
    assert.equal(document.dialog[0]?.sip_call_id, d.callId);
    const isFailed = d.finalCode >= 400 || document.dialog[0]?.type === 'incomplete';
    assert.equal(document.dialog[0]?.type, isFailed ? 'incomplete' : 'recording');
  }
  assert.equal(uuids.size, session.dialogs.size);
});

test('parties: the two sides as the wire names them, and the service as an observer', async (t) => {
  const { parties, extensions } = vcon(await call(t, 200), 'one@example.com');
  assert.deepEqual(parties, [
    {
      validation: 'none',
      sip: 'sip:alice@example.com',
      sip_contact: 'sip:alice@192.0.2.1:5060',
      sip_user_agent: 'alice phone/1',
      name: 'alice & friends',
      sip_display_name: 'alice & friends',
    },
    {
      validation: 'none',
      sip: 'sip:bob@example.com',
      sip_contact: 'sip:bob@192.0.2.2:5060',
      sip_user_agent: 'bob phone/1',
      name: 'bob & friends',
      sip_display_name: 'bob & friends',
    },
    { name: 'calltap', role: 'observer', validation: 'none', type: 'service' },
  ]);
  assert.deepEqual(extensions, ['sip-signaling']);
});

test('the trace holds every message, the completeness what was missed', async (t) => {
  const { attachments, analysis } = vcon(await call(t, 200), 'one@example.com');
  const [trace, completeness] = attachments;
  assert.equal(trace?.purpose, 'sip-message-trace');
  const { messages } = Object(trace?.body);
  assert.equal(messages.length, 4);
  assert.deepEqual(Object.keys(messages[0]), ['index', 'at', 'src', 'dst', 'transport', 'origin', 'direction', 'text']);
  assert.deepEqual(
    messages.map((m: { direction: string }) => m.direction),
    ['caller_to_callee', 'callee_to_caller', 'callee_to_caller', 'caller_to_callee'],
  );
  assert.match(messages[0].text, /^INVITE sip:bob@example\.com SIP\/2\.0\r\n/);
  assert.equal(completeness?.purpose, 'service-capture-completeness');
  assert.deepEqual(Object.keys(Object(completeness?.body)), [
    'note',
    'node',
    'service_version',
    'frames_read',
    'undecodable_frames',
    'sip_discarded_by_port_gate',
    'sip_discarded_by_websocket_gate',
    'messages_evicted',
    'dialogs_refused',
    'dialogs_rotated',
    'blind_spots',
  ]);
  assert.equal(Object(completeness?.body).frames_read, 4);
  assert.equal(analysis[0]?.schema, 'service-dialog-diagnosis/1');
  assert.equal(Object(analysis[0]?.body).final_status_code, 200);
});

for (const [status, disposition] of [
  [486, 'busy'],
  [480, 'no-answer'],
  [487, 'hung-up'],
  [503, 'congestion'],
  [404, 'failed'],
] as const)
  test(`a final ${status} makes the dialog incomplete: ${disposition}`, async (t) => {
    const [dialog] = vcon(await call(t, status), 'one@example.com').dialog;
    assert.deepEqual([dialog?.type, dialog?.disposition], ['incomplete', disposition]);
  });

test('the uuid is version 8 and stable, created_at moves', async (t) => {
  const session = await call(t, 200);
  const d = session.dialogs.get('one@example.com');
  assert.ok(d !== undefined);
  const [first, second] = [container(session, d, NOW, null), container(session, d, NOW + 5, null)];
  assert.match(first.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(first.uuid, second.uuid);
  assert.equal(Number.parseInt(first.uuid.replaceAll('-', '').slice(0, 12), 16), EPOCH_US / 1000);
  assert.notEqual(first.created_at, second.created_at);
});

test('no credentials in any corner of the container', async (t) => {
  const session = await call(t, 200, [
    ['Authorization', 'Digest username="alice", response="S3CR3T"'],
    ['Contact', '<sip:alice:S3CR3T@192.0.2.1>'],
  ]);
  assert.ok(!JSON.stringify(vcon(session, 'one@example.com')).includes('S3CR3T'));
});

test('audio goes in whole up to 5 MiB, above it is refused with a note', async (t) => {
  const session = await call(t, 200);
  const wav = new Uint8Array(VCON_AUDIO_BYTES).fill(7);
  const [whole] = vcon(session, 'one@example.com', { wav }).dialog;
  assert.deepEqual([whole?.mediatype, whole?.encoding, whole?.note], ['audio/wav', 'base64url', undefined]);
  assert.deepEqual(new Uint8Array(Buffer.from(whole?.body ?? '', 'base64url')), wav);
  const [refused] = vcon(session, 'one@example.com', { wav: new Uint8Array(VCON_AUDIO_BYTES + 1) }).dialog;
  assert.equal(refused?.body, undefined);
  assert.match(refused?.note ?? '', /5\.0 MiB, more than the 5 MiB/);
  assert.match(vcon(session, 'one@example.com', { reason: 'G729' }).dialog[0]?.note ?? '', /G729/);
});
