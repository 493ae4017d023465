/**
 * Each screen at four widths and at a zoom of 200 %, light and dark: nothing is cut, broken or off the screen, and it reads well
 * by ear. `UPDATE_PICTURES=FOLDER` writes a picture of each.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Service } from '../conformance/service.ts';
import { ROOT, startService } from '../conformance/service.ts';
import { assertAccessible } from './axe.ts';
import type { Look } from './browser.ts';
import { closeBrowser, openPage, skipWithoutChromium } from './browser.ts';
import { layoutFaults } from './layout.ts';

const skip = skipWithoutChromium;
const FOLDER = process.env['UPDATE_PICTURES'] ?? '';
const CAPTURES = ['demo', 'attack'].flatMap((name) => ['-I', join(ROOT, `fixtures/demo/${name}.pcap`)]);

let service: Service;
/** It analyses no port of the capture: the tables of Health have rows. */
let blind: Service;

before(async () => {
  if (skip !== false) return;
  service = await startService([...CAPTURES, '--console', '--retain-audio', '--kill-scanner']);
  blind = await startService([...CAPTURES, '--console', '--portrange', '5999']);
});
after(async () => {
  await Promise.all([service?.stop(), blind?.stop()]);
  await closeBrowser();
});

const call = (name: string, tab = ''): string =>
  `call/${encodeURIComponent(`${name}@pbx.example.com`)}?legs=1${tab === '' ? '' : `&tab=${tab}`}`;
const id = (name: string): string => encodeURIComponent(`${name}@pbx.example.com`);
const table = (name: string): string => `[role=region][aria-label="${name}"] tbody tr`;
const ROW = '[role=grid] [role=rowgroup]:not(.head) [role=row]';

type Screen = {
  readonly name: string;
  readonly hash: string;
  /** What is there when it is drawn. */
  readonly ready: string;
  readonly isBlind?: true;
};

const SCREENS: readonly Screen[] = [
  { name: 'overview', hash: 'overview', ready: '.heat-row' },
  { name: 'calls', hash: 'calls', ready: ROW },
  { name: 'calls-failed', hash: 'calls?q=state:Failed', ready: ROW },
  { name: 'calls-none', hash: 'calls?q=from:99999', ready: '.nothing li' },
  { name: 'calls-mistake', hash: 'calls?q=stat:Failed', ready: '#filter-mistake' },
  { name: 'ladder', hash: call('trunk-congestion'), ready: '.sip .start' },
  { name: 'ladder-legs', hash: call('transfer'), ready: '.legend li' },
  { name: 'ladder-one-way', hash: call('one-way-audio'), ready: '.absent' },
  { name: 'quality', hash: call('jitter', 'quality'), ready: '.chart canvas' },
  { name: 'quality-hold', hash: call('hold-resume', 'quality'), ready: '.chart canvas' },
  { name: 'quality-one-way', hash: call('one-way-audio', 'quality'), ready: '.missing' },
  { name: 'messages', hash: call('hold-resume', 'messages'), ready: '.raw pre' },
  { name: 'findings-of-call', hash: call('nat-mismatch', 'findings'), ready: table('Lint') },
  { name: 'call-none', hash: call('nobody'), ready: '[role=alert]' },
  { name: 'compare', hash: `compare?a=${id('packet-loss')}&b=${id('good-g711')}`, ready: table('Comparison') },
  { name: 'compare-choose', hash: `compare?a=${id('packet-loss')}`, ready: table('Calls to compare with') },
  { name: 'findings', hash: 'findings', ready: table('Findings by kind') },
  { name: 'streams', hash: 'streams', ready: table('Of calls') },
  { name: 'trunks', hash: 'trunks', ready: table('Trunks') },
  { name: 'trunk', hash: 'trunks/203.0.113.10?direction=out', ready: table('By minute') },
  { name: 'registrations', hash: 'registrations', ready: table('Registrations') },
  { name: 'security', hash: 'security', ready: table('Attackers') },
  { name: 'health', hash: 'health', ready: table('Source') },
  { name: 'health-blind', hash: 'health', ready: table('Ports that are not analysed'), isBlind: true },
];

const LOOKS: readonly (Look & { readonly name: string })[] = [
  ...[1400, 1024, 600, 390].map((width) => ({ name: String(width), width, height: 900 })),
  // A window of 1400 × 900, at 200 %.
  { name: 'zoom', width: 700, height: 450, scale: 2 },
];

for (const look of LOOKS)
  for (const scheme of ['light', 'dark'] as const)
    test(`${look.name}, ${scheme}: each screen`, { skip }, async (t) => {
      const { page } = await openPage(t, `${service.base}/console/`, { ...look, scheme });
      const faults: string[] = [];
      for (const { name, hash, ready, isBlind } of SCREENS) {
        await page.goto(`${(isBlind ? blind : service).base}/console/#/${hash}`);
        await page.locator(ready).first().waitFor();
        const wrong = await layoutFaults(page);
        if (FOLDER !== '') {
          mkdirSync(FOLDER, { recursive: true });
          const path = join(FOLDER, `${name}-${look.name}-${scheme}.png`);
          await page.screenshot({ path, animations: 'disabled' });
        }
        faults.push(...wrong.map((fault) => `${name}: ${fault}`));
        await assertAccessible(page).catch((error: unknown) => faults.push(`${name}: ${error}`));
      }
      assert.deepEqual(faults, []);
    });

test('the check finds what it looks for', { skip }, async (t) => {
  const { page } = await openPage(t, `${service.base}/console/NOTICE.txt`, { width: 390 });
  const body = `<main style="margin:0;width:380px">
    <p id="cut" style="width:60px;overflow:hidden;white-space:nowrap">a text that is cut</p>
    <p id="dots" style="width:60px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis">a text with dots</p>
    <p id="broken" style="width:30px;overflow-wrap:anywhere">198.51.100.21</p>
    <p id="under" style="position:absolute;top:300px">a text</p><p id="over" style="position:absolute;top:302px">another</p>
    <div id="table" style="width:90px;overflow:auto"><table><tr><td style="white-space:nowrap">columns off the screen</td></tr></table></div>
    <p id="wide" style="width:500px">wider than its window</p></main>`;
  await page.goto('about:blank');
  await page.setContent(body);
  const faults = (await layoutFaults(page)).join('\n');
  for (const fault of [
    /^the page is wider than its window/m,
    /^cut without a sign: p#cut /m,
    /^a broken word: p#broken "198\.51\.100\.21"/m,
    /^a text lies on "another": p#under /m,
    /^columns off the screen without a sign: div#table/m,
  ])
    assert.match(faults, fault);
  assert.doesNotMatch(faults, /dots/);
});
