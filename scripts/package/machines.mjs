// The processors and the releases of Node that packages are made for.
import { join } from 'node:path';
import { root } from '../steps/files.mjs';
import { captureTwice, npm } from '../steps/run.mjs';

/** Where packages are made; what lasts between two runs lies in it too. */
export const work = join(root, 'build/package');

/** By the name that Node has for it: those of Debian and rpm, the triplet of GNU, and the prefix of the compiler. */
export const MACHINES = [
  { arch: 'x64', deb: 'amd64', rpm: 'x86_64', triplet: 'x86_64-linux-gnu', cc: 'x86_64-linux-gnu-' },
  { arch: 'arm64', deb: 'arm64', rpm: 'aarch64', triplet: 'aarch64-linux-gnu', cc: 'aarch64-linux-gnu-' },
];

/** The one inside the packages, then all for which the npm tarball has an addon; `abi` is process.versions.modules. */
export const NODE_INSIDE = { version: '24.21.0', abi: '137' };
export const NODES = [{ version: '20.20.2', abi: '115' }, { version: '22.23.3', abi: '127' }, NODE_INSIDE];

/** Node for a processor, from npm: the folder with bin/node and include/node. Throws one line when it cannot be had. */
export function fetchNode({ arch }, { version }) {
  const name = `node-linux-${arch}`;
  const prefix = join(work, 'node', `${arch}-${version}`);
  const folder = join(prefix, 'node_modules', name);
  const [program, lead] = npm();
  // --force: npm refuses a package of another processor.
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--force'];
  const words = [...lead, 'install', '--prefix', prefix, ...options, `${name}@${version}`];
  const { code, output } = captureTwice(`Node ${version}`, program, words);
  if (code !== 0) throw new Error(`Node ${version} for ${arch} cannot be fetched: ${output.trim().split('\n').at(-1)}`);
  return folder;
}
