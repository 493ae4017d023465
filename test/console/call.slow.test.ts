/** One call in a browser: the way to its cause, its messages and their differences, its sound, and what is taken away. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutTshark, tsharkSip } from '../helpers/tshark.ts';
import { assertAccessible } from './axe.ts';
import { closeBrowser, demo, openPage, skipWithoutChromium } from './browser.ts';

const skip = skipWithoutChromium;
after(closeBrowser);

const callUrl = (base: string, name: string): string =>
  `${base}/console/#/call/${encodeURIComponent(`${name}@pbx.example.com`)}?legs=1`;

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
  const { page } = await openPage(t, callUrl(base, 'jitter'));
  await page.getByText(/The worst direction is 198.51.100.55:11900 .* MOS 2.93/).waitFor();
  for (const name of ['MOS', 'Loss', 'Jitter'])
    await page
      .getByRole('img', { name: new RegExp(`^${name} of 2 streams`) })
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
  const { page } = await openPage(t, callUrl(base, 'hold-resume'));
  await page.getByRole('listitem', { name: /^B, 192\.0\.2\.10:12090 .*: PCMA .*; on hold 09:00:40\.980/ }).waitFor();
  await page.goto(callUrl(base, 'one-way-audio'));
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
    await page.locator('canvas').first().waitFor();
    await page.locator('.lint').first().waitFor();
    await assertAccessible(page);
    assert.ok(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'the page is no wider than its window',
    );
  }
});

test('a call that is not there says so', { skip }, async (t) => {
  const { base } = await demo();
  const { page } = await openPage(t, callUrl(base, 'nobody'));
  await page.getByRole('alert').filter({ hasText: 'There is no such call' }).waitFor();
});
