/**
 * What a user does in the console's list of calls, at the pace of a hand: watches it, scrolls it, opens a call and comes
 * back. The page is only used; what it costs is measured elsewhere.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';

const ROWS = '[role=grid] [role=rowgroup]:not(.head) [role=row]';
/** A notch of a wheel each, as a hand turns it. */
const NOTCH_PX = 120;
const NOTCH_MS = 50;
const WATCH_MS = 4_000;
const READ_MS = 1_500;

export type Walked = {
  readonly rounds: number;
  /** From the click on a row to the ladder of the call, and from Escape to the list. */
  readonly openMs: readonly number[];
  readonly backMs: readonly number[];
};

async function scroll(page: Page, notches: number, px: number): Promise<void> {
  for (let i = 0; i < notches; i++) {
    await page.mouse.wheel(0, px);
    await pause(NOTCH_MS);
  }
}

/** Milliseconds until it is done. */
async function took(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

export async function listed(page: Page): Promise<void> {
  await page.locator(ROWS).first().waitFor();
}

/** Rounds until so many seconds are over. */
export async function walk(page: Page, seconds: number): Promise<Walked> {
  const openMs: number[] = [];
  const backMs: number[] = [];
  const end = performance.now() + seconds * 1000;
  let rounds = 0;
  for (; performance.now() < end; rounds++) {
    // Nothing holds the list: new calls come on top.
    await page.mouse.move(640, 5);
    await pause(WATCH_MS);
    await page.mouse.move(640, 500);
    await scroll(page, 60, NOTCH_PX);
    await scroll(page, 30, 6 * NOTCH_PX);
    await scroll(page, 20, -3 * NOTCH_PX);
    openMs.push(
      await took(async () => {
        await page.mouse.click(640, 500);
        await page.getByRole('option').first().waitFor();
      }),
    );
    await pause(READ_MS);
    backMs.push(
      await took(async () => {
        await page.keyboard.press('Escape');
        await listed(page);
      }),
    );
    await page.getByRole('grid').focus();
    await page.keyboard.press('Escape');
  }
  return { rounds, openMs, backMs };
}

/** Goes to the end of what is listed again and again, until so many rows were read. */
export async function toTheEnd(page: Page, rows: number): Promise<number> {
  const height = `document.querySelector('${ROWS}')?.parentElement.clientHeight ?? 0`;
  const read = async (): Promise<number> => Math.round(Number(await page.evaluate(height)) / 28);
  await page.getByRole('grid').focus();
  for (let before = 0, again = 0; before < rows && again < 200; ) {
    await page.keyboard.press('G');
    await pause(NOTCH_MS);
    const now = await read();
    again = now > before ? 0 : again + 1;
    before = Math.max(before, now);
  }
  return read();
}
