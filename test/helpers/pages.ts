/** Pages of calls that name nobody. */
import { writeFileSync } from 'node:fs';
import type { Explorer } from '../../src/explore/port.ts';
import { ALL_CALLS } from '../../src/explore/question.ts';
import { readStrictly } from './strict-page.ts';

/** The pages of all calls in one file, as they are and as a browser shows them: how many there are. */
export async function pagesInFile(explorer: Explorer, path: string): Promise<number> {
  const pages: string[] = [];
  for (const { call_id: callId } of explorer.calls(ALL_CALLS)) {
    const page = await explorer.html([callId], { notes: [], isUtc: true, isAnonymized: true });
    pages.push(page, readStrictly(page).text);
  }
  writeFileSync(path, pages.join('\n'));
  return pages.length / 2;
}
