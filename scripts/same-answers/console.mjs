// Reads the screens of the console in Chromium: the text of each as a person sees it.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const PROGRAM = '/usr/bin/chromium';
export const hasChromium = () => existsSync(PROGRAM);
const SCREENS = ['calls', 'findings', 'streams', 'trunks', 'registrations', 'security', 'health'];
const LOOK_MS = 150;
const LOOKS = 4;

let launched = null;

async function browser() {
  const { chromium } = await import('playwright-core');
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  launched ??= chromium.launch({
    executablePath: PROGRAM,
    args: [...sandbox, '--disable-gpu', '--disable-dev-shm-usage'],
  });
  return launched;
}

export async function closeBrowser() {
  await (await launched)?.close();
}

/** The text of the page once it holds still. */
async function still(page) {
  let [before, alike] = ['', 0];
  for (let tries = 0; tries < 100 && alike < LOOKS; tries++) {
    await sleep(LOOK_MS);
    // biome-ignore lint/performance/useDomNodeTextContent: what a person sees, and not what is hidden.
    const now = await page.innerText('body');
    alike = now === before && now.trim() !== '' ? alike + 1 : 0;
    before = now;
  }
  return before;
}

export async function askConsole(service, normal, answers, calls) {
  const context = await (await browser()).newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  try {
    const page = await context.newPage();
    const problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    const look = async (hash) => {
      await page.goto(`${service.base}/console/#/${hash}`);
      answers.add(`console #/${hash}`, normal.text(await still(page)).replace(/^Up\t.*$/m, 'Up\t<time>'));
    };
    const [a, b = a] = calls.slice(0, 2).map(encodeURIComponent);
    for (const screen of [...SCREENS, 'calls?q=state%3AFailed&sort=-mos', 'calls?q=frm%3A1', 'call/no-such'])
      await look(screen);
    for (const call of calls.slice(0, 6).map(encodeURIComponent)) await look(`call/${call}`);
    if (a !== undefined) for (const hash of [`call/${a}?legs=1`, `compare?a=${a}&b=${b}`]) await look(hash);
    answers.add('console errors', problems.join('\n'));
  } finally {
    await context.close();
  }
}
