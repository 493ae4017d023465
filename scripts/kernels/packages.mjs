// Brings Debian's kernels into build/kernels: apt does it, from the archive that this machine's apt uses, with the other
// releases beside its own in a folder of ours. Signatures are checked as always; nothing of the host's apt changes.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { archives, ownApt, updateLists } from '../steps/apt.mjs';
import { root } from '../steps/files.mjs';
import { capture, captureTwice, say } from '../steps/run.mjs';

/** What a user names, the release that has it, and the one that an installed package finds: not older than glibc 2.34. */
export const KERNELS = [
  { name: '5.10', release: 'bullseye', userland: 'bookworm' },
  { name: '6.1', release: 'bookworm', userland: 'bookworm' },
  { name: '6.12', release: 'trixie', userland: 'trixie' },
  { name: 'sid', release: 'sid', userland: 'sid' },
];

export const folder = join(root, 'build/kernels');
const state = join(folder, 'apt');

/** The package with the kernel that the release's `linux-image-amd64` stands for. Throws one line. */
function newest(release, options, architecture) {
  const failed = updateLists(options, release);
  const shown = capture('apt-cache', [...options, 'show', `linux-image-${architecture}:${architecture}`]);
  const version = /^Depends:.*?\blinux-image-(\d[^\s,]*)/m.exec(shown.output)?.[1];
  if (version === undefined)
    throw new Error(`${release} has no kernel: ${failed.trim().split('\n').at(-1) || 'no answer'}`);
  // Newer releases keep the kernel itself in a package of its own.
  const isApart = capture('apt-cache', [...options, 'show', `linux-binary-${version}:${architecture}`]).code === 0;
  return `linux-${isApart ? 'binary' : 'image'}-${version}:${architecture}`;
}

/** The kernel's image of an architecture as a file, brought here unless it is there already; with `renew` in any case. Throws one line. */
export function kernelImage({ name, release }, architecture, { renew }) {
  const path = join(folder, `vmlinuz-${name}-${architecture}`);
  if (existsSync(path) && !renew) return path;
  const scratch = join(folder, `download-${name}`);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const options = ownApt(join(state, release), [`deb ${archives().main} ${release} main`], ['amd64', architecture]);
  const wanted = newest(release, options, architecture);
  say(`kernels: ${wanted}`);
  const got = captureTwice(wanted, 'apt-get', [...options, '-q', 'download', wanted], { cwd: scratch });
  const deb = readdirSync(scratch).find((file) => file.endsWith('.deb'));
  if (deb === undefined) throw new Error(`${wanted} cannot be had: ${got.output.trim().split('\n').at(-1)}`);
  const unpacked = capture('dpkg-deb', ['-x', join(scratch, deb), join(scratch, 'root')]);
  if (unpacked.code !== 0) throw new Error(unpacked.output.trim());
  const image = readdirSync(join(scratch, 'root'), { recursive: true }).find((file) => /\/vmlinuz[^/]*$/.test(file));
  if (image === undefined) throw new Error(`${wanted} brings no kernel image`);
  renameSync(join(scratch, 'root', image), path);
  rmSync(scratch, { recursive: true });
  rmSync(join(state, release), { recursive: true });
  return path;
}
