/** Options that need or exclude others: one line that names both, in every form, and nothing where they are only printed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configErrorLine, loadConfig } from '../../../src/config/config.ts';
import { OPTIONS, optionByFlag } from '../../../src/config/options.ts';
import { nameOf } from '../../../src/config/relations.ts';

function lineOf(argv: readonly string[]): string | null {
  const result = loadConfig({ argv, env: {} });
  return result.ok ? null : configErrorLine(result.error);
}

/** [what is wrong, what goes right] */
const CASES: readonly (readonly [wrong: string, line: RegExp, right: string])[] = [
  [
    '-I a --json --call-report x',
    /--call-report: it cannot be combined with --json; give one/,
    '-I a --json --show trunks',
  ],
  [
    '-I a --trunks --filter x',
    /--filter: --show trunks counts all calls, and takes no filter;/,
    '-I a --show findings --filter x',
  ],
  ['-I a --overview --filter x', /--filter: --show overview counts all calls/, '-I a --overview --filter x -O f'],
  ['-I a --trunks --overview', /--overview: it cannot be combined with --show trunks; give one/, '-I a --overview'],
  [
    '-I a --overview --show findings',
    /--overview: it cannot be combined with --show findings/,
    '-I a --trunks --show trunks',
  ],
  ['-I a --csv --messages x', /--messages: it cannot be combined with --csv; give one/, '-I a --json --messages x'],
  ['-I a --csv --json --show trunks', /--csv: it cannot be combined with --json/, '-I a --csv --compare x --compare y'],
  ['-I a --json --messages x --raw', /--raw: it cannot be combined with --json/, '-I a --messages x'],
  ['-i a --limit 5', /--limit: it cannot be combined with -i/, 'a --limit 5'],
  [
    '-I a --markdown',
    /--markdown: it requires --call-report; add --call-report CALL$/,
    '-I a --markdown --call-report x',
  ],
  ['-I a --html', /--html: it requires --call-report; add --call-report CALL$/, '-I a --html --call-report x'],
  [
    '-I a --html --markdown --call-report x',
    /--html: it cannot be combined with --markdown; give one of them$/,
    '-I a --html --call-report x --to f --force',
  ],
  [
    '-I a --call-report x --to f',
    /--to: it requires --wav or --sipp or --html; add --wav CALL or --sipp CALL or --html$/,
    '-I a --call-report x --html --to f',
  ],
  ['a --mcp-stdio --filter x', /^calltap: --mcp-stdio: each tool has a filter of its own;/, 'a --mcp-stdio'],
  [
    'a --token-id x --metrics-auth a:b --metrics-auth-file f',
    /^calltap: --metrics-auth-file: it cannot be combined with --metrics-auth; give one of them$/,
    'a --metrics 1 --metrics-auth a:b',
  ],
  ['-I a --fail2ban --json', /--fail2ban: its lines would mix/, '-I a --fail2ban'],
  [
    '-I a --kill-response',
    /--kill-response: it requires --kill-scanner; add --kill-scanner$/,
    '-I a --kill-response --kill-ua x',
  ],
  ['-I a --kill-response --fraud --alert syslog', /requires --kill-scanner/, '-I a --kill-response --alert syslog'],
  ['-I a --syslog', /--syslog: it requires --alert; add --alert syslog$/, '-I a --syslog --alert syslog'],
  ['-I a --fraud-night 22-6', /--fraud-night: it requires --fraud; add --fraud$/, '-I a --fraud-night 22-6 --fraud'],
  ['-I a -d lo', /-I: a run reads capture files or live sources, not both/, '-d lo'],
  ['-L 1', /-L: it requires -E; add -E$/, '-L 1 -E'],
  ['-d lo --hep-listen-cert c --hep-listen-key k', /--hep-listen-cert: it requires -L; add -L ADDR$/, '-L 1 -E'],
  [
    '-L 1 -E --hep-listen-cert c',
    /--hep-listen-cert: it requires --hep-listen-key; add/,
    '-L 1 -E --hep-listen-cert c --hep-listen-key k',
  ],
  ['-L 1 -E --hep-listen-key k', /--hep-listen-key: it requires --hep-listen-cert; add/, '-L 1 -E'],
  ['-L 1 -E --hep-listen-client-ca c', /--hep-listen-client-ca: it requires --hep-listen-cert; add/, '-L 1 -E'],
  ['-d lo --hep-allow ::/0', /--hep-allow: it requires -L; add -L ADDR$/, '-L 1 -E --hep-allow ::/0'],
  ['-d lo --hep-auth k', /--hep-auth: it requires -L/, '-L 1 -E --hep-auth k'],
  ['-d lo --split 1h', /--split: it requires -O; add -O FILE$/, '-d lo --split 1h -O x'],
  ['-d lo -O x --keep 5', /--keep: it requires --split; add --split SIZE\|TIME$/, '-d lo -O x --split 1h --keep 5'],
  [
    '-d lo -O /dev/null --split call',
    /--split call: -O \/dev\/null is not a folder; make/,
    '-d lo -O /tmp --split call',
  ],
  ['-d lo -O /tmp/none-such --split call', /is not a folder/, '-I a -O /tmp --split call'],
  [
    '-d lo -O /tmp --split call --keep 5',
    /--split call: it cannot be combined with --keep;/,
    '-d lo -O x --split 1h --keep 5',
  ],
  ['-L 1 -E -O /tmp --split call', /--split call: only -d and -I have frames/, '-L 1 -E -d lo -O /tmp --split call'],
  ['-d lo -O -', /-O -: standard output/, '-d lo -O x'],
  ['-d lo --hep-node x', /--hep-node: it requires -H; add -H ADDR$/, '-d lo --hep-node x -H 9060'],
  ['-d lo --hep-send-auth x', /--hep-send-auth: it requires -H/, '-d lo --hep-send-auth x -H 9060'],
  ['-d lo -H 0', /-H: nobody listens on port 0/, '-d lo -H 9060'],
  ['-I a --user x', /--user: reading a file needs no privileges/, '-d lo --user x'],
  ['-I a --no-promisc', /--no-promisc: it requires -d; add -d IFACE$/, '-d lo --no-promisc'],
  [
    '-I a --uprobe-ring-bytes 1M',
    /it requires --uprobe or --uprobe-list or --check; add --uprobe or --uprobe-list or --check$/,
    '--uprobe --uprobe-ring-bytes 1M',
  ],
  [
    '-I a --token-id x',
    /--token-id: it requires --mint-token; add --mint-token$/,
    '--mint-token --api-signing-key k --token-id x',
  ],
];

