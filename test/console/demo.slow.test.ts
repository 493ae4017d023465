/** `npm start` as it is: its captures and its options, and each screen has something to show. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Service } from '../conformance/service.ts';
import { ROOT, startService } from '../conformance/service.ts';
import { closeBrowser, openPage, skipWithoutChromium } from './browser.ts';

const skip = skipWithoutChromium;
let service: Service;

before(async () => {
  if (skip === false) service = await startService([], { program: join(ROOT, 'scripts/start.mjs') });
});
after(async () => {
  if (skip === false) await service.stop();
  await closeBrowser();
});

const id = (name: string): string => encodeURIComponent(`${name}@pbx.example.com`);
const table = (name: string): string => `[role=region][aria-label="${name}"] tbody tr`;

/** A screen by its address, and what is a row on it. */
const SCREENS: readonly (readonly [screen: string, hash: string, row: string])[] = [
  ['Calls', 'calls', '[role=grid] [role=rowgroup]:not(.head) [role=row]'],
  ['Call', `call/${id('packet-loss')}?legs=1`, '[role=option]'],
  ['Compare', `compare?a=${id('packet-loss')}&b=${id('good-g711')}`, table('Comparison')],
  ['Findings', 'findings', table('Findings by kind')],
  ['Streams', 'streams', table('Without a call')],
  ['Registrations', 'registrations', table('Registrations')],
  ['Security', 'security', table('Attackers')],
  ['Health', 'health', table('Source')],
];

test('each screen shows something of the demo', { skip }, async (t) => {
  const { page } = await openPage(t, `${service.base}/console/#/calls`);
  for (const [screen, hash, row] of SCREENS) {
    await page.goto(`${service.base}/console/#/${hash}`);
    await page.locator(row).first().waitFor();
    t.diagnostic(`${screen}: ${await page.locator(row).count()} rows`);
  }
});

test('the attackers of the demo: by what they did, and by the name of a tool', { skip }, async (t) => {
  const { page } = await openPage(t, `${service.base}/console/#/security`);
  const row = (text: RegExp): ReturnType<Page['getByRole']> => page.getByRole('row', { name: text });
  await row(/^203\.0\.113\.66 .*password-guessing .*REGISTER \d+ 401 \d+ 2001 Softphone 3\.1/).waitFor();
  await row(/^203\.0\.113\.99 .*known-tool .*friendly-scanner/).waitFor();
  await page.getByRole('link', { name: '203.0.113.66' }).click();
  await page.getByRole('main').getByText('1 dialog', { exact: true }).waitFor();
  assert.match(page.url(), /q=ip%3A203\.0\.113\.66/);
});
