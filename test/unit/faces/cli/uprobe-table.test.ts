/** What --uprobe-list prints: a line a process, and what is not read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unreadLines, uprobeTable } from '../../../../src/faces/cli/uprobe-list.ts';
import type { SurveyRow } from '../../../../src/sources/tls/survey.ts';

function row(changes: Partial<SurveyRow>): SurveyRow {
  return {
    pid: 7,
    comm: 'sipd',
    file: '/usr/lib/libssl.so.3',
    isDeleted: false,
    library: 'OpenSSL',
    isObservable: true,
    foundBy: 'symbols',
    note: 'yes, at its entry',
    entryOnly: [],
    unread: [],
    records: 0,
    ...changes,
  };
}

const TITLE = 'of these functions only the entry is read:';

test('a library that is read whole names no function', () => {
  const printed = uprobeTable([row({})], ['the kernel'], 0, 2, true, false);
  assert.ok(
    printed.some((line) => /^ *7 .*sipd.*OpenSSL.*yes, at its entry.*libssl\.so\.3/.test(line)),
    printed.join('\n'),
  );
  assert.ok(!printed.includes(TITLE));
  assert.equal(printed.at(-1), '1 of 2 processes can be observed');
});

test('functions of which only the entry is read are named, once a file, in what a terminal takes', () => {
  const entryOnly = ['SSL_accept', 'SSL_do_handshake'].map((name) => ({ name, why: 'it leaves by a jump' }));
  const rows = [
    row({ entryOnly }),
    row({ pid: 8, entryOnly }),
    row({ pid: 9, file: '/opt/\x1b[31mlib', entryOnly: entryOnly.slice(1) }),
  ];
  const printed = uprobeTable(rows, ['the kernel'], 0, 3, true, false);
  const named = printed.slice(printed.indexOf(TITLE) + 1, printed.indexOf(TITLE) + 4);
  assert.equal(named[0], '  /usr/lib/libssl.so.3: SSL_accept, SSL_do_handshake');
  assert.match(named[1] ?? '', /^ {2}\/opt\/.*: SSL_do_handshake$/);
  assert.equal(named[2], '');
  assert.ok(!printed.join('').includes('\x1b'));
});

test('files that were not read are named, the first sixteen, and those that came too late are counted', () => {
  assert.deepEqual(unreadLines({ paths: [], late: 0 }), []);
  const paths = Array.from({ length: 18 }, (_, i) => `/tmp/${i}\x1b.so`);
  const [first = '', second] = unreadLines({ paths, late: 2 });
  assert.match(first, /^not looked into, because reading it takes more than 128 MiB: .*15[^ ]*\.so and 2 more$/);
  assert.ok(!first.includes('\x1b'));
  assert.equal(second, '2 files not looked into within 60 s');
});
