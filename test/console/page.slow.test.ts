/** The page of a call in a browser with scripts on: nothing runs, nothing is fetched, and it fits a phone, a desk and paper. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ALICE, BOB } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { hostileCapture, STEERING } from '../helpers/hostile-calls.ts';
import { largeDialog, manyStreams } from '../helpers/large-dialog.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { readCapture, readCaptureFile, temporaryFolder } from '../helpers/read-capture.ts';
import { assertAccessible } from './axe.ts';
import { closeBrowser, demo, openPage, skipWithoutChromium } from './browser.ts';

const skip = skipWithoutChromium;
after(closeBrowser);

const MARKUP =
  '</pre></title></style></svg><img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)><a href=javascript:alert(4) autofocus onfocus=alert(5)>';

/** A call with markup wherever text can be, and one with a word of 60,000 characters. */
function markupCapture(): Uint8Array {
  const calls = [`${MARKUP}"'@x`, 'long'].map((callId, i) => {
    const call = new SipScript({
      callId,
      caller: { ...ALICE, display: MARKUP },
      callee: BOB,
      startUs: EPOCH_US + i * 5_000_000,
    });
    const headers = [
      ['Subject', i === 0 ? MARKUP : 'y'.repeat(60_000)],
      ['User-Agent', MARKUP],
    ] as const;
    const invite = call.request('INVITE', 0, { headers });
    call.respond(invite, 486, 50, { reason: MARKUP });
    call.ack(invite, 486, 60);
    return call;
  });
  return new Capture().add(calls.flatMap(({ messages }) => messages)).pcap();
}

/** Writes the page of a call to a file: its address. */
async function fileOf(t: TestContext, { explorer }: OpenSession, callId: string): Promise<string> {
  const { callIds, notes } = await explorer.legs(callId);
  const path = join(temporaryFolder(t), 'call.html');
  writeFileSync(path, await explorer.html([callId, ...callIds], { notes: [...notes], isUtc: true }));
  return pathToFileURL(path).href;
}

/** Labels that leave their drawing. */
const LABELS_OUT = `[...document.querySelectorAll('.rows text, .lane text')].filter((text) => {
  const drawing = text.closest('svg.rows, svg.fluid').getBoundingClientRect();
  const { width, left, right } = text.getBoundingClientRect();
  return width > 0 && (left < drawing.left - 2 || right > drawing.right + 2);
}).map((text) => text.textContent)`;

/** Opened at each width and in each scheme, with nothing run, fetched or wider than its window. */
async function opens(t: TestContext, url: string, widths: readonly number[] = [390, 1400]): Promise<void> {
  for (const width of widths)
    for (const scheme of ['light', 'dark'] as const) {
      const { page, urls } = await openPage(t, url, { width, scheme });
      assert.deepEqual(urls, [url]);
      const text = String(await page.evaluate('document.body.innerText'));
      assert.ok(!STEERING.test(text.replaceAll('\t', ' ')), JSON.stringify(STEERING.exec(text)));
      const alien = 'document.querySelectorAll("img, script, iframe, object, [onload], [onerror], [onfocus]").length';
      assert.equal(await page.evaluate(alien), 0);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${url} is ${String(overflow)} wider than ${width}`);
      assert.deepEqual(await page.evaluate(LABELS_OUT), []);
      await assertAccessible(page);
      await page.context().close();
    }
}

test('pages of the demo fit every window, in light and dark, and read by ear', { skip }, async (t) => {
  const { session } = await readCaptureFile(t, 'fixtures/demo/demo.pcap', ['--api', '127.0.0.1:1']);
  for (const name of ['one-way-audio', 'hold-resume', 'transfer', 'auth-loop', 'no-media', 'ipv6-call', 'packet-loss'])
    await opens(t, await fileOf(t, session, `${name}@pbx.example.com`), [390, 600, 1024, 1400]);
});

test('hostile calls run nothing and fetch nothing', { skip }, async (t) => {
  const hostile = hostileCapture(temporaryFolder(t));
  const marked = await readCapture(t, markupCapture());
  for (const { session } of [await readCaptureFile(t, hostile.path), marked])
    for (const { call_id } of session.explorer.calls({ filter: null, sort: { by: 'created', isDescending: false } }))
      await opens(t, await fileOf(t, session, call_id), [390]);
  await opens(t, await fileOf(t, marked.session, 'long'), [1400]);
});

test('calls as large as a sender can make them open too', { skip }, async (t) => {
  for (const capture of [largeDialog(500, 2_000), manyStreams(100)]) {
    const { session } = await readCapture(t, capture.pcap());
    await opens(t, await fileOf(t, session, 'large'));
  }
});

test('the policy holds where the page itself does not: a script that got in does not run', { skip }, async (t) => {
  const { session } = await readCaptureFile(t, 'fixtures/demo/demo.pcap');
  const url = await fileOf(t, session, 'busy@pbx.example.com');
  const path = new URL(url);
  const broken = readFileSync(path, 'utf8').replace('<main>', '<main><script>document.title = "ran"</script>');
  writeFileSync(path, broken);
  const { page, reports } = await openPage(t, url);
  assert.notEqual(await page.title(), 'ran');
  assert.ok(reports.some((line) => line.startsWith('policy:')));
  (reports as string[]).length = 0;
});

test('on paper nothing is cut off', { skip }, async (t) => {
  const { session } = await readCaptureFile(t, 'fixtures/demo/demo.pcap', ['--api', '127.0.0.1:1']);
  const { page } = await openPage(t, await fileOf(t, session, 'transfer@pbx.example.com'), {
    width: 760,
    scheme: 'dark',
  });
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)');
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  assert.ok((await page.pdf({ format: 'A4' })).length > 10_000);
});

test('the console saves it', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/call/${encodeURIComponent('packet-loss@pbx.example.com')}`);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as page' }).click();
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'packet-loss_pbx.example.com.html');
  await page.getByText('The page is saved. Who gets it needs no key.').waitFor();
  assert.match(readFileSync(await download.path(), 'utf8'), /Packet loss from 203\.0\.113\.40:30140/);
});
