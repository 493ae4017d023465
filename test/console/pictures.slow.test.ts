/** The pictures of docs/console.md, made of the demo: `UPDATE_SCREENS=1` makes them again, else they must be there and small. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../src/core/package.ts';
import type { Look } from './browser.ts';
import { closeBrowser, demo, openPage, skipWithoutChromium } from './browser.ts';

const DOCS = join(packageRoot(), 'docs');
const MOST_BYTES = 150_000;
const isUpdate = process.env['UPDATE_SCREENS'] === '1';
after(closeBrowser);

async function picture(t: TestContext, name: string, hash: string, ready: (page: Page) => Promise<void>, look: Look) {
  const { base } = await demo();
  const { page } = await openPage(t, `${base}/console/#/${hash}`, look);
  await ready(page);
  mkdirSync(join(DOCS, 'img'), { recursive: true });
  writeFileSync(join(DOCS, `img/console-${name}.png`), await page.screenshot({ animations: 'disabled' }));
}

const call = (name: string, tab = 'ladder'): string =>
  `call/${encodeURIComponent(`${name}@pbx.example.com`)}?legs=1&tab=${tab}`;

test('pictures are made of the demo', {
  skip: isUpdate ? skipWithoutChromium : 'UPDATE_SCREENS=1 makes them',
}, async (t) => {
  const listed = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'auth-loop 2' }).waitFor();
    await page.getByText('files, read to the end').waitFor();
  };
  const counted = async (page: Page): Promise<void> => {
    await page.getByText('files are read').waitFor();
    await page.locator('.heat .cells').first().waitFor();
  };
  await picture(t, 'overview', 'overview?minutes=15', counted, { height: 620 });
  await picture(t, 'calls', 'calls', listed, { height: 560 });
  const shown = (page: Page): Promise<void> => page.locator('.sip .start').waitFor();
  await picture(t, 'call', call('one-way-audio'), shown, { height: 600 });
  const drawn = async (page: Page): Promise<void> => {
    await page.locator('canvas').nth(2).waitFor();
  };
  await picture(t, 'quality', call('jitter', 'quality'), drawn, { height: 800, scheme: 'dark' });
});

test('each picture of the page is there, and small', () => {
  const names = [...readFileSync(join(DOCS, 'console.md'), 'utf8').matchAll(/!\[[^\]]+\]\((img\/[\w-]+\.png)\)/g)];
  assert.equal(names.length, 4);
  for (const [, name = ''] of names) {
    const bytes = readFileSync(join(DOCS, name));
    assert.equal(bytes.toString('latin1', 1, 4), 'PNG', name);
    assert.equal(bytes.readUInt32BE(16), 1280, `${name} is 1280 wide`);
    assert.ok(bytes.length < MOST_BYTES, `${name} has ${bytes.length} bytes`);
  }
});
