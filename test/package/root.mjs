// Fresh roots of Debian in which a package is installed as a user would: no Node, no compiler, nothing of the checkout.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { archives } from '../../scripts/steps/apt.mjs';
import { root as checkout } from '../../scripts/steps/files.mjs';
import { capture, say, seconds } from '../../scripts/steps/run.mjs';

const folder = join(checkout, 'build/package-test');
export const packages = join(checkout, 'build/packages');

/** A clean root of a release, made once and copied for each use: { path, run, inNamespace, remove }. */
export function freshRoot(release, include = ['systemd', 'ca-certificates']) {
  const image = join(folder, `${release}.tar`);
  if (!existsSync(image)) {
    const start = performance.now();
    mkdirSync(folder, { recursive: true });
    const words = ['--variant=minbase', `--include=${include.join(',')}`, release, image, archives().main];
    const made = capture('mmdebstrap', words);
    if (made.code !== 0)
      throw new Error(`mmdebstrap ${release}: ${made.output.trim().split('\n').slice(-5).join('\n')}`);
    say(`package-test: root of ${release} (${seconds(start)})`);
  }
  const path = join(folder, `root-${release}`);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  const unpacked = capture('tar', ['-xf', image, '-C', path]);
  if (unpacked.code !== 0) throw new Error(unpacked.output);
  return rootAt(path);
}

/** A root that is there. Commands see the kernel's folders and a network of their own, whose loopback is up. */
export function rootAt(path) {
  const enter = [
    'mount --bind /sys "$0/sys" && mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev"',
    'ip link set lo up',
    'exec chroot "$0" /bin/sh -c "$1"',
  ].join('\n');
  return {
    path,
    /** Runs a command line of the root's shell as root: { code, output }. */
    run: (line) =>
      capture('unshare', ['--mount', '--net', '--pid', '--fork', 'sh', '-ec', enter, path, line], {
        env: {
          PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
          LC_ALL: 'C.UTF-8',
          DEBIAN_FRONTEND: 'noninteractive',
        },
      }),
    put: (file, to) => cpSync(file, join(path, to)),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
