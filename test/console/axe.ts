/** What axe-core finds in a page: nothing serious may be wrong for who reads by ear or works by keys. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
};

/** Fails with each serious or critical finding of the page as it is now. */
export async function assertAccessible(page: Page): Promise<void> {
  // Evaluated by the debugger, which the policy of the page does not bind.
  await page.evaluate(AXE);
  const violations = await page.evaluate<readonly Violation[]>('axe.run(document).then((r) => r.violations)');
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const lines = serious.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)}\n${failureSummary}`),
  );
  assert.deepEqual(lines, []);
}
