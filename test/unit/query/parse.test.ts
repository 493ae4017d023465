/** What a filter means, what it prints as, and what is said of a text that is none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseFilter } from '../../../src/query/parse.ts';
import { printFilter } from '../../../src/query/print.ts';

const READING = { isUtc: true };

/** A filter, and what it prints as where that is not itself. */
const PRINTED: readonly (readonly [string, string?])[] = [
  [''],
  ['   ', ''],
  ['2001'],
  ['from:2001 to:+44*'],
  ['FROM:2001', 'from:2001'],
  ['from:2001 and to:2002', 'from:2001 to:2002'],
  ['a b or c d'],
  ['a (b or c) d'],
  ['(a b) or c', 'a b or c'],
  ['(a)', 'a'],
  ['((a or b))', 'a or b'],
  ['a or (b or c)'],
  ['a (b c)'],
  ['-tag:transferred'],
  ['not tag:transferred', '-tag:transferred'],
  ['-(a b)'],
  ['-(-a)'],
  ['-"Front desk"'],
  ['"-abc"'],
  ['-- -abc', '"-abc"'],
  ['a -- -b -c', 'a "-b" "-c"'],
  ['from=2001'],
  // What other tools write.
  ['mos < 3', 'mos<3'],
  ['mos <3.6 or loss >= 1%', 'mos<3.6 or loss>=1%'],
  ['mos< 3', 'mos<3'],
  ['from: 2001', 'from:2001'],
  ['from == 2001', 'from=2001'],
  ['from = 2001', 'from=2001'],
  ['a | b', 'a or b'],
  ['a|b', 'a or b'],
  ['a || b c', 'a or b c'],
  ['a && b', 'a b'],
  ['a & b | c', 'a b or c'],
  ['!from:x', '-from:x'],
  ['!(a b)', '-(a b)'],
  ['from!=x', '-from=x'],
  ['from != "x y"', '-from="x y"'],
  ['-from!=x', '-(-from=x)'],
  ['ua=~yealink', 'ua:~yealink'],
  ['ua !~ ^yealink', '-ua:~^yealink'],
  ['ua:~(a|b) c', 'ua:~"(a|b)" c'],
  ['fe80::1'],
  ['192.0.2.0/24'],
  ['198.51.100.27:5060', '"198.51.100.27:5060"'],
  ['pbx.example.com:5060', '"pbx.example.com:5060"'],
  ['sip:2001@192.0.2.1', '"sip:2001@192.0.2.1"'],
  ['"a|b"'],
  ['callid:"a|b"'],
  ['from:"\'a\'"'],
  ['"or"'],
  ['"a" "b"', 'a b'],
  ['503 "503" -- 503', '503 "503" "503"'],
  ['callid:-abc'],
  ['callid:"a b",c*,*d,*e*'],
  ['"a\\*"', '"a*"'],
  ['"a b"*'],
  ['*"a b"'],
  ['*'],
  ['callid:a*b', 'callid:"a*b"'],
  ['callid:"a\\"b\\\\c"'],
  ['ua:~yealink'],
  ['ua:~(yealink|snom)\\d+', 'ua:~"(yealink|snom)\\d+"'],
  ['ua:~"a, \\"b\\" \\\\c"'],
  ['ip:192.0.2.0/24,2001:db8::/32'],
  ['ip:pbx*'],
  ['code:5xx,486,400..403'],
  ['code>=500'],
  ['mos<3.6 loss>=1% jitter>30ms'],
  ['duration:1m..5m'],
  ['state:failed,canceled'],
  ['finding:one_way_audio'],
  ['since:10m until:02:00'],
  ['since:2026-11-22T02:00+01:00'],
  ['header.X-Trunk:berlin', 'header.x-trunk:berlin'],
  ['ssrc:0x1a2b3c4d'],
  ['callid:f(x)', 'callid:"f(x)"'],
  ['text:"a=sendonly"', 'text:a=sendonly'],
];

/** A text that is no filter: the part that is wrong, and the reason. */
const WRONG: readonly (readonly [text: string, part: string, reason: RegExp])[] = [
  ['frm:2001', 'frm', /^there is no key frm; did you mean from\?$/],
  ['a xyzzy:1', 'xyzzy', /^there is no key xyzzy; see --help filter for the keys, or quote the word$/],
  ['from:', '', /^the value of from is missing$/],
  ['from:a,', '', /^the value of from is missing$/],
  ['from<5', '<', /^from is not ordered; write from:VALUE$/],
  ['state:Faild', 'Faild', /^state: there is no Faild; did you mean Failed\?$/],
  ['state:zzzzzzzz', 'zzzzzzzz', /^state: there is no zzzzzzzz; write one of Trying Ringing /],
  ['finding:one-wya', 'one-wya', /did you mean one-way-audio\?$/],
  ['code:777', '777', /^code: it is not a code; write a code such as 486, 5xx or 400\.\.499$/],
  ['code:486..400', '486..400', /runs backwards/],
  ['mos<good', 'good', /^mos: it is not a number; write a number$/],
  ['jitter>30kg', '30kg', /^jitter: it is not a number; write a number with one of ms s m min h, or without$/],
  ['mos<1..2', '1..2', /^mos: a range takes ":", not "<"$/],
  ['ip:192.0.2.300', '192.0.2.300', /^ip: it is not an address; write 192\.0\.2\.1 or 192\.0\.2\.0\/24$/],
  ['ip:192.0.2.0/33', '192.0.2.0/33', /^ip: it is not a prefix length/],
  ['port:70000', '70000', /^port: write a whole number up to 65535$/],
  ['since:25:00', '25:00', /^since: it is not a time; write 10m, 02:00, /],
  ['since:2026-02-30', '2026-02-30', /it is not a time/],
  ['ua:~(', '~(', /^ua: the expression is no RE2 regular expression: missing closing \)/],
  [`ua:~${'a'.repeat(257)}`, `~${'a'.repeat(257)}`, /^ua: the expression is longer than 256 characters$/],
  ['(a', '(', /^this "\(" is not closed$/],
  ['a)', ')', /^there is no "\(" before this "\)"$/],
  ['()', '()', /^the parentheses are empty$/],
  ['a or', '', /^a word is missing beside "or"$/],
  ['or a', 'o', /^a word is missing beside "or"$/],
  ['a and', 'a', /^a word is missing beside "and"$/],
  ['a or or b', 'o', /^a word is missing beside "or"$/],
  ['- a', '-', /^a word is missing after it$/],
  ['--a', '-', /^it is negated twice$/],
  ['"abc', '"abc', /^the quote is not closed$/],
  ['ab"c"', '"', /^a quote stands inside a word/],
  ['"a"b', 'b', /^a blank is missing after the quote$/],
  ['('.repeat(33) + 'a' + ')'.repeat(33), '(', /^parentheses are deeper than 32$/],
  [Array.from({ length: 9 }, () => 'ua:~a').join(' '), '~a', /^there are more than 8 expressions$/],
];

