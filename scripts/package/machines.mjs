// The processors and the releases of Node that packages are made for.
import { join } from 'node:path';
import { root } from '../steps/files.mjs';

/** Where packages are made; what lasts between two runs lies in it too. */
export const work = join(root, 'build/package');
/** Where fetched Nodes lie. */
export const nodes = join(work, 'node');

/** By the name that Node has for it: those of Debian and rpm, the triplet of GNU, and the prefix of the compiler. */
export const MACHINES = [
  { arch: 'x64', deb: 'amd64', rpm: 'x86_64', triplet: 'x86_64-linux-gnu', cc: 'x86_64-linux-gnu-' },
  { arch: 'arm64', deb: 'arm64', rpm: 'aarch64', triplet: 'aarch64-linux-gnu', cc: 'aarch64-linux-gnu-' },
];

/** The one inside the packages, then all for which the npm tarball has an addon; `abi` is process.versions.modules. */
export const NODE_INSIDE = { version: '24.21.0', abi: '137' };
export const NODES = [{ version: '20.20.2', abi: '115' }, { version: '22.23.3', abi: '127' }, NODE_INSIDE];
