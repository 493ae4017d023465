/**
 * The SIP torture messages of RFC 4475 and RFC 5118, and the parser suites of other projects, from a folder outside the
 * repository (CALLTAP_TORTURE, else ../shared/torture): nothing throws or hangs, valid messages read as the RFC says,
 * invalid ones are kept and say why.
 */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { codecNames } from '../../src/protocols/sdp/codecs.ts';
import { parseSdp } from '../../src/protocols/sdp/sdp.ts';
import { ByteSpan, findSdp } from '../../src/protocols/sip/body.ts';
import { HEADER } from '../../src/protocols/sip/header-name.ts';
import { parseSip, type SipMessage } from '../../src/protocols/sip/message.ts';
import { type NameAddr, tagOf } from '../../src/protocols/sip/name-addr.ts';
import { paramValue } from '../../src/protocols/sip/params.ts';
import { SCAN, scanSip } from '../../src/protocols/sip/scanner/scan.ts';
import { MAX_MESSAGE_BYTES } from '../../src/protocols/sip/scanner/scan-bounds.ts';
import { assertBounded } from '../helpers/bounded.ts';

const MAX_MS = 2000;

function tortureFolder(): string | null {
  const fromHere = fileURLToPath(new URL('../../../../shared/torture', import.meta.url));
  const candidates = [process.env['CALLTAP_TORTURE'], fromHere, join(process.cwd(), '../shared/torture')];
  return candidates.find((path) => path !== undefined && existsSync(join(path, 'rfc4475'))) ?? null;
}

const root = tortureFolder();
const skip = root === null ? 'no torture folder: set CALLTAP_TORTURE' : false;

function bytesOf(file: string): Buffer {
  return readFileSync(join(root ?? '', file));
}

function parsed(file: string): SipMessage {
  const bytes = bytesOf(file);
  const result = parseSip(bytes, 0, bytes.length);
  assert.ok(result.ok, `${file}: ${result.ok ? '' : result.reason}`);
  return result.value;
}

function present<T>(value: T | null | undefined): T {
  assert.ok(value !== null && value !== undefined);
  return value;
}

/** Notes that say what is wrong, by file. */
const INVALID: Readonly<Record<string, readonly string[]>> = {
  'rfc4475/badinv01.dat': ['emptyParameter'],
  'rfc4475/clerr.dat': ['bodyShort'],
  'rfc4475/ncl.dat': ['badContentLength'],
  'rfc4475/scalar02.dat': ['badCseq', 'badNumber'],
  'rfc4475/scalarlg.dat': ['badCseq', 'badNumber'],
  'rfc4475/quotbal.dat': ['unbalancedQuote'],
  'rfc4475/ltgtruri.dat': ['badRequestUri'],
  'rfc4475/lwsruri.dat': ['badRequestUri'],
  'rfc4475/lwsstart.dat': ['badStartLine'],
  'rfc4475/trws.dat': ['badStartLine'],
  'rfc4475/escruri.dat': ['badRequestUri'],
  'rfc4475/baddate.dat': ['badDate'],
  'rfc4475/regbadct.dat': ['badNameAddr'],
  'rfc4475/badaspec.dat': ['badNameAddr'],
  'rfc4475/baddn.dat': ['truncatedHeaders', 'badNameAddr'],
  'rfc4475/baddn-complete.dat': ['badNameAddr'],
  'rfc4475/badvers.dat': ['badVersion'],
  'rfc4475/mismatch01.dat': ['cseqMismatch'],
  'rfc4475/mismatch02.dat': ['cseqMismatch'],
  'rfc4475/bigcode.dat': ['badStatus'],
  'rfc4475/insuf.dat': ['noCallId', 'noFrom', 'noTo'],
  'rfc4475/multi01.dat': ['duplicateSingletons'],
  'rfc4475/mcl01.dat': ['duplicateSingletons', 'bodyExtra'],
  'rfc4475/test.dat': ['badStartLine', 'badVersion', 'badHeaderLine', 'noCseq', 'noVia', 'badNameAddr'],
  'rfc5118/ipv6-bad.dat': ['badRequestUri'],
};

