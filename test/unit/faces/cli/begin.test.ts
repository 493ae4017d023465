/** What `calltap` alone says of interfaces: those that are up first, names as a terminal can show them, and not hundreds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginText } from '../../../../src/faces/cli/begin.ts';

const listed = (text: string): string[] =>
  text.split('Interfaces of this host:\n')[1]?.split('\n\n')[0]?.split('\n') ?? [];

test('interfaces that are up and have an address come first', () => {
  const text = beginText([
    { name: 'docker0', isUp: false, addresses: ['172.17.0.1'] },
    { name: 'ens4', isUp: true, addresses: [] },
    { name: 'ens3', isUp: true, addresses: ['192.0.2.7', '2001:db8::7'] },
  ]);
  assert.deepEqual(listed(text), [
    '  -d ens3     up    192.0.2.7 2001:db8::7',
    '  -d ens4     up',
    '  -d docker0  down  172.17.0.1',
  ]);
});

test('a host of containers gets a short list, and one without interfaces says so', () => {
  const many = Array.from({ length: 300 }, (_, i) => ({ name: `veth${i}`, isUp: true, addresses: [] }));
  assert.equal(listed(beginText(many)).length, 13);
  assert.equal(listed(beginText(many)).at(-1), '  and 288 more');
  assert.deepEqual(listed(beginText([])), ['  none']);
});

test('a name that could steer a terminal is shown without that', () => {
  assert.doesNotMatch(beginText([{ name: 'a\u001b[31m', isUp: true, addresses: [] }]), /\u001b/);
});
