/** Captured text in a scenario of SIPp: each form that means something to SIPp or to XML is sent as the bytes it was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyText, headText, NUL_MARK } from '../../../src/export/sipp-text.ts';
import { cpuMs } from '../../helpers/patience.ts';
import { sippReading } from '../../helpers/sipp-reading.ts';

const START = 'INVITE sip:bob@example.com SIP/2.0\r\n';

/** Bytes that SIPp sends for a message of this head and body; they hold no keyword. */
function sent(head: string, body: string): string {
  const text = body === '' ? '' : `\n\n${bodyText([{ captured: body }])}`;
  const cdata = `\n${headText([{ captured: head }])}${text}`;
  assert.match(cdata, /^[\n -~]*$/, 'printable ASCII');
  assert.ok(!/[[\]]/.test(cdata), 'no bracket of a keyword, no end of CDATA');
  for (const line of cdata.split('\n')) assert.equal(line.split('"').length % 2, 1, `quotes close: ${line}`);
  const pieces = sippReading(cdata);
  assert.ok(pieces.every((piece) => Buffer.isBuffer(piece)));
  return Buffer.concat(pieces.filter((piece) => Buffer.isBuffer(piece))).toString('latin1');
}

const HOSTILE: Readonly<Record<string, string>> = {
  'end of CDATA': ']]></send><nop><action><exec command="touch owned"/></action></nop>',
  'an action': '<exec command="touch owned">',
  'a file': '[file name=/etc/passwd]',
  'a variable': '[$1] [$peer]',
  'a field of a file': '[field0 file="/etc/passwd"]',
  'a computed answer': '[authentication username=joe password=schmo]',
  'a keyword': '[call_id] [last_message] [local_ip]',
  'a keyword in quotes': '"[local_ip]"',
  'an open bracket': '[[[',
  'an escape of SIPp': String.raw`\x5Blocal_ip\x5D \x \xZZ`,
  backslashes: String.raw`\ \\ \n \" C:\x41`,
  'an end of a comment': '--> <!-- -->',
  entities: '&lt; &#91; &amp;',
  'one quote': 'Alice" <sip:a@b>',
  'blanks at the end': 'x  \t ',
  formats: '%s%n%x $HOME `id` @ ~',
  'control bytes': '\u0001\u0008\u000b\u001b[31m\u007f',
  'a lone carriage return': 'a\rb',
  'broken UTF-8': '\u00c3(\u00ff\u00fe\u0080',
};
for (const [name, text] of Object.entries(HOSTILE)) {
  test(`${name} in a header and in a body`, () => {
    const head = `${START}X-Text: ${text}\r\nTo: x`;
    assert.equal(sent(head, ''), `${head}\r\n\r\n`);
    assert.equal(sent(`${START}To: x`, text), `${START}To: x\r\n\r\n${text}`);
    assert.equal(
      sent(`${START}To: x`, `${text}\r\n \r\n${text}\r\n`),
      `${START}To: x\r\n\r\n${text}\r\n \r\n${text}\r\n`,
    );
  });
}

test('a folded header keeps its blanks', () => {
  const head = `${START}Subject: a\r\n \t b\r\n\tc`;
  assert.equal(sent(head, ''), `${head}\r\n\r\n`);
});

test('lines of headers end with CR LF', () => {
  assert.equal(sent('BYE sip:a SIP/2.0\nTo: x\n y', ''), 'BYE sip:a SIP/2.0\r\nTo: x\r\n y\r\n\r\n');
});

test('NUL in a header gets its mark, in a body it stays', () => {
  assert.equal(sent(`${START}To: a\0b`, 'c\0d'), `${START}To: a${NUL_MARK}b\r\n\r\nc\0d`);
});

test('quotes around a keyword are written out: SIPp would look for their end beyond its text', () => {
  const text = headText([{ captured: 'A b: "x' }, { keyword: '[len]' }, { captured: '" "y"\r\nTo: "z"' }]);
  assert.equal(text, 'A b: \\x22x[len]\\x22 \\x22y\\x22\nTo: "z"');
});

test('any bytes are sent as they are', () => {
  const byte = fc.integer({ min: 0, max: 255 }).map((n) => String.fromCharCode(n));
  const special = fc.constantFrom('\r\n', '\n', '\r', ' ', '\t', '[', ']', '\\', '\\x', '"', '<', '>', '\0');
  const text = fc.array(fc.oneof(byte, special), { maxLength: 80 }).map((list) => list.join(''));
  fc.assert(
    fc.property(text, text, (value, body) => {
      const head = `${START}X: ${value.replace(/[\r\n\0]/g, '')}`;
      assert.equal(sent(head, body), `${head}\r\n\r\n${body}`);
    }),
  );
});

test('a long line of blanks or quotes takes no longer than its length', () => {
  for (const c of [' ', '"', '[', '\n', '\r\n']) {
    const tookMs = cpuMs(() => bodyText([{ captured: `a${c.repeat(500_000)}b` }]));
    assert.ok(tookMs < 5_000, c);
  }
});
