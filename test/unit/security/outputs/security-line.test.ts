/** What an attacker writes never becomes more than quoted text in a line. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { SecurityAlert } from '../../../../src/security/alert.ts';
import { alertText, fail2banLine, quoted } from '../../../../src/security/outputs/security-line.ts';

function alert(more: Partial<SecurityAlert> = {}): SecurityAlert {
  return {
    kind: 'scanner',
    behaviour: 'known-tool',
    source: '192.0.2.1',
    net: null,
    atUs: 1_795_255_200_123_000,
    method: 'OPTIONS',
    userAgent: 'friendly-scanner',
    evidence: {
      firstUs: 0,
      lastUs: 2e6,
      count: 51,
      methods: new Map([['OPTIONS', 51]]),
      codes: new Map([[404, 50]]),
      targets: [],
    },
    ...more,
  };
}

it('the fixed form', () => {
  const begin = new Date(1_795_255_200_123).toISOString();
  assert.equal(
    fail2banLine(alert(), 7),
    `${begin} calltap[7]: SCANNER from=192.0.2.1 method=OPTIONS ua="friendly-scanner"`,
  );
  assert.equal(fail2banLine(alert({ kind: 'reg-flood' }), 7), `${begin} calltap[7]: REG_FLOOD from=192.0.2.1 count=51`);
  const six = { source: '2001:db8::1', net: '2001:db8::/64' } as const;
  assert.equal(
    fail2banLine(alert({ kind: 'reg-flood', ...six }), 7),
    `${begin} calltap[7]: REG_FLOOD from=2001:db8::1 net=2001:db8::/64 count=51`,
  );
  assert.equal(
    fail2banLine(alert(six), 7),
    `${begin} calltap[7]: SCANNER from=2001:db8::1 net=2001:db8::/64 method=OPTIONS ua="friendly-scanner"`,
  );
  assert.match(alertText(alert(six)), /^scanner from=2001:db8::1 net=2001:db8::\/64 behaviour=known-tool /);
  assert.equal(fail2banLine(alert({ kind: 'fraud' }), 7), null);
});

it('quotes, backslashes, line ends, NUL and other scripts are escaped', () => {
  assert.equal(quoted('a"b\\c\r\n\0\x7fé€😀'), '"a\\"b\\\\c\\x0d\\x0a\\x00\\x7f\\xe9\\u{20ac}\\u{1f600}"');
  assert.equal(quoted('x'.repeat(300)).length, 205);
});

it('is one line of printable ASCII with one address, whatever was sent', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '" from=9.9.9.9',
      '\n2026-01-01T00:00:00.000Z calltap[1]: SCANNER from=8.8.8.8',
      '\\" calltap[1]: ',
    ),
  );
  fc.assert(
    fc.property(hostile, hostile, (userAgent, target) => {
      const a = alert({ userAgent, evidence: { ...alert().evidence, targets: [target] } });
      for (const line of [fail2banLine(a, 7) ?? '', alertText(a)]) assert.match(line, /^[\x20-\x7e]*$/);
      assert.match(
        fail2banLine(a, 7) ?? '',
        /^\S+ calltap\[7\]: SCANNER from=192\.0\.2\.1 method=OPTIONS ua="(?:[^"\\]|\\.)*"$/,
      );
    }),
  );
});

it('a line for people says who, what and on which evidence', () => {
  assert.equal(
    alertText(alert()),
    'scanner from=192.0.2.1 behaviour=known-tool count=51; within 2.0 s; methods: OPTIONS x51; answers: 404 x50; ua="friendly-scanner"',
  );
});
