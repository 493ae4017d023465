/** Where the parts of a body and its session description stand, multipart bodies included (RFC 2046 5.1). */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ByteSpan, bodyParts, findSdp, mediaTypeOf } from '../../../../src/protocols/sip/body.ts';
import { assertBounded } from '../../../helpers/bounded.ts';
import { INVITE, INVITE_LINES, message, scanned, slice, withHeader } from './messages.ts';

function parts(contentType: string, body: string | Buffer): (readonly [string, string, number])[] {
  const bytes = Buffer.concat([Buffer.from('--x\r\n'), Buffer.from(body), Buffer.from('\r\n--x--')]);
  return bodyParts(bytes, 5, bytes.length - 7, contentType).map((part) => [
    part.mediaType,
    bytes.toString('latin1', part.start, part.end),
    part.depth,
  ]);
}

/** The session description a message with this type and body holds. */
function sdpOf(contentType: string | null, body: string): string | null {
  const lines = withHeader(withHeader(INVITE_LINES, 'Content-Type', contentType), 'Content-Length', null);
  const bytes = message(lines, body);
  const span = new ByteSpan();
  return findSdp(bytes, scanned(bytes), span) ? slice(bytes, span.start, span.end) : null;
}

const MULTIPART = [
  'preamble',
  '--b 1',
  'Content-Type: text/plain',
  '',
  'hello',
  '--b 1 \t',
  'Content-Disposition: session;handling=required',
  'CONTENT-TYPE : Application/SDP ; charset=utf-8',
  '',
  'v=0',
  '--b 1--',
  'epilogue',
].join('\r\n');

describe('bodyParts', () => {
  it('gives a single body as one part', () => {
    assert.deepEqual(parts('application/sdp', 'v=0\r\n'), [['application/sdp', 'v=0\r\n', 0]]);
    assert.deepEqual(parts('application/sdp', ''), []);
  });

  it('splits at quoted and bare boundaries and leaves preamble and epilogue out', () => {
    const expected = [
      ['text/plain', 'hello', 1],
      ['application/sdp', 'v=0', 1],
    ];
    assert.deepEqual(parts('multipart/mixed; boundary="b 1"', MULTIPART), expected);
    assert.deepEqual(parts('Multipart/Mixed;x=y;BOUNDARY=q', MULTIPART.replaceAll('b 1', 'q')), expected);
  });

  it('enters one multipart inside another and no deeper', () => {
    const third = '--c\r\nContent-Type: a/b\r\n\r\ndeep\r\n--c--';
    const second = `--b\r\nContent-Type: multipart/mixed;boundary=c\r\n\r\n${third}\r\n--b\r\n\r\nplain\r\n--b--`;
    const first = `--a\r\nContent-Type: multipart/mixed;boundary=b\r\n\r\n${second}\r\n--a\r\nContent-Type: x/y\r\n\r\nlast\r\n--a--`;
    assert.deepEqual(parts('multipart/mixed;boundary=a', first), [
      ['multipart/mixed', third, 2],
      ['text/plain', 'plain', 2],
      ['x/y', 'last', 1],
    ]);
  });

  it('is binary safe and not fooled by look-alikes', () => {
    const binary = Buffer.from('--b\r\nContent-Type: a/b\r\n\r\n\0\xff\r\n--bx\r\nmid --b line\r\n--b--', 'latin1');
    assert.deepEqual(parts('multipart/mixed;boundary=b', binary), [['a/b', '\0\xff\r\n--bx\r\nmid --b line', 1]]);
  });

  it('takes LF line ends, a missing end and missing part headers', () => {
    assert.deepEqual(parts('multipart/mixed;boundary=b', '--b\nContent-Type: a/b\n\none\n--b\n\ntwo'), [
      ['a/b', 'one', 1],
      ['text/plain', 'two', 1],
    ]);
  });

  it('gives a multipart body that cannot be split as one part', () => {
    assert.deepEqual(parts('multipart/mixed', 'x'), [['multipart/mixed', 'x', 0]]);
    assert.deepEqual(parts('multipart/mixed;boundary=b', 'nothing'), [['multipart/mixed', 'nothing', 0]]);
    assert.deepEqual(parts(`multipart/mixed;boundary=${'b'.repeat(300)}`, 'x')[0]?.[2], 0);
  });

  it('is bounded and linear', () => {
    assertBounded(100, 'parts', () => {
      assert.equal(parts('multipart/mixed;boundary=b', '--b\r\n\r\nx\r\n'.repeat(5000)).length, 32);
      parts('multipart/mixed;boundary=b', '--b'.repeat(20_000));
    });
  });

  it('reads media types', () => {
    assert.equal(mediaTypeOf(' Application / SDP ;x=y'), 'application/sdp');
    assert.equal(mediaTypeOf(''), '');
  });
});

describe('findSdp', () => {
  it('finds the description itself, in a multipart body, or by its first line', () => {
    assert.equal(sdpOf('application/sdp', 'v=0\r\n'), 'v=0\r\n');
    assert.equal(sdpOf('Application/SDP;charset=utf-8', 'v=0\r\n'), 'v=0\r\n');
    assert.equal(sdpOf('multipart/mixed;boundary="b 1"', MULTIPART), 'v=0');
    assert.equal(sdpOf(null, 'v=0\r\n'), 'v=0\r\n');
  });

  it('finds none elsewhere', () => {
    assert.equal(sdpOf('application/sdpx', 'v=0\r\n'), null);
    assert.equal(sdpOf('application/isup', 'v=0\r\n'), null);
    assert.equal(sdpOf('message/sipfrag', 'v=0\r\n'), null);
    assert.equal(sdpOf('application/sdp', ''), null);
    assert.equal(sdpOf(null, 'hello'), null);
    assert.equal(sdpOf('multipart/mixed;boundary=q', MULTIPART), null);
  });

  it('finds none in a message cut inside its headers', () => {
    const cut = INVITE.subarray(0, INVITE.indexOf('Content-Length'));
    assert.equal(findSdp(cut, scanned(cut), new ByteSpan()), false);
  });
});