describe('a filter', () => {
  for (const [text, printed = text] of PRINTED) {
    it(`"${text}" prints as "${printed}"`, () => {
      const parsed = parseFilter(text, READING);
      assert.ok(parsed.ok, !parsed.ok ? parsed.error.reason : '');
      assert.equal(printFilter(parsed.filter), printed);
      const again = parseFilter(printed, READING);
      assert.ok(again.ok);
      assert.equal(printFilter(again.filter), printed);
    });
  }

  for (const [text, part, reason] of WRONG) {
    it(`"${text.slice(0, 40)}" is none`, () => {
      const parsed = parseFilter(text, READING);
      assert.ok(!parsed.ok);
      const { error } = parsed;
      assert.match(error.reason, reason);
      assert.ok(error.start >= 0 && error.start <= error.end && error.end <= text.length);
      assert.equal(text.slice(error.start, error.end), part);
    });
  }

  it('has at most 4 KiB', () => {
    const parsed = parseFilter(`"${'ä'.repeat(2_048)}"`, READING);
    assert.ok(!parsed.ok);
    assert.equal(parsed.error.reason, 'the filter is longer than 4096 bytes');
    assert.ok(parseFilter('a'.repeat(4_096), READING).ok);
  });
});

/** What hands that know other tools write, and what the answer tells them to write. */
const FOREIGN: readonly (readonly [text: string, answer: string])[] = [
  ['sip.Method == "INVITE"', 'did you mean method?'],
  ['sip.Call-ID == "abc"', 'did you mean callid?'],
  ['sip.from.user == 2001', 'did you mean from?'],
  ['sip.Status-Code >= 400', 'did you mean code?'],
  ['ip.addr == 192.0.2.1', 'did you mean ip?'],
  ['ip.src==192.0.2.1', 'did you mean src?'],
  ['udp.port == 5080', 'did you mean port?'],
  ['rtp.ssrc == 0x1234', 'did you mean ssrc?'],
  ['status:503', 'did you mean code?'],
  ['caller:2001', 'did you mean from?'],
  ['callee:2001', 'did you mean to?'],
  ['call-id:abc', 'did you mean callid?'],
  ['useragent:snom', 'did you mean ua?'],
  ['loss_pct>1', 'did you mean loss?'],
  ['hangup:caller', 'did you mean ended-by?'],
  ['header:X-Foo', 'did you mean header.NAME?'],
  ['form:2001', 'did you mean from?'],
  ['host 192.0.2.1', 'write ip:192.0.2.1'],
  ['host 192.0.2.1 and port 5060', 'write ip:192.0.2.1'],
  ['port 5060', 'write port:5060'],
  ['src host', 'write src:host'],
  ['net 192.0.2.0/24', 'write ip:192.0.2.0/24'],
  ['from 2001', 'write from:2001'],
  ['from is 2001', 'write from=2001'],
  ['ua contains snom', 'write ua:*snom'],
  ['ua matches ^snom', 'write ua:~^snom'],
  ['state is not Failed', 'write -state=Failed'],
  ['mos under 3', 'write mos<3'],
  ['duration ge 5s', 'write duration>=5s'],
  ['status is 503', 'write code=503'],
  ["from:'2001'", 'write from:"2001"'],
  ['/invite/', 'write ~invite'],
  ['ua:/snom/i', 'write ua:~snom'],
  ['from:%2001%', 'write from:*2001'],
  ['duration:>5s', 'write duration>5s'],
  ['>5s', 'a key is missing before >'],
  ['duration > 5 min', 'write duration>5min'],
  ['pdd>3 seconds', 'write pdd>3s'],
  ['code:50x', 'write a code such as 486, 5xx or 400..499'],
  ['since:yesterday', 'write 10m, 02:00, 2026-11-22'],
  ['mos<low', 'write a number'],
  ['port:sip', 'write a whole number up to 65535'],
  ['ip:192.0.2.1/40', 'write 192.0.2.1 or 192.0.2.0/24'],
];

describe('a filter of other tools', () => {
  for (const [text, answer] of FOREIGN) {
    it(`"${text}" is answered: ${answer}`, () => {
      const parsed = parseFilter(text, READING);
      assert.ok(!parsed.ok, parsed.ok ? printFilter(parsed.filter) : '');
      assert.ok(parsed.error.reason.includes(answer), parsed.error.reason);
    });
  }
});
