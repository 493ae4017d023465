/** Yesterday's call in a browser: of a folder of files the same clicks lead to the same cause, sound and capture as of the memory. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT, type Service, startService } from '../conformance/service.ts';
import { assertAccessible } from './axe.ts';
import { closeBrowser, demo, openPage, skipWithoutChromium } from './browser.ts';

const skip = skipWithoutChromium;
const NUMBER = '+33199001234';

const folder = mkdtempSync(join(tmpdir(), 'calltap-console-ring-'));
let ring: Service | null = null;

before(async () => {
  if (skip !== false) return;
  const written = [
    '-I',
    'fixtures/demo/demo.pcap',
    '-O',
    join(folder, 'ring.pcapng'),
    '--split',
    '300K',
    '--show',
    'overview',
  ];
  await promisify(execFile)(process.execPath, ['dist/program/calltap.js', ...written], { cwd: ROOT });
  ring = await startService([folder, '--console', '--retain-audio']);
});

after(async () => {
  await ring?.stop();
  await closeBrowser();
  rmSync(folder, { recursive: true, force: true });
});

type Taken = {
  readonly clicks: number;
  readonly cause: string | null;
  readonly capture: readonly string[];
  readonly wav: Buffer;
};

/** The failed call of a number, why, and its capture; then the sound of another call. */
async function taken(t: TestContext, base: string, isOld: boolean): Promise<Taken> {
  const { page } = await openPage(t, `${base}/console/#/calls`);
  let clicks = 0;
  const click = async (name: string | RegExp): Promise<void> => {
    clicks++;
    await page.getByRole('button', { name }).click();
  };
  const file = async (name: string): Promise<Buffer> => {
    const [download] = await Promise.all([page.waitForEvent('download'), click(name)]);
    return readFileSync(await download.path());
  };
  await page.getByLabel('Filter of calls').fill(`number:${NUMBER} state:Failed`);
  await page.keyboard.press('Enter');
  const rows = page.locator('[role=row]', { hasText: NUMBER });
  await rows.first().waitFor();
  assert.equal(await rows.count(), 1);
  if (isOld) await assertAccessible(page);
  await click('Newest failure');
  const cause = page.getByRole('region', { name: 'Cause' });
  await cause.getByText(/INVITE was refused with 503 Service Unavailable/).waitFor();
  await page
    .getByRole('region', { name: 'Message', exact: true })
    .getByText('SIP/2.0 503 Service Unavailable')
    .waitFor();
  const text = await cause.textContent();
  const capture = framesOf(await file('Capture'));
  await page.goto(`${base}/console/#/call/${encodeURIComponent('jitter@pbx.example.com')}?legs=1&tab=quality`);
  await click(/Hear the worst window/);
  await page.locator('audio').waitFor();
  await page.waitForFunction('document.querySelector("audio").duration > 4');
  const wav = await file('WAV');
  return { clicks, cause: text, capture, wav };
}

/** The bytes of the frames of a pcapng. */
function framesOf(bytes: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at + 4))
    if (bytes.readUInt32LE(at) === 6)
      frames.push(bytes.toString('hex', at + 28, at + 28 + bytes.readUInt32LE(at + 20)));
  return frames;
}

test('the failed call of a number, its cause, its capture, and a sound: the same clicks as those of today', {
  skip,
}, async (t) => {
  const today = await taken(t, (await demo()).base, false);
  const yesterday = await taken(t, ring?.base ?? assert.fail(), true);
  assert.equal(today.clicks, 4);
  assert.ok(today.capture.length >= 3, `${today.capture.length}`);
  assert.deepEqual(yesterday, today);
});

test('the list says what comes from the files, and the overview has its calls', { skip }, async (t) => {
  const base = ring?.base ?? assert.fail();
  const { page } = await openPage(t, `${base}/console/#/calls`);
  await page.locator('[role=row]', { hasText: NUMBER }).first().waitFor();
  await page.getByTitle('From the files of -O: it left the memory').first().waitFor();
  await page.getByText(/^files since /).waitFor();
  await page.goto(`${base}/console/#/overview`);
  await page
    .locator('section, div, dl', { hasText: /Attempts\s*16/ })
    .first()
    .waitFor();
  await page
    .getByText(/INVITE was refused with 503/)
    .first()
    .waitFor();
});
