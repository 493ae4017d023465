/** Which keys a filter can ask when a call begins: the table of keys itself says which answers it has then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicCall } from '../../../fixtures/build/basic-call.ts';
import { Capture } from '../../../fixtures/build/capture.ts';
import { LEVEL } from '../../../src/analysis/call-field-readers.ts';
import { KEYS } from '../../../src/query/keys.ts';
import { laterKey, passesAtStart } from '../../../src/query/known-at-start.ts';
import { parseFilter } from '../../../src/query/parse.ts';
import { passes } from '../../../src/query/passes.ts';
import { Subject } from '../../../src/query/subject.ts';
import { readCapture } from '../../helpers/read-capture.ts';

function filterOf(text: string) {
  const parsed = parseFilter(text, { isUtc: true });
  assert.ok(parsed.ok, text);
  return parsed.filter;
}

test('the first INVITE answers every other key, and the words that it holds', async (t) => {
  const invite = basicCall('start').messages.slice(0, 1);
  const { session } = await readCapture(t, new Capture().add(invite).pcap());
  const [dialog] = session.dialogs.oldestFirst();
  assert.ok(dialog !== undefined);
  const asking = { e: session.evidence, nowUs: session.evidence.capture.nowUs, nameOf: () => null };
  for (const { example } of KEYS) {
    const filter = filterOf(example);
    if (laterKey(filter) !== null) continue;
    const subject = new Subject(dialog, asking);
    subject.level = LEVEL.TEXTS;
    assert.notEqual(passes(filter, subject), null, example);
  }
  for (const text of ['from:alice', 'to:bob method:INVITE', 'ip:192.0.2.10', 'header.Max-Forwards:70', '-from:carol'])
    assert.equal(passesAtStart(filterOf(text), dialog, asking), true, text);
  assert.equal(passesAtStart(filterOf('from:carol'), dialog, asking), false);
});

test('a key that asks for what comes later is named, wherever it stands', () => {
  assert.equal(laterKey(filterOf('from:a -(to:b or mos<3)')), 'mos');
  assert.equal(laterKey(filterOf('state:Failed')), 'state');
  assert.equal(laterKey(filterOf('from:a ip:192.0.2.0/24 2001')), null);
  assert.equal(laterKey(null), null);
});
