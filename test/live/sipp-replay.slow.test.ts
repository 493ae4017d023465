/**
 * Calls as pairs of scenarios, replayed by two real SIPp against each other: both end well, and what they sent is what was
 * captured, header by header, but for the machinery of a dialog.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, ALICE6, BOB, BOB6, basicCall, hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { pcap } from '../../fixtures/build/pcap-file.ts';
import { CODEC, sdp } from '../../fixtures/build/sdp.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { TcpConnection } from '../../fixtures/build/tcp.ts';
import { packageRoot } from '../../src/core/package.ts';
import { finish } from '../../src/core/turns.ts';
import { sippScenarios } from '../../src/export/sipp.ts';
import { openingHop } from '../../src/export/sipp-hop.ts';
import type { Dialog } from '../../src/store/dialogs/dialog.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { readCapture, readCaptureFile } from '../helpers/read-capture.ts';
import type { ReplayOptions } from '../helpers/sipp-pair.ts';
import { answerOnce, missingSipp, replay } from '../helpers/sipp-pair.ts';

const skip = missingSipp();

/** The lines of a message, less what SIPp has in its place; lists of one name in one line. */
function comparable(message: string): string[] {
  const [head = '', ...body] = message.split('\r\n\r\n');
  const lists = new Map<string, string>();
  const [start = '', ...lines] = head.replace(/\r\n(?=[ \t])/g, '<fold>').split('\r\n');
  for (const line of lines) {
    const [, name = line, value = ''] = /^([^:]*?)\s*:\s*(.*?)\s*$/s.exec(line) ?? [];
    const before = lists.get(name);
    lists.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const headers = [...lists].map(([name, value]) => `${name}: ${maskedValue(name, value)}`);
  return [masked(start), ...headers, ...masked(body.join('\r\n\r\n')).split('\r\n')];
}

function maskedValue(name: string, value: string): string {
  if (/^(call-id|i|content-length|l|(proxy-)?authorization)$/i.test(name)) return 'ITS OWN';
  return masked(value);
}

function masked(text: string): string {
  return text
    .replace(/SIP\/2\.0\/\w+ /g, 'SIP/2.0/ANY ')
    .replace(/\[[0-9a-f]*:[0-9a-f:]+\](:\d+)?|(?<![\w.])\d+\.\d+\.\d+\.\d+(:\d+)?/g, 'HOST')
    .replace(/^([co]=.*IN IP[46] ).*$/gm, '$1HOST')
    .replace(/^(m=\w+ )\d+/gm, '$1PORT')
    .replace(/;tag=[^;>\s]+/g, ';tag=TAG')
    .replace(/branch=[^;,\s]+/g, 'branch=BRANCH')
    .replace(/;(rport|received)(=[^;,\s]+)?/g, '');
}

/** Replays the dialog and holds what was sent against its messages. */
async function assertReplayed(t: TestContext, session: OpenSession, d: Dialog, o: ReplayOptions = {}) {
  const made = finish(sippScenarios(d, session.log, { showSecrets: false, maxPauseMs: 20 }));
  assert.ok(made.ok);
  const { codes, sent, output, strangers } = await replay(t, made.value, o);
  assert.deepEqual(codes, { uac: 0, uas: 0 }, output);
  assert.deepEqual(strangers, []);
  const { messages } = finish(openingHop(d, session.log)) ?? assert.fail();
  const caller = messages[0]?.srcText;
  for (const side of ['uac', 'uas'] as const) {
    const captured = messages.filter((m) => (m.srcText === caller) === (side === 'uac'));
    assert.deepEqual(
      sent[side].map((text) => comparable(text)),
      captured.map((m) => comparable(m.bytes.toString('latin1'))),
      side,
    );
  }
  return { sent, notes: made.value.notes };
}

const FIXTURES = [
  ...['pcap/call-canceled', 'pcap/call-busy', 'pcap/call-register', 'pcap/call-auth-407', 'pcap/call-prack'],
  ...['pcap/call-transfer', 'pcap/call-compact-headers', 'hops/fork', 'hops/three-hops'],
];
test('calls of fixtures', { skip, concurrency: 3 }, async (t) => {
  await Promise.all(
    FIXTURES.map((name) =>
      t.test(name, async (sub) => {
        const { session } = await readCaptureFile(sub, join(packageRoot(), `fixtures/${name}.pcap`));
        const [d = assert.fail(name)] = session.dialogs.oldestFirst();
        await assertReplayed(sub, session, d);
      }),
    ),
  );
});

async function assertCall(t: TestContext, script: SipScript, o: ReplayOptions = {}) {
  const { session } = await readCapture(t, new Capture().add(script.messages).pcap());
  return assertReplayed(t, session, session.dialogs.get(script.callId) ?? assert.fail(), o);
}

function held(): SipScript {
  const call = basicCall('held', { byeMs: 9_000 });
  const offer = (mode: 'sendonly' | 'sendrecv') =>
    sdpBody(sdp({ media: ALICE.rtp, codecs: [CODEC.PCMU], session: 'held/a' }).replace('sendrecv', mode));
  for (const [mode, at] of [['sendonly', 3_000] as const, ['sendrecv', 4_000] as const]) {
    const again = call.request('INVITE', at, { body: offer(mode) });
    call.respond(again, 200, at + 20, { body: offer(mode) });
    call.ack(again, 200, at + 40);
  }
  return call;
}

/** As a capture between two proxies sees it. */
function throughProxies(): SipScript {
  const call = new SipScript({ callId: 'far@example.com', caller: ALICE, callee: BOB, startUs: EPOCH_US });
  const headers = [
    [
      'Via',
      'SIP/2.0/UDP 10.0.0.9:5060;branch=z9hG4bKnear;received=10.0.0.9, SIP/2.0/TCP far.example.com;branch=z9hG4bKfar',
    ],
    ['Record-Route', '<sip:192.0.2.10;lr;ftag=1>'],
    ['Record-Route', '<sip:far.example.com;lr>'],
  ] as const;
  const invite = call.request('INVITE', 0, { headers });
  call.respond(invite, 180, 10, { headers });
  call.respond(invite, 200, 20, { headers });
  call.ack(invite, 200, 30);
  hangUp(call, 40);
  return call;
}

function hungUpByCallee(): SipScript {
  const call = new SipScript({ callId: 'late@example.com', caller: ALICE6, callee: BOB6, startUs: EPOCH_US });
  const invite = call.request('INVITE', 0);
  call.respond(invite, 200, 10);
  call.ack(invite, 200, 20);
  hangUp(call, 30, 'callee');
  return call;
}

test('generated calls', { skip, concurrency: 3 }, async (t) => {
  await Promise.all([
    t.test('hold and resume', async (sub) => void (await assertCall(sub, held()))),
    t.test(
      'over IPv6, hung up by the callee',
      async (sub) => void (await assertCall(sub, hungUpByCallee(), { v6: true })),
    ),
    t.test('between proxies', async (sub) => void (await assertCall(sub, throughProxies()))),
    t.test('over TCP', async (sub) => {
      const call = basicCall('tcp', { transport: 'TCP' });
      const [client, server] = [{ ...ALICE.sip, port: 40_000 }, BOB.sip];
      const wire = new TcpConnection({ client, server, clientIsn: 1, serverIsn: 2 }).open(EPOCH_US - 10_000);
      for (const m of call.messages) wire.send(m.by === 'caller', m.tsUs, m.bytes);
      const { session } = await readCapture(sub, pcap(wire.frames()));
      await assertReplayed(sub, session, session.dialogs.get(call.callId) ?? assert.fail(), { transport: 't1' });
    }),
  ]);
});

const COMMAND = '<exec command="touch owned"/><exec int_cmd="stop_now"/>';
/** What SIPp would act on, and bytes that are no text. */
const HOSTILE = [
  `]]></send><nop><action>${COMMAND}</action></nop><send><![CDATA[`,
  `--> ${COMMAND} <!--`,
  '[file name=/etc/passwd] [file name="owned"] [$1] [field0 file="/etc/passwd"] [authentication username=x] [last_message]',
  String.raw`\x5Bcall_id\x5D \n \\ "one quote [local_ip]`,
  '%s%n%n %x $HOME `touch owned` $(touch owned) @ ~ &lt;',
  '\u0001\u001b[2J\u007f \u00c3( \u00ff',
];

test('hostile text is sent as it was, and nothing of it runs', { skip }, async (t) => {
  const call = new SipScript({
    callId: `../../owned]]>[file name=owned]`,
    caller: ALICE,
    callee: BOB,
    startUs: EPOCH_US,
  });
  const headers = [
    ...HOSTILE.map((text, i) => [`X-${i}`, text] as const),
    ['Subject', `a\r\n ${HOSTILE[2]}\r\n\t  b`] as const,
    ['X-Last', 'CSeq: 1 NOTHING'] as const,
  ];
  const body = { type: 'text/plain', text: `${HOSTILE.join('\r\n')}\r\n  blanks  \r\n\r\n${'\r\n'.repeat(3)}` };
  const invite = call.request('INVITE', 0, { headers, body });
  call.respond(invite, 180, 10, { headers, reason: `Ringing ${HOSTILE[2]}` });
  call.respond(invite, 200, 20, { headers, body });
  call.ack(invite, 200, 30, { headers });
  hangUp(call, 40, 'callee');
  const { sent } = await assertCall(t, call);
  assert.equal(sent.uac.length, 3);
});

test('hostile names stand in From, To and Contact too', { skip }, async (t) => {
  const mean = (user: string) => ({ user, display: 'x [file name=owned] ]]> \\x5B', agent: COMMAND });
  const call = basicCall('mean', {
    caller: { ...ALICE, ...mean('[$1]%00<exec>') },
    callee: { ...BOB, ...mean('[call_id]') },
  });
  await assertCall(t, call);
});

test('a body is sent to its last byte, NUL and blanks too', { skip }, async (t) => {
  const text = `\0\0a\0 \r\n\n\r \0[$1]\\x00\r\n"\r\n\r\n \t\0`;
  const call = new SipScript({ callId: 'bytes@example.com', caller: ALICE, callee: BOB, startUs: EPOCH_US });
  const message = call.request('MESSAGE', 0, { body: { type: 'application/octet-stream', text } });
  call.respond(message, 200, 10);
  const { session } = await readCapture(t, new Capture().add(call.messages).pcap());
  const d = session.dialogs.get(call.callId) ?? assert.fail();
  const made = finish(sippScenarios(d, session.log, { showSecrets: false }));
  assert.ok(made.ok);
  const datagram = (await answerOnce(t, made.value.uac)).toString('latin1');
  assert.equal(datagram.slice(datagram.indexOf('\r\n\r\n') + 4), text);
});
