// Releases of Node from npm: packages and checks run with others than the one that runs the scripts.
import { join } from 'node:path';
import { captureTwice, npm } from './run.mjs';

/**
 * Fetches Node for a processor (Node's name for it) into a folder of its own below `folder`: the folder with bin/node and
 * include/node. `version` may be a major alone: its newest. Throws one line when it cannot be had.
 */
export function fetchNode(folder, arch, version) {
  const name = `node-linux-${arch}`;
  const prefix = join(folder, `${arch}-${version}`);
  const [program, lead] = npm();
  // --force: npm refuses a package of another processor.
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--force'];
  const words = [...lead, 'install', '--prefix', prefix, ...options, `${name}@${version}`];
  const { code, output } = captureTwice(`Node ${version}`, program, words);
  if (code !== 0) throw new Error(`Node ${version} for ${arch} cannot be fetched: ${output.trim().split('\n').at(-1)}`);
  return join(prefix, 'node_modules', name);
}