for (const [wrong, line, right] of CASES) {
  test(`${wrong} is refused, ${right} is not`, () => {
    assert.match(lineOf(wrong.split(' ')) ?? 'accepted', line);
    assert.equal(lineOf(right.split(' ')), null);
    assert.equal(lineOf([...wrong.split(' '), '--print-config']), null);
  });
}

test('a default and a refusal are no use of an option', () => {
  assert.equal(lineOf(['-I', 'a']), null);
  assert.ok(loadConfig({ argv: ['-I', 'a'], env: { CALLTAP_SYSLOG: '0', CALLTAP_NO_PROMISC: '1' } }).ok);
});

test('what an option needs has the name that is used', () => {
  assert.deepEqual(optionByFlag('markdown').needs?.map(nameOf), ['--call-report']);
  assert.deepEqual(optionByFlag('user').needs?.map(nameOf), ['-d', '-L', '--uprobe']);
});

test('each option that a row needs, excludes or implies is another row', () => {
  const flags = new Set(OPTIONS.map(({ flag }) => flag));
  for (const { flag, needs = [], excludes = [], implies } of OPTIONS) {
    for (const other of [...needs, ...excludes, ...(implies === undefined ? [] : [implies.flag])])
      assert.ok(flags.has(other) && other !== flag, `--${flag} names --${other}`);
  }
});
