/** The demo capture on a terminal, and screens as they were written down. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import type { Size } from './tmux.ts';
import { assertScreen, Tmux } from './tmux.ts';

const ROOT = packageRoot();
export const PROGRAM = [process.execPath, join(ROOT, 'dist/program/calltap.js')];
export const DEMO = join(ROOT, 'fixtures/demo/demo.pcap');
const SCREENS = join(ROOT, 'test/tui/screens');

/** Compares with the file, or writes it where UPDATE_SCREENS says so. */
export function isAsWritten(name: string, lines: readonly string[]): void {
  const path = join(SCREENS, `${name}.txt`);
  const shown = lines.map((line) => line.replaceAll(DEMO, 'demo.pcap'));
  if (process.env['UPDATE_SCREENS'] === '1') {
    mkdirSync(SCREENS, { recursive: true });
    writeFileSync(path, `${shown.join('\n').trimEnd()}\n`);
  }
  assert.ok(existsSync(path), `${path} is missing: UPDATE_SCREENS=1 writes it`);
  assertScreen(shown, readFileSync(path, 'utf8'));
}

/** `env`: variables as NAME=VALUE. */
export async function demo(t: TestContext, size: Size, more: readonly string[] = [], env: readonly string[] = []) {
  const tmux = new Tmux(t, [...PROGRAM, '-i', 'demo.pcap', ...more], size, [
    `--chdir=${join(ROOT, 'fixtures/demo')}`,
    ...env,
  ]);
  await tmux.settled(/^1 of \d+ /m);
  return tmux;
}
