/** The short way finds exactly what the parser finds, and leaves everything else to it (RFC 8866 section 5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { wordsOf } from '../../../../src/core/byte-search.ts';
import { endpointKeyAddress } from '../../../../src/core/ip.ts';
import { locatePlainAudio, PlainAudio } from '../../../../src/protocols/sdp/plain-audio.ts';
import { parseSdp } from '../../../../src/protocols/sdp/sdp.ts';

const REST = ' RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\na=sendrecv\r\n';

function text(
  over: { v?: string; o?: string; s?: string; c?: string; t?: string; m?: string; rest?: string } = {},
): string {
  const {
    v = 'v=0',
    o = 'o=- 1 1 IN IP4 192.0.2.1',
    s = 's=-',
    c = 'c=IN IP4 192.0.2.1',
    t = 't=0 0',
    m = 'm=audio 4000',
    rest = REST,
  } = over;
  return `${[v, o, s, c, t, m].join('\r\n')}${rest}`;
}

/** What is found in the text, which stands amid other bytes. */
function located(body: string): { address: string; port: number; rest: string } | null {
  const buf = Buffer.from(`xx${body}9999\r\n`, 'latin1');
  const end = 2 + Buffer.byteLength(body, 'latin1');
  const out = new PlainAudio();
  if (!locatePlainAudio(buf, wordsOf(buf), 2, end, out)) return null;
  const address = endpointKeyAddress((out.v4 >>> 0) * 65_536);
  return { address, port: out.port, rest: buf.toString('latin1', out.restStart, end) };
}

test('address, port and what stands behind them', () => {
  assert.deepEqual(located(text()), { address: '192.0.2.1', port: 4000, rest: REST });
  assert.deepEqual(located(text({ c: 'c=IN IP4 255.0.10.255', m: 'm=audio 65535' })), {
    address: '255.0.10.255',
    port: 65_535,
    rest: REST,
  });
  assert.deepEqual(located(text({ c: 'c=IN IP4 0.0.0.0', m: 'm=audio 0', rest: ' ' })), {
    address: '0.0.0.0',
    port: 0,
    rest: ' ',
  });
});

test('every other form is left to the parser', () => {
  const others: Parameters<typeof text>[0][] = [
    { v: 'v=1' },
    { v: 'v=0 ' },
    { o: 'i=x' },
    { o: 'o=x\ns=y' },
    { s: 's=-\r\ni=x' },
    { c: 'c=IN IP6 ::1' },
    { c: 'c=IN IP4 192.0.2.01' },
    { c: 'c=IN IP4 192.0.2' },
    { c: 'c=IN IP4 192.0.2.256' },
    { c: 'c=IN IP4 192.0.2.1/127' },
    { c: 'c=IN IP4 192.0.2.1 ' },
    { c: 'c=IN IP4  192.0.2.1' },
    { c: 'c=IN IP4 host.example' },
    { t: 't=0 0\r\na=sendonly' },
    { t: 'b=AS:80\r\nt=0 0' },
    { m: 'm=video 4000' },
    { m: 'm=audio 4000/2' },
    { m: 'm=audio 65536' },
    { m: 'm=audio 123456' },
    { m: 'm=audio ', rest: ' RTP/AVP 0' },
    { m: 'm=audio 4000', rest: '' },
  ];
  for (const other of others) assert.equal(located(text(other)), null, JSON.stringify(other));
});

test('cut anywhere, it reads nothing behind the end', () => {
  const whole = text();
  const atPort = whole.indexOf(' RTP/AVP');
  for (let end = 0; end <= whole.length; end++) {
    const found = located(whole.slice(0, end));
    if (end <= atPort) assert.equal(found, null, `cut at ${end}`);
    else assert.deepEqual(found, { address: '192.0.2.1', port: 4000, rest: whole.slice(atPort, end) });
  }
});

test('what it accepts, the parser reads the same', () => {
  const line = fc.oneof(
    fc.constantFrom('', 'a=sendonly', 'm=audio 5 RTP/AVP 8', 'c=IN IP4 1.2.3.4', 'm=bad'),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.nat(300), { minLength: 4, maxLength: 4 }),
      fc.nat(70_000),
      fc.array(line, { maxLength: 4 }),
      fc.nat(150),
      fc.nat(255),
      (octets, port, lines, at, byte) => {
        const body = Buffer.from(
          text({
            c: `c=IN IP4 ${octets.join('.')}`,
            m: `m=audio ${port}`,
            rest: ` RTP/AVP 0\r\n${lines.join('\r\n')}`,
          }),
          'latin1',
        );
        // One damaged byte now and then.
        if (at < body.length) body[at] = byte;
        const out = new PlainAudio();
        if (!locatePlainAudio(body, wordsOf(body), 0, body.length, out)) return;
        const parsed = parseSdp(body, 0, body.length);
        assert.ok(parsed.ok);
        const [m] = parsed.value.media;
        if (m === undefined) return; // the rest was no media line after all
        assert.equal(m.type, 'audio');
        assert.equal(m.port, out.port);
        if (!m.hasOwnConnection) assert.equal(m.connection?.address, endpointKeyAddress((out.v4 >>> 0) * 65_536));
      },
    ),
    { numRuns: 2000 },
  );
});
