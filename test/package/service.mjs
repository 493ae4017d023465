// The service as a package installs it, under a kernel of Debian in an emulator with systemd as the first program: its
// sandbox, its user and its limits are the real ones.
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accelerator, boot } from '../../scripts/kernels/boot.mjs';
import { GUESTS } from '../../scripts/kernels/machines.mjs';
import { KERNELS, kernelImage } from '../../scripts/kernels/packages.mjs';
import { root as checkout } from '../../scripts/steps/files.mjs';
import { say } from '../../scripts/steps/run.mjs';
import { folder, freshRoot } from './root.mjs';

const TOOLS = ['systemd', 'ca-certificates', 'openssl', 'curl', 'iproute2', 'procps'];
const LIMIT_S = 1800;
/** What service.sh finds true. */
const CLAIMS = ['service', 'filter', 'live', 'TLS exchange', 'stop'];
const UNIT = ['[Unit]', 'After=multi-user.target', '[Service]', 'ExecStart=/bin/sh /opt/service.sh', ''].join('\n');

/** The file system of the guest, all in memory. */
function makeImage(deb, { userland }) {
  const root = freshRoot(userland, TOOLS);
  root.put(deb, 'opt/calltap.deb');
  root.must('apt-get install -y --no-install-recommends /opt/calltap.deb && rm /opt/calltap.deb');
  root.put(join(checkout, 'test/package/service.sh'), 'opt/service.sh');
  writeFileSync(join(root.path, 'etc/systemd/system/try.service'), UNIT);
  symlinkSync('lib/systemd/systemd', join(root.path, 'init'));
  const image = join(folder, 'service.cpio');
  execFileSync('sh', ['-c', 'cd "$1" && find . -xdev | cpio -o -H newc --quiet >"$2"', 'sh', root.path, image]);
  root.remove();
  return image;
}

/** Boots the kernel of this name with the package installed; throws the claims that do not hold. */
export async function service(deb, name) {
  const kernel = KERNELS.find((each) => each.name === name);
  const machine = { ...GUESTS.amd64, words: [...GUESTS.amd64.words, '-m', '3072'] };
  const path = kernelImage(kernel, machine.deb, { renew: false });
  const consoleLog = join(folder, `console-${name}.log`);
  const accel = accelerator(machine, path, machine.cpu);
  const image = makeImage(deb, kernel);
  const held = [];
  const how = { accel, cpu: machine.cpu, consoleLog, limitS: LIMIT_S, more: 'systemd.wants=try.service' };
  const code = await boot({ machine, kernel: path, image, ...how }, (line) => {
    say(`  ${line}`);
    const [, claim] = /^ok ([^:(]+?) *[:(]/.exec(line) ?? [];
    if (claim !== undefined) held.push(claim);
  });
  if (code === null) throw new Error(`the guest did not come to its end; see ${consoleLog}`);
  const missing = CLAIMS.filter((claim) => !held.includes(claim));
  if (missing.length > 0) throw new Error(`does not hold: ${missing.join(', ')}`);
}