/** Well-formed messages whose fault a parser cannot see; see the section's rule. */
const WELL_FORMED_BUT_INVALID = new Set(['rfc4475/badbranch.dat']);

/** Notes about legal form, which do not contradict a verdict. */
const FORM_NOTES = new Set(['folded', 'compactForm', 'bodyExtra', 'nulInHeaders']);

const user = (address: NameAddr | null): string | null => present(present(address).uri).userDecoded;

/** Facts the RFC states about its valid messages. */
const VALID: Readonly<Record<string, (message: SipMessage) => void>> = {
  'rfc4475/wsinv.dat': (m) => {
    assert.equal(m.requestUriText, 'sip:vivekg@chair-dnrc.example.com;unknownparam');
    assert.equal(tagOf(present(m.to)), '1918181833n');
    assert.equal(present(m.from).displayName, 'J Rosenberg \\"');
    assert.equal(tagOf(present(m.from)), '98asjd8');
    assert.deepEqual(m.cseq, { number: 9, method: 'INVITE' });
    assert.equal(m.number(HEADER.MAX_FORWARDS), 68);
    assert.deepEqual(
      m.vias.map((via) => [via.transport, via.host, via.branch]),
      [
        ['UDP', '192.0.2.2', '390skdjuw'],
        ['TCP', 'spindle.example.com', 'z9hG4bK9ikj8'],
        ['UDP', '192.168.255.111', 'z9hG4bK30239'],
      ],
    );
    const contact = present(m.contacts[0]);
    assert.equal(contact.displayName, 'Quoted string ""');
    assert.equal(paramValue(contact.params, 'newparam'), 'newvalue');
    assert.equal(paramValue(contact.params, 'q'), '0.33');
    assert.equal(m.value(HEADER.SUBJECT), '');
    assert.equal(m.headersNamed('NewFangledHeader')[0]?.value, 'newfangled value continued newfangled value');
    assert.equal(m.body.length, 150);
  },
  'rfc4475/intmeth.dat': (m) => {
    assert.equal(m.method, "!interesting-Method0123456789_*+`.%indeed'~");
    assert.equal(m.cseq?.method, m.method);
    const uri = present(m.requestUri);
    assert.equal(uri.host, 'example.com');
    assert.equal(uri.user, "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*");
    assert.equal(uri.password, "&it+has=1,weird!*pas$wo~d_too.(doesn't-it)");
    assert.equal(present(m.to).displayName, 'BEL:\x07 NUL:\0 DEL:\x7f');
    assert.equal(tagOf(present(m.from)), "_token~1'+`*%!-.");
    assert.equal(paramValue(present(m.from).params, "fromparam''~+*_!.-%"), 'работающий');
    assert.equal(m.headersNamed("extensionHeader-!.%*+_`'~")[0]?.value, '\ufeff大停電');
  },
  'rfc4475/esc01.dat': (m) => {
    assert.equal(present(m.requestUri).userDecoded, 'sips:user@example.com');
    assert.equal(present(m.requestUri).host, 'example.net');
    assert.equal(user(m.to), 'user');
    assert.equal(user(m.from), 'I have spaces');
    assert.equal(user(present(m.contacts[0])), 'caller');
  },
  'rfc4475/escnull.dat': (m) => {
    const users = m.contacts.map((contact) => contact.uri?.user);
    assert.deepEqual(users, ['%00', '%00%00']);
    assert.equal(user(m.to), 'null-%00-null');
  },
  'rfc4475/esc02.dat': (m) => {
    assert.equal(m.scan.method, 0);
    assert.equal(m.method, 'RE%47IST%45R');
    assert.equal(present(m.to).displayName, '%Z%45');
    assert.equal(m.vias[0]?.branch, 'z9hG4bK209%fzsnel234');
    assert.equal(m.contacts.length, 2);
  },
  'rfc4475/lwsdisp.dat': (m) => assert.equal(present(m.from).displayName, 'caller'),
  'rfc4475/longreq.dat': (m) => {
    assert.equal(m.vias.length, 34);
    assert.match(user(m.from) ?? '', /^amazinglylongcallername/);
    assert.equal(tagOf(present(m.from))?.length, 155);
    assert.equal(m.callId.startsWith('longreq.onereally'), true);
  },
  'rfc4475/dblreq.dat': (m) => {
    assert.equal(m.method, 'REGISTER');
    assert.equal(m.body.length, 0);
    assert.equal(m.headersOf(HEADER.CSEQ).length, 1);
    assert.ok(m.noteNames.includes('bodyExtra'));
  },
  'rfc4475/semiuri.dat': (m) => {
    assert.equal(present(m.requestUri).userDecoded, 'user;par=u@example.net');
    assert.equal(present(m.requestUri).host, 'example.com');
    assert.equal(m.values(HEADER.ACCEPT).length, 6);
  },
  'rfc4475/transports.dat': (m) => {
    assert.deepEqual(
      m.vias.map((via) => via.transport),
      ['UDP', 'SCTP', 'TLS', 'UNKNOWN', 'TCP'],
    );
  },
  'rfc4475/mpart01.dat': (m) => {
    const parts = m.bodyParts();
    assert.deepEqual(
      parts.map((part) => [part.mediaType, part.end - part.start]),
      [
        ['text/plain', 5],
        ['application/octet-stream', 342],
      ],
    );
    assert.equal(Buffer.from(m.body.subarray(parts[0]?.start, parts[0]?.end)).toString(), 'Hello');
  },
  'rfc4475/unreason.dat': (m) => {
    assert.equal(m.status, 200);
    assert.equal(m.reasonPhrase, '= 2**3 * 5**2 но сто девяносто девять - простое');
  },
  'rfc4475/noreason.dat': (m) => {
    assert.equal(m.status, 100);
    assert.equal(m.reasonPhrase, '');
  },
  'rfc4475/unkscm.dat': (m) => assert.equal(present(m.requestUri).scheme, 'nobodyknowsthisscheme'),
  'rfc4475/novelsc.dat': (m) => assert.equal(present(m.requestUri).scheme, 'soap.beep'),
  'rfc4475/unksm2.dat': (m) => {
    assert.equal(present(m.to).uri?.scheme, 'isbn');
    assert.equal(present(m.from).uri?.scheme, 'http');
    assert.equal(tagOf(present(m.from)), '3234233');
  },
  'rfc4475/bext01.dat': (m) => assert.equal(m.values(HEADER.REQUIRE).length, 2),
  'rfc4475/invut.dat': (m) => assert.equal(m.bodyParts()[0]?.mediaType, 'application/unknownformat'),
  'rfc4475/regaut01.dat': (m) => assert.equal(m.scan.hasAuthorization, true),
  'rfc4475/bcast.dat': (m) => assert.equal(m.vias[1]?.host, '255.255.255.255'),
  'rfc4475/zeromf.dat': (m) => assert.equal(m.number(HEADER.MAX_FORWARDS), 0),
  'rfc4475/cparam01.dat': (m) => {
    const contact = present(m.contacts[0]);
    assert.equal(contact.uriText, 'sip:+19725552222@gw1.example.net');
    assert.equal(paramValue(contact.params, 'unknownparam'), null);
  },
  'rfc4475/cparam02.dat': (m) => {
    const contact = present(m.contacts[0]);
    assert.deepEqual(contact.params, []);
    assert.equal(paramValue(present(contact.uri).params, 'unknownparam'), null);
  },
  'rfc4475/regescrt.dat': (m) => {
    const uri = present(present(m.contacts[0]).uri);
    assert.deepEqual(uri.headers, [{ name: 'Route', value: '%3Csip:sip.example.com%3E' }]);
  },
  'rfc4475/sdp01.dat': (m) => assert.equal(m.bodyParts()[0]?.mediaType, 'application/sdp'),
  'rfc4475/inv2543.dat': (m) => {
    assert.equal(m.vias[0]?.branch, null);
    assert.equal(tagOf(present(m.from)), null);
    assert.equal(m.scan.contentLength, -1);
    assert.equal(user(m.from), '+13035551111');
    assert.ok(m.body.length > 100);
  },
  'rfc5118/ipv6-good.dat': (m) => {
    assert.equal(present(m.requestUri).host, '2001:db8::10');
    assert.equal(m.vias[0]?.host, '2001:db8::9:1');
    assert.equal(present(m.contacts[0]).uri?.host, '2001:db8::1');
  },
  'rfc5118/port-ambiguous.dat': (m) => {
    assert.equal(present(m.requestUri).host, '2001:db8::10:5070');
    assert.equal(present(m.requestUri).port, null);
  },
  'rfc5118/port-unambiguous.dat': (m) => {
    assert.equal(present(m.requestUri).host, '2001:db8::10');
    assert.equal(present(m.requestUri).port, 5070);
  },
  'rfc5118/via-received-param-with-delim.dat': (m) => assert.equal(m.vias[0]?.received, '2001:db8::9:255'),
  'rfc5118/via-received-param-no-delim.dat': (m) => assert.equal(m.vias[0]?.received, '2001:db8::9:255'),
  'rfc5118/mult-ip-in-header.dat': (m) => {
    assert.deepEqual(
      m.vias.map((via) => [via.isIpv6, via.port, via.received]),
      [
        [true, 6050, null],
        [false, null, null],
        [true, null, '192.0.2.200'],
      ],
    );
  },
  'rfc5118/ipv6-bug-abnf-3-colons.dat': (m) => assert.equal(present(m.requestUri).host, '2001:db8::192.0.2.1'),
  'rfc5118/ipv6-correct-abnf-2-colons.dat': (m) => assert.equal(present(m.requestUri).host, '2001:db8::192.0.2.1'),
};

