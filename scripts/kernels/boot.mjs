// Boots one kernel in qemu and hands over what the guest writes, line by line.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createInterface } from 'node:readline';
import { capture } from '../steps/run.mjs';

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
export function accelerator({ qemu, words, console }, kernel, cpu) {
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK);
  } catch {
    return 'tcg';
  }
  // Without a file system the kernel panics, and the machine ends.
  const args = [...words, '-accel', 'kvm', '-cpu', cpu, '-kernel', kernel, '-serial', 'stdio'];
  const trial = capture(qemu, [...args, '-append', `console=${console} panic=-1`], { timeout: TRIAL_MS });
  return trial.code === 0 && trial.output.includes('Linux version') ? 'kvm' : 'tcg';
}

/**
 * Runs a guest of a machine (machines.mjs) to its end. `more` words are for its kernel. `onLine` gets what it says; the kernel's own words go to the file `consoleLog`. Resolves to
 * the exit code of the plan, or to null when the guest did not come to its end in `limitS` seconds.
 */
export function boot({ machine, kernel, image, accel, cpu, consoleLog, limitS, more = '' }, onLine) {
  const { qemu, words, console, results, device } = machine;
  const args = [
    ...[...words, '-accel', accel, '-cpu', cpu, '-kernel', kernel, '-initrd', image],
    ...['-serial', `file:${consoleLog}`, '-chardev', 'stdio,id=results', '-device', `${device},chardev=results`],
    // What the kernel does not know, the guest's first program finds in its environment.
    ...['-append', `console=${console} results=${results} loglevel=4 panic=-1 random.trust_cpu=on ${QUICK} ${more}`],
  ];
  const child = spawn(qemu, args, { stdio: ['ignore', 'pipe', 'pipe'] });
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
    child.on('error', (error) => reject(new Error(`${qemu}: ${error.message}`)));
    child.on('close', (status) => {
      clearTimeout(timer);
      if (code === null && status !== null && status !== 0) reject(new Error(said.trim()));
      else resolve(code);
    });
  });
}
