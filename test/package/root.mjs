// Fresh roots of Debian in which a package is installed as a user would: no Node, no compiler, nothing of the checkout.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeRoot } from '../../scripts/steps/apt.mjs';
import { root as checkout } from '../../scripts/steps/files.mjs';
import { rootAt } from '../../scripts/steps/root.mjs';
import { capture, say, seconds } from '../../scripts/steps/run.mjs';

export const folder = join(checkout, 'build/package-test');
export const packages = join(checkout, 'build/packages');

/** A clean root of a release, made once and copied for each use: { path, run, put, remove }. */
export function freshRoot(release, include = ['systemd', 'ca-certificates']) {
  const image = join(folder, `${[release, ...include].join('-')}.tar`);
  if (!existsSync(image)) {
    const start = performance.now();
    mkdirSync(folder, { recursive: true });
    // One that failed is no image.
    const making = join(folder, 'making.tar');
    makeRoot(making, { release, variant: 'minbase', include });
    renameSync(making, image);
    say(`package-test: root of ${release} (${seconds(start)})`);
  }
  const path = join(folder, `root-${release}`);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  const unpacked = capture('tar', ['-xf', image, '-C', path]);
  if (unpacked.code !== 0) throw new Error(unpacked.output);
  return rootAt(path);
}
