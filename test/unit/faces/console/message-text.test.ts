/** A raw message in parts for the page: what is folded, where lint stands, what differs; and addresses that come back whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LintFinding } from '../../../../src/contract/index.ts';
import { partsOf } from '../../../../src/faces/console/message-text.ts';
import { hashOf, routeOf } from '../../../../src/faces/console/route.ts';

const finding = (observed: string): LintFinding => ({
  rule_id: 'a-rule',
  severity: 'warning',
  basis: 'must',
  rfc: 3261,
  section: '1',
  message_index: 0,
  observed,
  expected: '',
  explanation: '',
});

const TEXT =
  'INVITE sip:b@x SIP/2.0\r\nVia: SIP/2.0/UDP a\r\nFrom: <sip:a@x>\r\nSubject: one\r\n  two\r\nMax-Forwards: 300\r\nno colon\r\n\r\nv=0\r\ns=-\r\n';

test('the usual headers come first, those that lint is about too, others are folded', () => {
  const { start, first, folded, body, lint } = partsOf(TEXT, [finding('Max-Forwards: 300'), finding('no Contact')]);
  assert.equal(start, 'INVITE sip:b@x SIP/2.0');
  assert.deepEqual(
    first.map(({ name, value, lint: about }) => [name, value, about.length]),
    [
      ['From', '<sip:a@x>', 0],
      ['Subject', 'one two', 0],
      ['Max-Forwards', '300', 1],
    ],
  );
  assert.deepEqual(
    folded.map(({ name }) => name),
    ['Via', 'no colon'],
  );
  assert.deepEqual(body, ['v=0', 's=-']);
  assert.deepEqual(
    lint.map(({ observed }) => observed),
    ['no Contact'],
  );
});

test('a finding is not put beside a header whose name only begins like it', () => {
  const { lint } = partsOf('INVITE x SIP/2.0\r\nTo: b\r\n\r\n', [finding('Too long')]);
  assert.equal(lint.length, 1);
});

test('what is no message is shown all the same', () => {
  for (const text of ['', '\r\n\r\n', ':', '\r\n x', '\0']) assert.doesNotThrow(() => partsOf(text, [finding('')]));
});

test('a Call-ID and a filter come back from the address as they were', () => {
  for (const text of ['a@b', 'a/b?c#d&e', '100%', '"<>', '../..', '\u202e']) {
    const { screen, name, query } = routeOf(hashOf('call', text, { q: text, none: '' }));
    assert.deepEqual([screen, name, query.get('q'), query.has('none')], ['call', text, text, false]);
  }
  assert.equal(routeOf('').screen, 'overview');
  assert.equal(routeOf('#/call/%zz').name, '%zz');
});
