/** What the first fragment of a datagram tells of a message, whoever wrote it, and how many are kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointKeyText } from '../../../src/core/ip.ts';
import { readLone } from '../../../src/ingest/lone-fragment.ts';
import { LostDatagrams } from '../../../src/store/lost-datagrams.ts';

test("what is no SIP is nobody's, and a message that is cut early names less", () => {
  const of = (text: string, proto = 17) =>
    readLone({
      tsUs: 1,
      source: 0,
      proto,
      ipVersion: 4,
      addresses: new Uint8Array(32),
      bytes: Uint8Array.from([0x13, 0xc4, 0x13, 0xc5, 0, 0, 0, 0, ...Buffer.from(text, 'latin1')]),
    });
  for (const text of ['', 'INVITE', 'HTTP/1.1 200 OK\r\n', 'HEP3\0\x40INVITE sip:b SIP/2.0', '\x80\0\0'.repeat(400)])
    assert.equal(of(text), null, JSON.stringify(text.slice(0, 20)));
  assert.equal(of('INVITE sip:b SIP/2.0\r\n', 6), null, 'TCP');
  const facts = (text: string): unknown => {
    const { method, status, cseq, callId } = of(text) ?? {};
    return [method, status, cseq, callId];
  };
  assert.deepEqual(facts('INVITE sip:b SIP/2.0\r\nVia: SIP/2.0/U'), ['INVITE', 0, -1, '']);
  assert.deepEqual(facts('SIP/2.0 200 OK\r\nCSeq: 7 INVITE\r\ni : x@y\r\n'), ['INVITE', 200, 7, 'x@y']);
  assert.deepEqual(facts('SIP/2.0 200 OK\r\nCall-ID: cut-of'), ['', 200, -1, ''], 'half a Call-ID is another one');
  assert.deepEqual(facts(`BYE sip:b SIP/2.0\r\nCall-ID: ${'x'.repeat(300)}\r\n`), ['BYE', 0, -1, '']);
  assert.equal(endpointKeyText(of('BYE sip:b SIP/2.0')?.dst ?? 0), '0.0.0.0:5061');
});

test('the newest are kept, the others counted', () => {
  const kept = new LostDatagrams();
  for (let i = 0; i < 300; i++)
    kept.add({ src: 1, dst: 2, atUs: i, source: 0, method: 'INVITE', status: 0, cseq: 1, callId: '' });
  assert.equal(kept.newest.length, 256);
  assert.equal(kept.newest.at(-1)?.atUs, 299);
  assert.equal(kept.evicted, 44);
});
