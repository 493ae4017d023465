/** Session descriptions: what is read, what is noted, where the bounds are, and that no key gets out (RFC 8866). */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { STATIC_PAYLOADS } from '../../../../src/core/payload-types.ts';
import { codecNames, codecOf } from '../../../../src/protocols/sdp/codecs.ts';
import type { Sdp, SdpMedia } from '../../../../src/protocols/sdp/model.ts';
import { SDP_NOTE, sdpNoteNames } from '../../../../src/protocols/sdp/notes.ts';
import { parseSdp } from '../../../../src/protocols/sdp/sdp.ts';

const HEAD = ['v=0', 'o=alice 2890844526 2890842807 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.2', 't=0 0'];

function parsed(lines: readonly string[], end = '\r\n'): Sdp {
  const bytes = Buffer.from(`a=evil${lines.join(end)}${end}m=audio 1 RTP/AVP 0`);
  const result = parseSdp(bytes, 6, bytes.length - 19);
  assert.ok(result.ok);
  return result.value;
}

function media(...lines: string[]): SdpMedia {
  const section = parsed([...HEAD, ...lines]).media[0];
  assert.ok(section !== undefined);
  return section;
}

function notesOf(lines: readonly string[]): string[] {
  return sdpNoteNames(parsed(lines).notes);
}

