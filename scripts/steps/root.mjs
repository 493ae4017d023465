// Commands in a root of Debian that is a folder: in the host's network to install, without any to try.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { capture } from './run.mjs';

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
