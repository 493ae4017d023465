// Fresh roots of Debian in which a package is installed as a user would: no Node, no compiler, nothing of the checkout.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeRoot } from '../../scripts/steps/apt.mjs';
import { root as checkout } from '../../scripts/steps/files.mjs';
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

/** What a command printed; throws that when it failed or printed something else than `expected`. */
export function judge(line, { code, output }, expected = /(?:)/) {
  if (code !== 0 || !expected.test(output))
    throw new Error(`${line}\n  exit ${code}, not as expected (${expected}): ${output.trimEnd().slice(-800)}`);
  return output;
}

/** What the host knows of its network; a root needs it online. */
const NETWORK = ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt'];

/** A root that is there. Commands see the kernel's folders. */
export function rootAt(path) {
  const mounts = 'mount --bind /sys "$0/sys" && mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev"';
  const enter = (before, line) => ['sh', '-ec', `${mounts}\n${before}\nexec chroot "$0" /bin/sh -c "$1"`, path, line];
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LC_ALL: 'C.UTF-8',
    DEBIAN_FRONTEND: 'noninteractive',
  };
  const run = (line) =>
    capture('unshare', ['--mount', '--net', '--pid', '--fork', ...enter('ip link set lo up', line)], { env });
  return {
    path,
    /** Runs a line of the root's shell as root, in a network with nothing but loopback: what it printed. See judge(). */
    must: (line, expected) => judge(line, run(line), expected),
    /** The same in the host's network. */
    mustOnline: (line, expected) => {
      for (const file of NETWORK.filter(existsSync)) {
        mkdirSync(join(path, dirname(file)), { recursive: true });
        writeFileSync(join(path, file), readFileSync(file));
      }
      return judge(line, capture('unshare', ['--mount', '--pid', '--fork', ...enter('', line)], { env }), expected);
    },
    put: (file, to) => cpSync(file, join(path, to), { recursive: true }),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