describe('parseSdp', () => {
  it('reads an audio offer', () => {
    const sdp = parsed([
      ...HEAD,
      'm=audio 49170 RTP/AVP 0 8 97 101',
      'a=rtpmap:97 iLBC/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=fmtp:97 mode=30',
      'a=ptime:20',
      'a=maxptime:150',
      'a=sendonly',
      'a=mid:0',
    ]);
    assert.equal(sdp.origin, 'alice 2890844526 2890842807 IN IP4 192.0.2.1');
    assert.equal(sdp.sessionId, '2890844526');
    assert.equal(sdp.sessionVersion, '2890842807');
    assert.deepEqual(sdp.connection, { family: 4, address: '192.0.2.2' });
    assert.equal(sdp.notes, 0);
    assert.equal(sdp.badLines, 0);
    const section = sdp.media[0];
    assert.ok(section !== undefined);
    assert.equal(section.type, 'audio');
    assert.equal(section.port, 49170);
    assert.equal(section.portCount, 1);
    assert.equal(section.proto, 'RTP/AVP');
    assert.deepEqual(section.formats, ['0', '8', '97', '101']);
    assert.deepEqual(section.connection, { family: 4, address: '192.0.2.2' });
    assert.equal(section.hasOwnConnection, false);
    assert.equal(section.direction, 'sendonly');
    assert.equal(section.ptimeMs, 20);
    assert.equal(section.maxPtimeMs, 150);
    assert.equal(section.mid, '0');
    assert.equal(section.isActive, true);
    assert.deepEqual(
      [...section.fmtp],
      [
        [101, '0-15'],
        [97, 'mode=30'],
      ],
    );
    assert.deepEqual(codecNames(section), ['PCMU', 'PCMA', 'iLBC', 'telephone-event']);
    assert.deepEqual(codecOf(section, 8), { payloadType: 8, name: 'PCMA', clockRate: 8000, channels: 1 });
    assert.equal(codecOf(section, 100), null);
  });

  it("gives each section its own connection and direction, else the session's", () => {
    const sdp = parsed([
      ...HEAD.slice(0, 4),
      't=0 0',
      'a=inactive',
      'm=audio 22334 RTP/AVP 0',
      'c=IN IP4 198.51.100.7',
      'a=sendrecv',
      'm=video 6024 RTP/AVP 107',
      'c=IN IP6 2001:db8::1',
      'm=audio 5 RTP/AVP 0',
    ]);
    assert.deepEqual(
      sdp.media.map((section) => [section.connection?.address, section.connection?.family, section.direction]),
      [
        ['198.51.100.7', 4, 'sendrecv'],
        ['2001:db8::1', 6, 'inactive'],
        ['192.0.2.2', 4, 'inactive'],
      ],
    );
  });

  it('cuts TTL and address count off, and keeps the first of several addresses', () => {
    const section = media('m=video 49170/2 RTP/AVP 31', 'c=IN IP4 224.2.1.1/127/3', 'c=IN IP4 224.2.1.2/127');
    assert.equal(section.connection?.address, '224.2.1.1');
    assert.equal(section.portCount, 2);
    assert.equal(media('m=video 1 RTP/AVP 31', 'c=IN IP6 ff15::101/3').connection?.address, 'ff15::101');
  });

  it('reads T.38 and data channels as formats that stand for themselves', () => {
    const fax = media('m=image 4000 udptl t38', 'a=T38FaxVersion:0');
    assert.equal(fax.proto, 'udptl');
    assert.deepEqual(codecNames(fax), ['t38']);
    assert.deepEqual(codecNames(media('m=application 9 UDP/DTLS/SCTP webrtc-datachannel')), ['webrtc-datachannel']);
  });

  it('reads WebRTC attributes', () => {
    const sdp = parsed([
      ...HEAD,
      'a=group:BUNDLE 0 1',
      'a=fingerprint:sha-256 AA:BB',
      'a=ice-ufrag:sess',
      'm=audio 9 UDP/TLS/RTP/SAVPF 111 13',
      'a=rtpmap:111 opus/48000/2',
      'a=rtcp:9 IN IP4 203.0.113.1',
      'a=rtcp-mux',
      'a=ice-ufrag:F7gI',
      'a=candidate:1 1 UDP 2130706431 203.0.113.141 8998 typ host',
      'a=candidate:2 2 tcp 1694498815 2001:db8::5 45664 typ srflx raddr 10.0.1.1 rport 8998',
      'a=ssrc:1001 cname:x',
      'a=ssrc:1001 msid:y',
      'a=ssrc:4294967295 cname:x',
      'm=video 9 UDP/TLS/RTP/SAVPF 96',
      'a=rtcp:1234',
    ]);
    assert.deepEqual(sdp.bundles, [['0', '1']]);
    const [audio, video] = sdp.media;
    assert.ok(audio !== undefined && video !== undefined);
    assert.deepEqual(codecNames(audio), ['opus', 'CN']);
    assert.equal(codecOf(audio, 111)?.channels, 2);
    assert.equal(audio.rtcpPort, 9);
    assert.equal(audio.rtcpAddress, '203.0.113.1');
    assert.equal(audio.rtcpMux, true);
    assert.equal(audio.hasFingerprint, true);
    assert.equal(audio.iceUfrag, 'F7gI');
    assert.deepEqual(audio.candidates, [
      { address: '203.0.113.141', port: 8998, component: 1, type: 'host', transport: 'udp' },
      { address: '2001:db8::5', port: 45664, component: 2, type: 'srflx', transport: 'tcp' },
    ]);
    assert.deepEqual(audio.ssrcs, [1001, 4294967295]);
    assert.deepEqual([video.iceUfrag, video.rtcpPort, video.rtcpAddress], ['sess', 1234, null]);
    assert.deepEqual(codecNames(video), ['96']);
  });

  it('keeps crypto suites and never a key', () => {
    const key = 'WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz';
    const sdp = parsed([
      ...HEAD,
      'm=audio 1 RTP/SAVP 0',
      `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|1:4`,
      `a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:${key}`,
    ]);
    assert.deepEqual(sdp.media[0]?.cryptoSuites, ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32']);
    assert.equal(JSON.stringify(sdp).includes(key.slice(0, 8)), false);
  });

  it('writes encoding names as the registry does, and unknown ones as they came', () => {
    const maps = ['8 pcma', '9 g722', '97 ILBC', '98 OPUS', '101 Telephone-Event', '102 x-Own'];
    const section = media('m=audio 6000 RTP/AVP 8 9 97 98 101 102', ...maps.map((map) => `a=rtpmap:${map}/8000`));
    assert.deepEqual(codecNames(section), ['PCMA', 'G722', 'iLBC', 'opus', 'telephone-event', 'x-Own']);
  });

  it('names static types that have an rtpmap by it', () => {
    const section = media('m=audio 6000 RTP/AVP 2 0', 'a=rtpmap:2 G726-32/8000', 'a=rtpmap:0 X/1');
    assert.deepEqual(codecNames(section), ['G726-32', 'X']);
  });

  it('takes port 0 as rejected', () => {
    const section = media('m=audio 0 RTP/AVP 0');
    assert.equal(section.isActive, false);
  });

  it('takes LF and mixed line ends and a last line without one', () => {
    assert.deepEqual(sdpNoteNames(parsed([...HEAD, 'm=audio 1 RTP/AVP 0'], '\n').notes), ['bareLf']);
    const text = Buffer.from('v=0\r\no=- 1 2 IN IP4 h\ns=-\r\nt=0 0\r\nm=audio 7 RTP/AVP 0\r\nc=IN IP4 192.0.2.9');
    const result = parseSdp(text, 0, text.length);
    assert.ok(result.ok);
    assert.equal(result.value.media[0]?.connection?.address, '192.0.2.9');
    assert.deepEqual(sdpNoteNames(result.value.notes), ['bareLf']);
  });

  it('finds id and version behind a user name with blanks', () => {
    const sdp = parsed(['v=0', 'o=my phone 12 34 IN IP4 192.0.2.1 ', 's=-', 't=0 0', 'm=audio 0 RTP/AVP 0']);
    assert.deepEqual([sdp.sessionId, sdp.sessionVersion], ['12', '34']);
  });

  const NOTES: readonly [string, readonly string[], string[]][] = [
    ['nothing but v=', ['v=0'], ['noOrigin', 'noSessionName', 'noTiming', 'noMedia']],
    ['no v=', [...HEAD.slice(1), 'm=audio 1 RTP/AVP 0'], ['noVersion']],
    ['v=1', ['v=1', ...HEAD.slice(1), 'm=audio 1 RTP/AVP 0'], ['badVersion']],
    ['no c=', [...HEAD.filter((line) => !line.startsWith('c')), 'm=audio 1 RTP/AVP 0'], ['noConnection']],
    ['no c=, port 0', [...HEAD.filter((line) => !line.startsWith('c')), 'm=audio 0 RTP/AVP 0'], []],
    ['short o=', ['v=0', 'o=- 1 2', ...HEAD.slice(2), 'm=audio 1 RTP/AVP 0'], ['badOrigin']],
    ['c= without address', [...HEAD, 'c=IN IP4', 'm=audio 1 RTP/AVP 0'], ['badConnection']],
    ['c= of another type', [...HEAD, 'c=IN IP5 x', 'm=audio 1 RTP/AVP 0'], ['badConnection']],
    ['blank before =', [...HEAD, 'm=audio 1 RTP/AVP 0', 'm =video 1 RTP/AVP 31'], ['badLine']],
    ['m= without formats', [...HEAD, 'm=audio 1 RTP/AVP'], ['badMedia']],
    ['m= with a bad port', [...HEAD, 'm=audio x RTP/AVP 0', 'm=audio 65536 RTP/AVP 0'], ['badMedia']],
    ['rtpmap without a rate', [...HEAD, 'm=video 1 RTP/AVP 31', 'a=rtpmap:31 LPC'], ['badAttribute']],
    ['ptime 0', [...HEAD, 'm=audio 1 RTP/AVP 0', 'a=ptime:0'], ['badAttribute']],
    ['bad candidate', [...HEAD, 'm=audio 1 RTP/AVP 0', 'a=candidate:1 1 UDP 1 h'], ['badAttribute']],
    ['crypto without a suite', [...HEAD, 'm=audio 1 RTP/SAVP 0', 'a=crypto:1 inline:WVNfX19z'], ['badAttribute']],
    ['bad rtcp', [...HEAD, 'm=audio 1 RTP/AVP 0', 'a=rtcp:x'], ['badAttribute']],
    ['bad ssrc', [...HEAD, 'm=audio 1 RTP/AVP 0', 'a=ssrc:4294967296'], ['badAttribute']],
  ];
  for (const [name, lines, expected] of NOTES) it(`notes: ${name}`, () => assert.deepEqual(notesOf(lines), expected));

  it('counts bad lines and does not give attributes of a bad m= line to the section before', () => {
    const sdp = parsed([
      ...HEAD,
      'm=audio 1 RTP/AVP 0',
      'm=video x RTP/AVP 0',
      'a=recvonly',
      'c=IN IP4 6.6.6.6',
      'junk',
      'z',
    ]);
    assert.equal(sdp.media.length, 1);
    assert.equal(sdp.media[0]?.direction, 'sendrecv');
    assert.equal(sdp.media[0]?.connection?.address, '192.0.2.2');
    assert.equal(sdp.badLines, 3);
  });

  it('stops at its bounds with a note', () => {
    const sections = parsed([...HEAD, ...Array.from({ length: 100 }, (_, i) => `m=audio ${i + 1} RTP/AVP 0`)]);
    assert.equal(sections.media.length, 64);
    assert.ok((sections.notes & SDP_NOTE.cappedMedia) !== 0);
    const wide = parsed([...HEAD, `m=audio 1 RTP/AVP ${'0 '.repeat(500)}`]);
    assert.equal(wide.media[0]?.formats.length, 64);
    assert.ok((wide.notes & SDP_NOTE.cappedFormats) !== 0);
    const many = (line: string): Sdp => parsed([...HEAD, 'm=audio 1 RTP/AVP 0', ...new Array<string>(500).fill(line)]);
    const candidates = many('a=candidate:1 1 UDP 1 192.0.2.1 9 typ host');
    assert.equal(candidates.media[0]?.candidates.length, 32);
    assert.ok((candidates.notes & SDP_NOTE.cappedCandidates) !== 0);
    assert.equal(many('a=crypto:1 X inline:y').media[0]?.cryptoSuites.length, 16);
    assert.equal(many('a=rtpmap:96 X/8000').media[0]?.rtpmaps.length, 64);
    assert.ok((parsed([...HEAD, ...new Array<string>(5000).fill('a=x')]).notes & SDP_NOTE.cappedLines) !== 0);
  });

  it('refuses what is no description', () => {
    for (const [text, reason] of [
      ['', 'empty'],
      ['hello', 'not_sdp'],
      ['a=b\r\nc=d\r\n', 'not_sdp'],
      ['\r\n\r\n', 'not_sdp'],
      [`v=0\r\n${'x'.repeat(70_000)}`, 'too_long'],
    ] as const) {
      const bytes = Buffer.from(text);
      assert.deepEqual(parseSdp(bytes, 0, bytes.length), { ok: false, reason });
    }
  });
});

describe('static payload types', () => {
  it('has the assignments of RFC 3551', () => {
    assert.deepEqual(STATIC_PAYLOADS.get(9), { name: 'G722', clockRate: 8000, channels: 1 });
    assert.deepEqual(STATIC_PAYLOADS.get(10), { name: 'L16', clockRate: 44100, channels: 2 });
    assert.deepEqual(STATIC_PAYLOADS.get(34), { name: 'H263', clockRate: 90000, channels: 1 });
    for (const unassigned of [1, 2, 19, 20, 24, 27, 29, 30, 35, 72, 76, 96, 127]) {
      assert.equal(STATIC_PAYLOADS.has(unassigned), false, String(unassigned));
    }
    assert.equal(STATIC_PAYLOADS.size, 24);
  });
});
