/** SIP that is written to hurt whoever shows it: on each screen it is text, the page keeps its form, and nothing runs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ALICE, BOB } from '../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { startService } from '../conformance/service.ts';
import { hostileCapture, STEERING } from '../helpers/hostile-calls.ts';
import { closeBrowser, openPage, skipWithoutChromium } from './browser.ts';
import { layoutFaults } from './layout.ts';

const skip = skipWithoutChromium;
after(closeBrowser);

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>';

/** A call with markup wherever text can be, and one with a header of 60 kB. */
function markupCapture(folder: string): string {
  const party = { ...ALICE, display: MARKUP };
  const callId = `${MARKUP}"'@x`;
  const calls = [callId, 'long'].map((id, i) => {
    const call = new SipScript({ callId: id, caller: party, callee: BOB, startUs: EPOCH_US + i * 5_000_000 });
    const value = i === 0 ? MARKUP : 'y'.repeat(60_000);
    const invite = call.request('INVITE', 0, {
      headers: [
        ['Subject', value],
        ['User-Agent', MARKUP],
      ],
    });
    call.respond(invite, 486, 50, { reason: MARKUP });
    call.ack(invite, 486, 60);
    return call;
  });
  const path = join(folder, 'markup.pcap');
  writeFileSync(path, new Capture().add(calls.flatMap(({ messages }) => messages)).pcap());
  return path;
}

for (const width of [1280, 390])
  test(`each screen shows it as text, ${width} px wide`, { skip }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'calltap-console-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const hostile = hostileCapture(folder);
    const service = await startService([
      '-I',
      hostile.path,
      '-I',
      markupCapture(folder),
      '--console',
      '--kill-scanner',
    ]);
    t.after(() => service.stop());
    const { page } = await openPage(t, `${service.base}/console/#/calls`, { width });
    const look = async (name: string): Promise<void> => {
      const text = `${await page.evaluate('document.body.innerText')}`;
      assert.ok(
        !STEERING.test(text.replaceAll('\t', ' ')),
        `${name} shows what steers: ${JSON.stringify(STEERING.exec(text))}`,
      );
      const alien =
        'document.querySelectorAll("main img, main script, main iframe, main object, svg[onload], [onerror]").length';
      assert.equal(await page.evaluate(alien), 0, name);
      assert.ok(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        `${name} is no wider than its window`,
      );
      // Where its words end a line is the sender's choice; nothing may be cut or covered.
      const faults = await layoutFaults(page);
      assert.deepEqual(
        faults.filter((fault) => !fault.startsWith('a broken word')),
        [],
        name,
      );
    };
    const total = hostile.texts.length + 2;
    await page.getByRole('main').getByText(`${total} dialogs`, { exact: true }).waitFor();
    await look('calls');
    const found: unknown = await service.json('/ask/calls?limit=50');
    const { calls } = found as { calls: readonly { call_id: string }[] };
    assert.equal(calls.length, total);
    for (const { call_id: callId } of calls) {
      await page.goto(`${service.base}/console/#/call/${encodeURIComponent(callId)}?legs=1`);
      await page.getByRole('option', { name: /0 INVITE/ }).click();
      await page.locator('.sip .start', { hasText: /^INVITE/ }).waitFor();
      await page.getByText(/more headers/).click();
      await look(`the call ${JSON.stringify(callId.slice(0, 30))}`);
      await page.getByRole('button', { name: 'Raw text' }).click();
      await page.locator('pre.sip', { hasText: /^INVITE/ }).waitFor();
      await look('its raw text');
      await page.getByRole('button', { name: 'Raw text' }).click();
      for (const [key, name, sign] of [
        ['2', /^Quality/, '[aria-label=Quality]'],
        ['3', /^Messages/, '.raw pre'],
        ['4', /^Findings/, 'h2'],
      ] as const) {
        await page.keyboard.press(key);
        await page.getByRole('tab', { name, selected: true }).waitFor();
        await page.locator(sign).first().waitFor();
        await look(`its tab ${key}`);
      }
    }
    const [a = '', b = ''] = calls.map(({ call_id }) => encodeURIComponent(call_id));
    await page.goto(`${service.base}/console/#/compare?a=${a}&b=${b}`);
    await page.getByRole('region', { name: 'Comparison' }).waitFor();
    await look('compare');
    for (const [screen, sign] of [
      ['findings', 'Final failures by code'],
      ['streams', 'No stream of a call was seen yet.'],
      ['registrations', 'No REGISTER was seen yet.'],
      ['security', 'Peer'],
      ['health', 'Losses by place'],
    ] as const) {
      await page.goto(`${service.base}/console/#/${screen}`);
      await page.getByText(sign).first().waitFor();
      await look(screen);
    }
  });
