/** Debian's Chromium on a real service, for tests of the console: what it reports, downloads and shows. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import type { Service } from '../conformance/service.ts';
import { startService } from '../conformance/service.ts';
import { PATIENCE_MS } from '../helpers/patience.ts';

const PROGRAM = '/usr/bin/chromium';
export const skipWithoutChromium: string | false = existsSync(PROGRAM) ? false : 'chromium is not installed';

let launched: Promise<Browser> | null = null;

/** One browser for all tests of a file. */
export function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: PROGRAM,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-lcd-text',
    ],
  });
  return launched;
}

let served: Promise<Service> | null = null;

/** The console on the demo capture, one for all tests of a file. */
export function demo(): Promise<Service> {
  served ??= startService(['-I', 'fixtures/demo/demo.pcap', '--console', '--retain-audio']);
  return served;
}

/** Ends the browser and the service; for `after`. */
export async function closeBrowser(): Promise<void> {
  await (await served)?.stop();
  served = null;
  await (await launched)?.close();
  launched = null;
}

export type Opened = {
  readonly page: Page;
  /** Reports of the policy, errors of scripts, dialogs that a script opened. */
  readonly reports: readonly string[];
  /** Addresses of all requests. */
  readonly urls: readonly string[];
};

export type Look = {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  /** Pixels of the screen for one of the page: a zoom. */
  readonly scale?: number;
};

/** Opens an address in a context of its own; when the test ends, nothing may have been reported. */
export async function openPage(t: TestContext, url: string, look: Look = {}): Promise<Opened> {
  const { width = 1280, height = 800, scheme = 'light', scale = 1 } = look;
  const context = await (await browser()).newContext({
    viewport: { width, height },
    colorScheme: scheme,
    deviceScaleFactor: scale,
    acceptDownloads: true,
  });
  const reports: string[] = [];
  const urls: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('pageerror', (error) => reports.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    reports.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    const text = message.text();
    if (/content security policy|trusted ?types?/i.test(text)) reports.push(`policy: ${text}`);
  });
  page.on('request', (request) => urls.push(request.url()));
  t.after(async () => {
    await context.close();
    assert.deepEqual(reports, []);
  });
  await page.addInitScript(
    'addEventListener("securitypolicyviolation", (e) => console.log(`content security policy: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`))',
  );
  await page.goto(url);
  return { page, reports, urls };
}
