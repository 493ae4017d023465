/** The other screens in a browser: comparison, findings, streams, trunks, registrations, security, health, each for the ear too. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startService } from '../conformance/service.ts';
import { fakePeer } from '../helpers/fake-peer.ts';
import { assertAccessible } from './axe.ts';
import { closeBrowser, demo, openPage, skipWithoutChromium } from './browser.ts';
import { layoutFaults } from './layout.ts';

const skip = skipWithoutChromium;
after(closeBrowser);

async function open(t: TestContext, screen: string): Promise<Page> {
  const { base } = await demo();
  // Wide enough for all columns.
  return (await openPage(t, `${base}/console/#/${screen}`, { width: 1900 })).page;
}

test('a good call beside a bad one: two clicks from the bad one', { skip }, async (t) => {
  const page = await open(t, `call/${encodeURIComponent('trunk-congestion@pbx.example.com')}?legs=1`);
  await page.getByRole('link', { name: 'Compare with' }).click();
  await page.getByRole('link', { name: 'Compare', exact: true }).first().click();
  const state = page.getByRole('row', { name: /State/ });
  await state.getByText('Failed').waitFor();
  await state.getByText('Completed').waitFor();
  const rows = page.locator('tbody tr:not(.group)');
  const fewer = await rows.count();
  await page.getByRole('button', { name: 'Only what differs' }).click();
  assert.ok((await rows.count()) > fewer);
  await assertAccessible(page);
});

test('findings: kinds and codes lead to their calls; ratios say of how many', { skip }, async (t) => {
  const page = await open(t, 'findings');
  await page.getByText('answered of 16 tried').waitFor();
  await page.locator('.figure', { hasText: 'ASR' }).getByText('75.0 %').waitFor();
  await page.getByRole('link', { name: 'one-way-audio', exact: true }).waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: '503' }).click();
  await page.getByRole('main').getByText('1 dialog', { exact: true }).waitFor();
});

test('trunks: how they do, one of them by minute, and its calls', { skip }, async (t) => {
  const page = await open(t, 'trunks');
  await page.getByText('15 trunks and directions, 0 down').waitFor();
  // The pings of the server are no calls; the carrier took one of two.
  const row = page.getByRole('row', { name: /^203\.0\.113\.10 to it .*up .* 1 of 2 50\.0 % 50\.0 % 6\.80 s 13\.1 s / });
  await row.waitFor();
  await assertAccessible(page);
  await row.getByRole('link').click();
  await page.getByRole('heading', { name: 'Trunk 203.0.113.10 (out)' }).waitFor();
  await page.getByRole('region', { name: 'By minute' }).getByRole('link').first().waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Last 5 minutes' }).click();
  await page.getByRole('row', { name: /^all 1 of 2/ }).waitFor();
  await page.getByRole('link', { name: 'Show its calls' }).click();
  await page.getByRole('main').getByText('8 dialogs', { exact: true }).waitFor();
});

test('streams: those without a call first, and one by its SSRC', { skip }, async (t) => {
  const page = await open(t, 'streams');
  await page.getByRole('heading', { name: 'Without a call: 1 stream' }).waitFor();
  await page.getByRole('region', { name: 'Without a call' }).getByText('0xe6c56674').first().waitFor();
  await page.getByLabel('SSRC').fill('0x37b393f4');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Stream 0x37b393f4' }).getByText('31.9').waitFor();
  await assertAccessible(page);
});

test('registrations: who fails, and why', { skip }, async (t) => {
  const page = await open(t, 'registrations');
  await page.getByText('2 registrations').waitFor();
  await page
    .getByRole('row', { name: /^sip:2020@pbx\.example\.com sip:2020@\S+ 198.51.100.41 .*Failed 403/ })
    .waitFor();
  const good =
    /^sip:2001@pbx\.example\.com sip:2001@198\.51\.100\.21:5060 .*Registered 200 OK 3600 of 3600 s 2025-03-04 .* 0 of 1 /;
  await page.getByRole('row', { name: good }).waitFor();
  await page.getByLabel('Filter of calls').fill('from:2001');
  await page.keyboard.press('Enter');
  await page.getByText('1 registration', { exact: true }).waitFor();
  await assertAccessible(page);
});

test('health: what was lost, what is not analysed, what is written', { skip }, async (t) => {
  const page = await open(t, 'health');
  await page.getByText('Nothing was lost before analysis.').waitFor();
  // On a busy machine the service may have refused an answer: that is a row then.
  const { base } = await demo();
  const { losses } = (await (await fetch(`${base}/v1/stats`)).json()) as { losses: Record<string, number> };
  const lost = Object.keys(losses).filter((key) => (losses[key] ?? 0) > 0);
  if (lost.length === 0) await page.getByText(/counters of losses are zero/).waitFor();
  for (const key of lost) await page.getByRole('row', { name: key }).waitFor();
  await page.getByText(/has no file to write to/).waitFor();
  await assertAccessible(page);
});

test('health: a port that is not analysed is named with its option, writing is paused and goes on', {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-console-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const args = ['-I', 'fixtures/demo/demo.pcap', '--portrange', '5999', '-O', join(folder, 'o.pcap'), '--console'];
  const service = await startService(args);
  t.after(() => service.stop());
  const { page } = await openPage(t, `${service.base}/console/#/health`);
  await page.getByRole('row', { name: /5060 .* SIP --portrange 5060/ }).waitFor();
  await page.getByText(/port 5060: .* not analysed/).waitFor();
  await page.getByRole('button', { name: 'Pause writing' }).click();
  await page.getByText(/^Writing is paused: frames that pass now are analysed/).waitFor();
  await page.getByRole('button', { name: 'Write again' }).click();
  await page.getByText('calltap writes captured frames to the file of -O.').waitFor();
  assert.ok(!`${await page.evaluate('document.body.innerText')}`.includes('`'), 'no mark of the documents is shown');
});

test('security: the peer is asked only after a yes, and its refusal is said', { skip }, async (t) => {
  const page = await open(t, 'security');
  await page.getByText(/Nobody looks for attackers/).waitFor();
  await page.getByText(/calltap cannot ban: it finds no peer program/).waitFor();
  await assertAccessible(page);
  const peer = fakePeer(t);
  const args = ['-I', 'fixtures/demo/demo.pcap', '--kill-scanner', '--peer-ctl', peer.path, '--console'];
  const service = await startService(args);
  t.after(() => service.stop());
  const { page: other } = await openPage(t, `${service.base}/console/#/security`);
  await other.getByText('No source behaved like an attacker.').waitFor();
  await other.getByText(/3 addresses blocked now/).waitFor();
  for (const width of [390, 600, 1024, 1280]) {
    await other.setViewportSize({ width, height: 800 });
    assert.deepEqual(await layoutFaults(other), [], `${width} px`);
  }
  const asked = (): number => peer.asked().filter((words) => words.includes('unban')).length;
  await other
    .getByRole('row', { name: /198.51.100.10/ })
    .getByRole('button', { name: 'Unban' })
    .click();
  const sure = other.getByRole('alertdialog');
  await assertAccessible(other);
  await sure.getByRole('button', { name: 'No' }).click();
  await sure.waitFor({ state: 'hidden' });
  assert.equal(asked(), 0);
  await other
    .getByRole('row', { name: /198.51.100.10/ })
    .getByRole('button', { name: 'Unban' })
    .click();
  await sure.getByRole('button', { name: 'Yes, unban' }).click();
  await other.getByText(/unban of 198.51.100.10 is (done|refused)/).waitFor();
  assert.equal(asked(), 1);
  await other.getByLabel('IPv4 address').fill('198.51.100.99');
  await other.keyboard.press('Enter');
  await sure.getByRole('button', { name: 'Yes, ban' }).click();
  await other.getByText(/ban of 198.51.100.99 is refused: the address is declared/).waitFor();
});
