/** Over real sockets: what is asked for while the documents of large dialogs are made is answered between their steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Busy } from '../../src/explore/refusal.ts';
import { asJson } from '../helpers/json.ts';
import { largeDialog } from '../helpers/large-dialog.ts';
import { readCapture } from '../helpers/read-capture.ts';
import { startApi } from './running-api.ts';
import { assertDocument } from './strict-contract.ts';

const CONTACTS = `Contact: ${'<sip:a@192.0.2.9>;expires=1;q=0.5,'.repeat(200)}<sip:b@192.0.2.9>\r\n`;

test('while eight lints and containers of 400 messages of 60 KB are made, health is answered', {
  timeout: 120_000,
}, async (t) => {
  const capture = largeDialog(400, 60_000, { lines: () => CONTACTS });
  const { session } = await readCapture(t, capture.pcap(), ['--api', '127.0.0.1:1']);
  const { base } = await startApi(t, { readers: session.explorer });
  for (const document of ['lint', 'vcon']) {
    let made = 0;
    let between = 0;
    const asked = Array.from({ length: 8 }, async () => {
      const answer = await fetch(`${base}/v1/dialogs/large/${document}`);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      const body: unknown = await answer.json();
      made++;
      return body;
    });
    // Whatever the machine is like: each of these is answered before all of those are, and more of them than there are
    // documents. A pause keeps them below the limit of requests.
    while (made < 8) {
      await pause(15);
      assert.equal(await (await fetch(`${base}/health`)).text(), 'ok');
      if (made < 8) between++;
    }
    for (const body of await Promise.all(asked)) assertDocument(document === 'lint' ? 'LintResult' : 'Vcon', body);
    assert.ok(between > 12, `${between} answers while ${document} was made`);
  }
});

test('one more than may wait is refused with a problem and when to come back', async (t) => {
  const busy = () => Promise.reject(new Busy());
  const { session } = await readCapture(t, largeDialog(2, 10).pcap(), ['--api', '127.0.0.1:1']);
  const readers = session.explorer;
  const { base } = await startApi(t, {
    readers: { ...readers, dialog: busy, report: busy, lint: busy, vcon: busy, audio: busy, tree: busy, stream: busy },
  });
  for (const path of ['', '/report', '/lint', '/vcon', '/audio', '/tree'].map((p) => `/v1/dialogs/large${p}`)) {
    const answer = await fetch(`${base}${path}`);
    const problem: unknown = await answer.json();
    assertDocument('Problem', problem);
    assert.equal(asJson(problem)['type'], 'urn:calltap:problem:overloaded', path);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal(answer.headers.get('retry-after'), '1', path);
  }
});

test('the container of a dialog that is not here is a problem, not a stream', async (t) => {
  const { session } = await readCapture(t, largeDialog(2, 10).pcap(), ['--api', '127.0.0.1:1']);
  const { base } = await startApi(t, { readers: session.explorer });
  for (const document of ['vcon', 'lint', 'report', 'tree', 'audio'])
    assert.equal((await fetch(`${base}/v1/dialogs/other/${document}`)).status, 404, document);
});
