/** docs/terminal.md shows a screen of the terminal as it is. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { demo } from './demo.ts';
import { skipWithoutTmux } from './tmux.ts';

const PAGE = join(packageRoot(), 'docs/terminal.md');
/** The block below the comment that names this test. */
const PICTURE = /(<!-- screen: [^\n]*-->\n```text\n)([\s\S]*?)(```\n)/;

test('the picture of the page is what the terminal shows', { skip: skipWithoutTmux }, async (t) => {
  const tmux = await demo(t, [120, 16]);
  await tmux.press('e');
  const lines = await tmux.settled(/503 Service Unavailable[\s\S]*CSeq: 1 INVITE/);
  const shown = `${lines.join('\n').trimEnd()}\n`;
  const page = readFileSync(PAGE, 'utf8');
  if (process.env['UPDATE_SCREENS'] === '1') writeFileSync(PAGE, page.replace(PICTURE, `$1${shown}$3`));
  assert.equal(PICTURE.exec(readFileSync(PAGE, 'utf8'))?.[2], shown);
});
