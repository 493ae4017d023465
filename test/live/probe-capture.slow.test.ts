/** A call over TLS that a probe reads, in the file of -O beside its media: tshark opens it, and -I makes the same call of it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { dialogDocument } from '../helpers/at-once.ts';
import { asJson } from '../helpers/json.ts';
import { readCaptureFile } from '../helpers/read-capture.ts';
import { skipWithoutTshark, tsharkSip } from '../helpers/tshark.ts';
import { ADDRESS, Agent, Lab } from './lab.ts';
import { missingForTls, named, python, rows, withPeers } from './tls-peer-lab.ts';

const skip = missingForTls('python3') || skipWithoutTshark();

test('a call over TLS with its media is handed on as one file', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const own = named(lab, 'python3');
  const path = lab.path('call.pcapng');
  const agent = await Agent.start(lab, ['--uprobe-comm', `^${own.name}$`, '-d', 'eth0', '-O', path], /uprobe ready/);
  const uas = lab.start('a', own.path, ['-u', 'tls_sip.py', 'uas', ADDRESS.a.v4, '5071', ADDRESS.a.v4]);
  await lab.said(uas, /up 5071/);
  const prefix = `file-${process.pid}`;
  const target = `sip:bob@${ADDRESS.a.v4}`;
  const uac = await python(
    lab,
    'b',
    ...['tls_sip.py', 'uac', ADDRESS.a.v4, '5071', target, ADDRESS.b.v4, prefix, '1', '0.5'],
  );
  assert.equal(await uac.ended, 0, uac.output());
  const callId = /"callId": "([^"]+)"/.exec(uac.output())?.[1] ?? '';
  const live = await agent.dialogWhen(callId, (d) => d['state'] === 'Completed' && d['msg_count'] === 6);
  assert.equal(await lab.stop(agent.running), 0, agent.running.output());

  const ends = new Set([ADDRESS.a.v4, ADDRESS.b.v4]);
  const fields = ['sip.Call-ID', '_ws.col.Source', '_ws.col.Destination', 'frame.comment', 'sip.CSeq.method'];
  const messages = tsharkSip(path, fields);
  assert.deepEqual(
    messages.map(([, , , , method]) => method),
    ['INVITE', 'INVITE', 'INVITE', 'ACK', 'BYE', 'BYE'],
  );
  for (const [id, src = '', dst = '', comment = ''] of messages) {
    assert.equal(id, callId);
    assert.deepEqual(new Set([src, dst]), ends);
    assert.match(comment, /^process \d+ \(python3[^)]*\), TLS, uprobe$/);
  }
  assert.ok(!readFileSync(path, 'latin1').includes('inline:'), 'no media key');

  const { session } = await readCaptureFile(t, path);
  const d = session.dialogs.get(callId);
  assert.ok(d !== undefined);
  const document = dialogDocument(session.evidence, d);
  const facts = ({ input_origin, state, msg_count, method, timing, sdp_timeline }: Record<string, unknown>): unknown =>
    asJson(JSON.parse(JSON.stringify({ input_origin, state, msg_count, method, timing, sdp_timeline })));
  assert.deepEqual(facts(document), facts(live));
  assert.equal(document.input_origin, 'uprobe');
  assert.equal(document.streams.length, rows(live, 'streams').length);
  assert.equal(document.streams.length, 2);
});
