/**
 * The browser of the console benchmark, a program of its own: it runs where the agent listens. Opens the list of calls,
 * uses it as a hand does, and prints what that cost, as one line of JSON. What the page or its policy reports is printed too.
 *
 *   node dist/bench/console-browser.js URL SECONDS ROWS_TO_THE_END
 */
import { chromium } from 'playwright-core';
import { comeFirst } from './come-first.ts';
import type { PageCost } from './console-meter.ts';
import { FRAME_CLOCK, PageMeter } from './console-meter.ts';
import type { Walked } from './console-walk.ts';
import { listed, toTheEnd, walk } from './console-walk.ts';

export type Browsed = {
  readonly firstRowsMs: number;
  readonly walked: Walked;
  readonly used: PageCost;
  /** Rows that the list has, and those of them that are in the page. */
  readonly listed: number;
  readonly inPage: number;
  readonly end: { readonly rows: number; readonly cost: PageCost };
  readonly reports: readonly string[];
};

const [url = '', seconds = '60', rows = '0'] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
try {
  // It runs in a session of its own.
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  for (const { id } of processInfo) comeFirst(id);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const reports: string[] = [];
  page.on('pageerror', (error) => reports.push(error.message));
  page.on('console', (message) => reports.push(message.text()));
  await page.addInitScript(FRAME_CLOCK);
  const begun = performance.now();
  await page.goto(`${url}/console/`);
  await listed(page);
  const firstRowsMs = performance.now() - begun;
  const meter = await PageMeter.on(browser, page);
  const count = async (script: string): Promise<number> => Number(await page.evaluate(script));
  await meter.begin();
  const walked = await walk(page, Number(seconds));
  const used = await meter.end();
  const total = (await count('document.querySelector("[role=grid]").ariaRowCount')) - 1;
  const inPage = await count('document.querySelectorAll("[role=grid] [role=row]").length - 1');
  await meter.begin();
  const read = await toTheEnd(page, Number(rows));
  const end = { rows: read, cost: await meter.end() };
  const browsed: Browsed = { firstRowsMs, walked, used, listed: total, inPage, end, reports };
  process.stdout.write(`\n${JSON.stringify(browsed)}\n`);
} finally {
  await browser.close();
}
