// Boots one kernel in qemu and hands over what the guest writes, line by line.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createInterface } from 'node:readline';
import { capture } from '../steps/run.mjs';

const QEMU = 'qemu-system-x86_64';
const MACHINE = ['-nodefaults', '-no-reboot', '-display', 'none', '-m', '2048', '-smp', '2'];
const TRIAL_MS = 20_000;
/**
 * An emulator translates code once for each address it lies at: where every process has its libraries elsewhere, a run of
 * a short program takes four times as long. What guards processes from another costs a fifth.
 */
const QUICK = 'norandmaps mitigations=off';

/**
 * 'kvm' when a kernel really boots with it, else 'tcg' (emulation): inside some virtual machines /dev/kvm opens, and the
 * guest never comes to its first instruction.
 */
export function accelerator(kernel, cpu) {
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK);
  } catch {
    return 'tcg';
  }
  // Without a file system the kernel panics, and the machine ends.
  const args = [...MACHINE, '-accel', 'kvm', '-cpu', cpu, '-kernel', kernel, '-serial', 'stdio'];
  const trial = capture(QEMU, [...args, '-append', 'console=ttyS0 panic=-1'], { timeout: TRIAL_MS });
  return trial.code === 0 && trial.output.includes('Linux version') ? 'kvm' : 'tcg';
}

/**
 * Runs a guest to its end. `onLine` gets what it says; the kernel's own words go to the file `consoleLog`. Resolves to
 * the exit code of the plan, or to null when the guest did not come to its end in `limitS` seconds.
 */
export function boot({ kernel, image, accel, cpu, consoleLog, limitS }, onLine) {
  const args = [
    ...[...MACHINE, '-accel', accel, '-cpu', cpu, '-kernel', kernel, '-initrd', image],
    ...['-serial', `file:${consoleLog}`, '-serial', 'stdio'],
    ...['-append', `console=ttyS0 loglevel=4 panic=-1 random.trust_cpu=on ${QUICK}`],
  ];
  const child = spawn(QEMU, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitS * 1000);
  let code = null;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const text = line.replaceAll('\r', '');
    const end = /^end (\d+)$/.exec(text);
    if (end === null) onLine(text);
    else code = Number(end[1]);
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`${QEMU}: ${error.message}`)));
    child.on('close', (status) => {
      clearTimeout(timer);
      if (code === null && status !== null && status !== 0) reject(new Error(said.trim()));
      else resolve(code);
    });
  });
}
