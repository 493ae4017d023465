// Roots of Debian's releases, with the programs installed as their packages are, and the Nodes of npm. Kept in a folder
// for the next run.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRoot } from '../steps/apt.mjs';
import { fetchNode } from '../steps/node.mjs';
import { rootAt } from '../steps/root.mjs';
import { say, seconds } from '../steps/run.mjs';

export const RELEASES = ['bullseye', 'bookworm', 'trixie', 'sid'];

/** The root of a release, made unless it is there already; apt in it knows what the archive has today. */
export function releaseRoot(folder, release) {
  const start = performance.now();
  const path = join(folder, release);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    // One that failed is no root.
    const making = `${path}.making`;
    rmSync(making, { recursive: true, force: true });
    makeRoot(making, { release, variant: 'minbase', include: ['ca-certificates'] });
    const noService = join(making, 'usr/sbin/policy-rc.d');
    writeFileSync(noService, '#!/bin/sh\nexit 101\n');
    chmodSync(noService, 0o755);
    renameSync(making, path);
  }
  const root = rootAt(path);
  root.mustOnline('apt-get -q update');
  say(`tls-coverage: root of ${release} (${seconds(start)})`);
  return root;
}

/** Installs them; { version } of the first, { absent } where the release has none, or { reason } where that failed. */
export function install(root, packages) {
  const [first] = packages;
  const known = root.must(`apt-cache policy ${first}`);
  if (!/^ +Candidate: \d/m.test(known)) return { absent: true };
  try {
    root.mustOnline(`apt-get -q -y --no-install-recommends install ${packages.join(' ')}`);
  } catch (error) {
    const lines = error.message.trim().split('\n');
    return { reason: `not installed: ${lines.findLast((line) => /^(E:|dpkg)/.test(line)) ?? lines.at(-1)}` };
  }
  return { version: root.must(`dpkg-query -W -f '\${Version}' ${first}`).trim() };
}

/** Fetches a Node by its major: { version, node }, its path, or { reason }. */
export function installNode(folder, major) {
  try {
    const at = fetchNode(join(folder, 'npm'), process.arch, major);
    const { version } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
    return { version, node: join(at, 'bin/node') };
  } catch (error) {
    return { reason: `not installed: ${error.message}` };
  }
}

/** The words that run a line of the root's shell in its folder /srv, which is `folder`, and stay with its process number. */
export function inRoot(root, folder, line) {
  const mounts = 'mount --bind /dev "$0/dev"; mount -t proc proc "$0/proc"; mount --bind "$2" "$0/srv"';
  const enter =
    'exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 /bin/sh -c';
  return ['unshare', ['--mount', 'sh', '-ec', `${mounts}; ${enter} "cd /srv && $1"`, root.path, line, folder]];
}