/** SDP bodies: connection address and codecs of each media section. */
const BODIES: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  'rfc4475/wsinv.dat': [
    ['192.0.2.4', ['PCMU', 'QCELP']],
    ['192.0.2.4', ['LPC']],
  ],
  'rfc4475/inv2543.dat': [['192.0.2.5', ['PCMU']]],
  // Content-Length of this and the last message is a few bytes short, so the last codec name ends early.
  'rfc5118/ipv6-in-sdp.dat': [
    ['2001:db8::20', ['G726-32']],
    ['2001:db8::20', ['H263-19']],
  ],
  'rfc5118/mult-ip-in-sdp.dat': [
    ['192.0.2.1', ['PCMU']],
    ['2001:db8::1', ['H263-1998']],
  ],
  'rfc5118/ipv4-mapped-ipv6.dat': [
    ['::ffff:192.0.2.2', ['G726-32']],
    ['::ffff:192.0.2.2', ['H263-199']],
  ],
};

describe('torture messages', { skip }, () => {
  for (const folder of root === null ? [] : readdirSync(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    it(`survives ${folder.name}`, () => {
      for (const name of readdirSync(join(root ?? '', folder.name))) {
        const bytes = bytesOf(`${folder.name}/${name}`);
        assertBounded(MAX_MS, `${folder.name}/${name}`, () => {
          const result = parseSip(bytes, 0, bytes.length);
          if (result.ok) {
            const m = result.value;
            void [m.from, m.to, m.contacts, m.vias, m.cseq, m.requestUri, m.bodyParts()];
            parseSdp(bytes, m.scan.bodyStart, m.scan.bodyEnd);
          }
        });
      }
    });
  }

  for (const folder of ['rfc4475', 'rfc5118']) {
    for (const name of root === null ? [] : readdirSync(join(root, folder))) {
      const file = `${folder}/${name}`;
      const notes = INVALID[file];
      it(`${file} ${notes === undefined ? 'is valid' : `is kept and says ${notes.join(', ')}`}`, () => {
        const message = parsed(file);
        if (notes === undefined) {
          const faults = message.noteNames.filter((note) => !FORM_NOTES.has(note));
          assert.deepEqual(faults, []);
          assert.equal(message.isMalformed, false);
          if (!WELL_FORMED_BUT_INVALID.has(file)) assert.notEqual(message.callId, '');
          VALID[file]?.(message);
        } else {
          for (const note of notes) assert.ok(message.noteNames.includes(note), `${note}: ${message.noteNames}`);
          assert.equal(message.isMalformed, true);
        }
      });
    }
  }

  for (const [file, media] of Object.entries(BODIES)) {
    it(`${file}: session description`, () => {
      const bytes = bytesOf(file);
      const scan = scanSip(bytes, 0, bytes.length);
      const span = new ByteSpan();
      assert.equal(scan.code, SCAN.OK);
      assert.ok(findSdp(bytes, scan, span));
      const sdp = parseSdp(bytes, span.start, span.end);
      assert.ok(sdp.ok);
      assert.deepEqual(
        sdp.value.media.map((section) => [section.connection?.address, codecNames(section)]),
        media,
      );
    });
  }

  it('keeps what can be kept of the invalid ones', () => {
    const quotbal = present(parsed('rfc4475/quotbal.dat').to);
    assert.equal(quotbal.uriText, 'sip:j.user@example.com');
    assert.equal(quotbal.displayName, 'Mr. J. User');
    assert.equal(present(parsed('rfc4475/ltgtruri.dat').requestUri).user, 'user');
    assert.equal(parsed('rfc4475/lwsruri.dat').requestUriText, 'sip:user@example.com; lr');
    assert.equal(parsed('rfc4475/lwsstart.dat').requestUriText, 'sip:user@example.com');
    assert.equal(present(parsed('rfc4475/badaspec.dat').to).uriText, 'sip:t.watson@example.org');
    assert.equal(present(parsed('rfc4475/baddn.dat').from).displayName, 'Bell, Alexander');
    assert.equal(parsed('rfc4475/bigcode.dat').status, 0);
    assert.equal(parsed('rfc4475/scalar02.dat').cseq?.number, -1);
    assert.equal(parsed('rfc4475/multi01.dat').callId, 'multi01.98asdh@192.0.2.1');
    assert.equal(parsed('rfc4475/mcl01.dat').body.length, 13);
    assert.equal(parsed('rfc4475/ncl.dat').scan.contentLength, -2);
    assert.equal(parsed('rfc4475/test.dat').method, 'INVITE');
  });

  it('takes the second message of a datagram for one of its own', () => {
    const bytes = bytesOf('rfc4475/dblreq.dat');
    const second = scanSip(bytes, scanSip(bytes, 0, bytes.length).messageEnd, bytes.length);
    assert.equal(second.code, SCAN.OK);
    assert.equal(
      bytes.toString('latin1', second.callIdStart, second.callIdEnd),
      'dblreq.0ha0isnda977644900765@192.0.2.15',
    );
  });

  it('reads the messages other suites hold to be parsable, without the line their runner wants', () => {
    for (const name of readdirSync(join(root ?? '', 'extra-osip'))) {
      if (name.startsWith('sip-malformed')) continue;
      const bytes = bytesOf(`extra-osip/${name}`);
      const start = bytes.toString('latin1', 0, 15) === 'expected_error:' ? bytes.indexOf('\n') + 1 : 0;
      const result = parseSip(bytes, start, bytes.length);
      const expected = bytes.length - start > MAX_MESSAGE_BYTES ? 'too_long' : 'ok';
      assert.equal(result.ok ? 'ok' : result.reason, expected, name);
    }
  });
});
