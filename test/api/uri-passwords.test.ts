/** Passwords in URIs (RFC 3261 section 19.1.1) stand in no answer: neither in lines that are drawn nor in what is listed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { readCapture } from '../helpers/read-capture.ts';
import { startApi } from './running-api.ts';

const CALLER = { address: '203.0.113.9', port: 5060 };
const CALLEE = { address: '192.0.2.2', port: 5060 };
const PASSWORD = 'S3CRET';

const message = (startLine: string, method: string, more = ''): Buffer =>
  Buffer.from(
    `${startLine}\r\nVia: SIP/2.0/UDP 203.0.113.9:5060;branch=z9hG4bK${method}\r\n` +
      `From: <sip:alice:${PASSWORD}@203.0.113.9>;tag=1\r\nTo: <sip:bob:${PASSWORD}@192.0.2.2>\r\n` +
      `Call-ID: ${method}\r\nCSeq: 1 ${method}\r\nContact: <sip:alice:${PASSWORD}@203.0.113.9>\r\n${more}` +
      'Content-Length: 0\r\n\r\n',
  );

const request = (method: string, more = '', user = 'bob'): Buffer =>
  message(`${method} sip:${user}:${PASSWORD}@192.0.2.2 SIP/2.0`, method, more);

/** Each tells of itself in more than its text: a line of the ladder, what lint quotes, a binding, where it is referred to. */
const SENT = [
  [CALLER, CALLEE, request('INVITE', `Max-Forwards: <sip:x:${PASSWORD}@y>\r\nDate: sip:x:${PASSWORD}@y\r\n`)],
  [CALLEE, CALLER, message('SIP/2.0 302 Moved', 'INVITE')],
  [CALLER, CALLEE, request('REGISTER')],
  [CALLEE, CALLER, message('SIP/2.0 200 OK', 'REGISTER', 'Expires: 3600\r\n')],
  [CALLER, CALLEE, request('REFER', `Refer-To: <sip:carol:${PASSWORD}@192.0.2.3>\r\n`)],
  // Its @ stands behind all that a line shows.
  [CALLER, CALLEE, request('OPTIONS', '', 'u'.repeat(180))],
] as const;

test('a password in a URI is in no answer', async (t) => {
  const capture = new Capture().add(
    SENT.map(([src, dst, bytes], i) => ({ tsUs: EPOCH_US + i * 1_000, src, dst, bytes })),
  );
  const { session } = await readCapture(t, capture.pcap(), ['--api', '127.0.0.1:1', '--ask']);
  const { base } = await startApi(t, { readers: session.explorer, ask: { log: () => undefined } });
  const paths = ['/v1/dialogs', '/ask/calls', '/ask/registrations'];
  for (const id of ['INVITE', 'REGISTER', 'REFER', 'OPTIONS']) {
    for (const part of ['', '/report', '/lint', '/tree', '/vcon']) paths.push(`/v1/dialogs/${id}${part}`);
    for (const part of ['', '/messages', '/ladder', '/report', '/page']) paths.push(`/ask/calls/${id}${part}`);
  }
  let shown = 0;
  for (const path of paths) {
    const answer = await fetch(`${base}${path}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, path);
    assert.ok(!text.includes(PASSWORD.slice(0, 3)), `${path}: ${text}`);
    if (text.includes('[removed]')) shown++;
  }
  // Each place says that something was there.
  assert.ok(shown >= 12, `${shown} answers`);
});
