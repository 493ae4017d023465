// Decides for binding.gyp whether the addon is built with eBPF: yes, with skeletons of today's sources, which are made
// where they are missing (node-gyp rebuild clears build/); no when CALLTAP_WITHOUT_EBPF says so; else the build ends.
//
//   node scripts/steps/ebpf.mjs      prints yes or no, exit 1 with a reason
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bpfSources, buildBpf } from '../build-bpf.mjs';
import { list, root } from './files.mjs';
import { missingForBpf } from './packages.mjs';
import { say } from './run.mjs';

/** Set by whoever builds without eBPF and says so. */
const WITHOUT = 'CALLTAP_WITHOUT_EBPF';

/** What the skeletons are made of. */
export function bpfInputs() {
  return [...bpfSources(), ...list('bpf', (name) => name.endsWith('.h')), 'scripts/build-bpf.mjs'];
}

/** Where the skeletons lie. */
export function skeletons() {
  return bpfSources().map((path) => `build/bpf/${basename(path, '.bpf.c')}.skel.h`);
}

function areCurrent() {
  const newest = Math.max(...bpfInputs().map((path) => statSync(join(root, path)).mtimeMs));
  return skeletons().every((path) => existsSync(join(root, path)) && statSync(join(root, path)).mtimeMs >= newest);
}

/** Why there can be no skeletons, and what to do; '' when they are there. */
function made() {
  const missing = missingForBpf();
  if (missing.length > 0)
    return `ebpf: missing ${missing.join(', ')}; install: apt-get install ${missing.join(' ')}, or build without eBPF: ${WITHOUT}=1`;
  if (areCurrent()) return '';
  const error = buildBpf();
  return error === ''
    ? ''
    : `ebpf: the programs do not compile; or build without eBPF: ${WITHOUT}=1\n${error.trimEnd()}`;
}

/** The answer for binding.gyp; null when the build must end. */
function answer() {
  if (process.env[WITHOUT] === '1') return 'no';
  const error = made();
  if (error === '') return 'yes';
  say(error);
  return null;
}

if (process.argv[1] !== undefined && basename(process.argv[1]) === 'ebpf.mjs') {
  const said = answer();
  if (said === null) process.exitCode = 1;
  else process.stdout.write(`${said}\n`);
}
