/**
 * Which features a build has: those this version is written with, without those that its build left out.
 *
 * A build leaves features out with `scripts/without.mjs`, which puts their names into a file beside the compiled code.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package.ts';

/** Every feature by name; false is not written yet. */
const WRITTEN = {
  api: true,
  metrics: true,
  peer: true,
  file: true,
  live: true,
  hep: true,
  uprobe: true,
  vcon: true,
  tls: true,
  mcp: true,
  console: true,
} as const satisfies Record<string, boolean>;

export type Feature = keyof typeof WRITTEN;

let leftOut: ReadonlySet<unknown> | null = null;

export function hasFeature(feature: Feature): boolean {
  leftOut ??= readLeftOut();
  return WRITTEN[feature] && !leftOut.has(feature);
}

/** All names, those of this build first. */
export function features(): { readonly built: readonly string[]; readonly missing: readonly string[] } {
  // The keys are those of the record; Object.keys widens them.
  const names = Object.keys(WRITTEN) as Feature[];
  return { built: names.filter(hasFeature), missing: names.filter((name) => !hasFeature(name)) };
}

function readLeftOut(): ReadonlySet<unknown> {
  const path = join(packageRoot(), 'dist/left-out.json');
  if (!existsSync(path)) return new Set();
  const names: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return new Set(Array.isArray(names) ? names : []);
}
