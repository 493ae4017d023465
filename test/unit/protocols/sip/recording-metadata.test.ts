/** Recording metadata (RFC 7865), as the RFC's own example has it in shape, and against hostile text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRecordingMetadata } from '../../../../src/protocols/sip/recording-metadata.ts';

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<rec:recording xmlns:rec='urn:ietf:params:xml:ns:recording:1'>
  <!-- <session session_id="not this"/> -->
  <datamode>complete</datamode>
  <session session_id="hVpd7YQgRW2nD22h7q60JQ=="><sipSessionID>ab30317f1a784dc48ff824d0d3715d86;remote=47755a9d</sipSessionID></session>
  <participant participant_id="srfBElmCRp2QB23b7Mpk0w==">
    <nameID aor="sip:bob@example.net"><name xml:lang="it">B &amp; b</name></nameID>
  </participant>
  <participant participant_id='second'><nameID aor='sip:paul@example.net'/></participant>
  <rec:stream stream_id="UAAMm5GRQKSCMVvLyl4rFw==" session_id="hVpd7YQgRW2nD22h7q60JQ=="><label>96</label></rec:stream>
</rec:recording>`;

test('sessions, participants and streams', () => {
  assert.deepEqual(parseRecordingMetadata(XML), {
    dataMode: 'complete',
    sessions: [{ id: 'hVpd7YQgRW2nD22h7q60JQ==', sipSessionIds: ['ab30317f1a784dc48ff824d0d3715d86;remote=47755a9d'] }],
    participants: [
      { id: 'srfBElmCRp2QB23b7Mpk0w==', aor: 'sip:bob@example.net', name: 'B & b' },
      { id: 'second', aor: 'sip:paul@example.net', name: null },
    ],
    streams: [{ id: 'UAAMm5GRQKSCMVvLyl4rFw==', sessionId: 'hVpd7YQgRW2nD22h7q60JQ==', label: '96' }],
  });
});

test('what is no recording has no metadata; what is cut gives what was there', () => {
  for (const text of ['', 'hello', '<session session_id="1"/>', '<', '<!-- <recording>'])
    assert.equal(parseRecordingMetadata(text), null);
  const cut = parseRecordingMetadata(XML.slice(0, XML.indexOf('second') + 3));
  assert.equal(cut?.participants.length, 1);
});

test('any text is read in bounds', () => {
  const piece = fc.oneof(
    fc.constantFrom('<recording>', '<session session_id="', '<!--', '-->', '>', '"', '</', '<name>', '&lt;'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), (parts) => {
      const found = parseRecordingMetadata(parts.join(''));
      assert.ok(found === null || found.sessions.length <= 64);
    }),
  );
});
