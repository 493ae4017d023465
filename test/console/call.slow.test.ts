/** One call in a browser: the way to its cause, its messages and their differences, its sound, and what is taken away. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../helpers/patience.ts';
import { skipWithoutTshark, tsharkSip } from '../helpers/tshark.ts';
import { assertAccessible } from './axe.ts';
import { closeBrowser, demo, openPage, skipWithoutChromium } from './browser.ts';

const skip = skipWithoutChromium;
after(closeBrowser);

const callUrl = (base: string, name: string, tab = 'ladder'): string =>
  `${base}/console/#/call/${encodeURIComponent(`${name}@pbx.example.com`)}?legs=1${tab === 'ladder' ? '' : `&tab=${tab}`}`;

test('from the list to the cause of the newest failed call: one click, and its message is shown', {
  skip,
}, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/calls`);
  await page.getByRole('button', { name: 'Newest failure' }).click();
  const cause = page.getByRole('region', { name: 'Cause' });
  await cause.getByText(/INVITE was refused with 503 Service Unavailable .*No circuit available/).waitFor();
  const message = page.getByRole('region', { name: 'Message', exact: true });
  await message.getByText('SIP/2.0 503 Service Unavailable').waitFor();
  assert.equal(await page.getByRole('option', { selected: true }).getAttribute('id'), 'step-2');
  await page.getByRole('option', { name: /0 INVITE/ }).click();
  await message.getByText(/^INVITE sip:\+33199001234/).waitFor();
  await message.getByText('m=audio 12060').waitFor();
  await cause.getByRole('button', { name: 'message 2' }).click();
  await message.getByText('SIP/2.0 503 Service Unavailable').waitFor();
});

test('keys move over the messages and compare two of them', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'auth-loop'));
  const list = page.getByRole('listbox', { name: /Messages of the call/ });
  await page.getByRole('option').nth(1).click();
  await list.focus();
  await page.keyboard.press('ArrowUp');
  await page.getByRole('option', { name: /0 INVITE/, selected: true }).waitFor();
  await page.keyboard.press(' ');
  for (let i = 0; i < 4; i++) await page.keyboard.press('j');
  const difference = page.getByRole('group', { name: 'Difference' });
  await difference.waitFor();
  assert.match(
    await difference
      .locator('ins')
      .allTextContents()
      .then((all) => all.join('\n')),
    /Authorization:/,
  );
});

test('lint stands beside the header that it is about', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'nat-mismatch'));
  const lint = page.locator('dt', { hasText: /^Contact$/ }).locator('+ dd .lint');
  await lint.getByText(/private-contact/).waitFor();
  await page.getByText('Via', { exact: true }).waitFor({ state: 'hidden' });
  await page.getByText(/more headers/).click();
  await page.getByText('Via', { exact: true }).first().waitFor();
});

test('quality: charts on one axis, the worst window is heard and its cursor moves', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'jitter', 'quality'));
  await page.getByText(/The worst direction is 198.51.100.55:11900 .* MOS 2.93/).waitFor();
  for (const name of ['MOS', 'Loss', 'Jitter'])
    await page
      .getByRole('img', { name: new RegExp(`^${name} of 2 streams over time, with a line at (3.6|1 %|30 ms);`) })
      .locator('canvas')
      .waitFor();
  await page.getByRole('button', { name: /Hear the worst window \(B/ }).click();
  const sound = page.locator('audio');
  await sound.waitFor();
  await page.waitForFunction('document.querySelector("audio").duration > 4');
  assert.ok(Number(await sound.evaluate((at) => at.duration)) < 6);
});

async function download(page: Page, name: string): Promise<{ readonly path: string; readonly name: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
  return { path: await file.path(), name: file.suggestedFilename() };
}

test('media over time: what was on hold, and the direction that never came', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'hold-resume', 'quality'));
  await page.getByRole('listitem', { name: /^B, 192\.0\.2\.10:12090 .*: PCMA .*; on hold 09:00:40\.980/ }).waitFor();
  await page.goto(callUrl(base, 'one-way-audio', 'quality'));
  await page
    .getByRole('listitem', { name: /^\u2013, 192\.0\.2\.10:12020 \u2192 198\.51\.100\.23:11840: no RTP / })
    .waitFor();
  await assertAccessible(page);
});

test('capture, report, vCon and WAV come as files; tshark reads the capture', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'jitter'));
  const capture = await download(page, 'Capture');
  assert.equal(capture.name, 'jitter_pbx.example.com.pcapng');
  if (skipWithoutTshark() === false) {
    const lines = tsharkSip(capture.path, ['sip.Call-ID']);
    assert.ok(lines.length === 7 && lines.every(([id]) => id === 'jitter@pbx.example.com'), String(lines));
  }
  await page.getByText('Capture is saved.').waitFor();
  assert.match(readFileSync((await download(page, 'Report')).path, 'utf8'), /^# Call|^Call/m);
  assert.match(readFileSync((await download(page, 'vCon')).path, 'utf8'), /"vcon"/);
  assert.equal(readFileSync((await download(page, 'WAV')).path).toString('latin1', 0, 4), 'RIFF');
});

test('a call reads well by ear and at the width of a telephone', { skip }, async (t) => {
  const { base } = await demo();
  for (const look of [{ scheme: 'dark' }, { width: 390 }] as const) {
    const { page } = await openPage(t, callUrl(base, 'nat-mismatch'), look);
    await page.getByRole('option', { name: /0 INVITE/ }).waitFor();
    await page.locator('.lint').first().waitFor();
    await assertAccessible(page);
    await page.getByRole('tab', { name: /^Quality/ }).click();
    await page.locator('canvas').first().waitFor();
    await assertAccessible(page);
    assert.ok(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'the page is no wider than its window',
    );
  }
});

test('tabs: by click, key and link; the Back button leads through them; the cause stays', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'trunk-congestion'));
  const shows = (name: RegExp): Promise<void> => page.getByRole('tab', { name, selected: true }).waitFor();
  await shows(/^Ladder/);
  await page.getByRole('tab', { name: /^Messages/ }).click();
  await page
    .getByRole('tabpanel', { name: /^Messages/ })
    .getByText('Max-Forwards: 70')
    .first()
    .waitFor();
  assert.match(page.url(), /tab=messages/);
  await page.keyboard.press('ArrowRight');
  await shows(/^Findings/);
  await page.keyboard.press('2');
  await shows(/^Quality/);
  await page.getByText('No RTP stream belongs to this call.').waitFor();
  await page
    .getByRole('region', { name: 'Cause' })
    .getByText(/refused with 503/)
    .waitFor();
  await page.goBack();
  await shows(/^Findings/);
  await page.goBack();
  await shows(/^Messages/);
  await page.keyboard.press('4');
  await page.getByRole('tabpanel').getByRole('button', { name: 'message 2' }).first().click();
  await shows(/^Ladder/);
  await page.getByRole('option', { name: /2 503/, selected: true }).waitFor();
});

test('the findings of lint are a table that leads to their messages', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'nat-mismatch', 'findings'));
  await page
    .getByRole('row', { name: /^private-contact, RFC 1918 3 notice: observed message 0 Contact 192\.168/ })
    .waitFor();
  await page
    .getByRole('tabpanel')
    .getByText(/192\.168\.1\.44/)
    .first()
    .waitFor();
  await assertAccessible(page);
});

test('the ladder draws what never came, and who hung up is said', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'one-way-audio'));
  const absent = page.locator('.absent');
  await absent.getByText('no RTP', { exact: true }).waitFor();
  assert.equal(await absent.count(), 1);
  assert.match(`${await absent.textContent()}`, /^No RTP from 192\.0\.2\.10:12020 to 198\.51\.100\.23:11840, /);
  await page
    .getByRole('region', { name: 'Cause' })
    .getByText(/Completed 200 OK, ended by the caller/)
    .waitFor();
  await page.goto(callUrl(base, 'no-media'));
  await page.getByRole('heading', { name: /12025550171/ }).waitFor();
  await absent.nth(1).waitFor();
  assert.equal(await absent.count(), 2);
});

test('legs have letters and colours, and lead to their calls', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'transfer'));
  const legs = page.getByRole('list', { name: 'Legs' });
  await legs.getByText('A', { exact: true }).waitFor();
  await page.getByRole('option', { name: /B 0 INVITE/ }).waitFor();
  await legs.getByRole('link', { name: 'transfer-target@pbx.example.com' }).click();
  await page.getByRole('heading', { name: /2013/ }).waitFor();
});

test('a message as raw text, which the next one keeps, and on the clipboard', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'trunk-congestion'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const message = page.getByRole('region', { name: 'Message', exact: true });
  await message.getByRole('button', { name: 'Raw text' }).click();
  await message.getByText(/^SIP\/2\.0 503 Service Unavailable\s+Via: /).waitFor();
  await page.keyboard.press('j');
  await message.getByText(/^ACK sip:\S+ SIP\/2\.0\s+Via: /).waitFor();
  await message.getByRole('button', { name: 'Copy' }).click();
  await message.getByText('The message is copied.').waitFor();
  const copied = `${await page.evaluate('navigator.clipboard.readText()')}`;
  assert.match(copied, /^ACK sip:.*\nVia: [\s\S]*CSeq: 1 ACK/);
});

test('the way back leads to the list as it was: its filter, and its place', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/calls?q=method:INVITE`, { height: 420 });
  const chips = page.getByRole('group', { name: 'Findings' }).getByRole('button').first();
  await chips.waitFor();
  await page.keyboard.press('G');
  await page.locator('[role=row].current').waitFor();
  const top = (): Promise<number> => page.getByRole('grid').evaluate((at) => at.scrollTop);
  const wasAt = await top();
  assert.ok(wasAt > 0);
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: /^Messages/ }).click();
  await page.getByRole('link', { name: 'Calls: method:INVITE' }).click();
  await page.locator('[role=row].current').waitFor();
  await chips.waitFor();
  await until(
    async () => (await top()) === wasAt,
    () => 'the list is elsewhere',
  );
  await page.goto(`${base}/console/#/findings`);
  await page
    .getByRole('link', { name: /one-way-audio@/ })
    .first()
    .click();
  await page.getByRole('link', { name: '\u2190 Findings' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Findings', exact: true }).waitFor();
});

test('a call that is not there says so', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'nobody'));
  await page.getByRole('alert').filter({ hasText: 'There is no such call' }).waitFor();
});
