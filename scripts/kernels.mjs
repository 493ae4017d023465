// Runs the built checkout under the kernels of Debian's releases, each in a virtual machine:
//
//   npm run kernels                               all of them
//   npm run kernels -- 6.1 sid                    some
//   npm run kernels -- --check filter --user root one check, for one of its users
//   npm run kernels -- --check canaries --runs 50 each canary so often; 5 when nothing is said
//   npm run kernels -- 6.1 --deb FILE             a package, amd64 or arm64, instead of the checkout
//   npm run kernels -- 6.12 --cpu qemu64 --command 'uname -a' --with /usr/bin/openssl
//
// --renew fetches newer kernels. docs/development.md says what it needs and how long it takes.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { accelerator, boot } from './kernels/boot.mjs';
import { CANARIES, CHECKS } from './kernels/checks.mjs';
import { makeImage } from './kernels/image.mjs';
import { GUESTS } from './kernels/machines.mjs';
import { folder, KERNELS, kernelImage } from './kernels/packages.mjs';
import { table } from './kernels/table.mjs';
import { root } from './steps/files.mjs';
import { capture, say, seconds, which } from './steps/run.mjs';

const LIMIT_S = 7200;

/** The command line, or a line that says what is wrong with it. */
function asked() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      cpu: { type: 'string' },
      check: { type: 'string', multiple: true, default: [] },
      user: { type: 'string', multiple: true, default: [] },
      command: { type: 'string' },
      deb: { type: 'string' },
      with: { type: 'string', multiple: true, default: [] },
      renew: { type: 'boolean', default: false },
      runs: { type: 'string', default: '5' },
    },
  });
  const kernels = positionals.length === 0 ? KERNELS : KERNELS.filter(({ name }) => positionals.includes(name));
  const isAsked = (user) => values.user.length === 0 || values.user.includes(user);
  const checks = CHECKS.filter(({ name }) => values.check.length === 0 || values.check.includes(name))
    .filter(({ isOfPackage }) => values.deb === undefined || isOfPackage === true)
    .map((check) => ({
      ...check,
      users: check.users.filter(isAsked),
      run: check.isRepeated === true ? [...check.run, values.runs] : check.run,
    }))
    .filter(({ users }) => users.length > 0);
  const names = new Set([...KERNELS, ...CHECKS].map(({ name }) => name));
  const unknown = [...positionals, ...values.check].find((name) => !names.has(name));
  if (unknown !== undefined || kernels.length === 0 || checks.length === 0)
    throw new Error(`there is no ${unknown ?? 'such kernel, check or user'}; known are ${[...names].join(', ')}`);
  if (values.deb !== undefined && values.with.length > 0)
    throw new Error('--with copies programs of this host; give it without --deb');
  return { ...values, kernels, checks, machine: machineOf(values.deb) };
}

/** The processor of a package; without one that of the guests with the checkout. */
function machineOf(deb) {
  if (deb === undefined) return GUESTS.amd64;
  const { output } = capture('dpkg-deb', ['--field', deb, 'Architecture']);
  const machine = GUESTS[output.trim()];
  if (machine === undefined) throw new Error(`${deb} is no package for ${Object.keys(GUESTS).join(' or ')}`);
  return machine;
}

/** What is missing here to run guests, in one line; '' when nothing is. */
function missing({ sources, deb, machine }) {
  if (deb === undefined && process.arch !== 'x64') return 'the guests are x86-64 machines, and so must this one be';
  const needed = { [machine.qemu]: machine.package, cpio: 'cpio' };
  if (deb === undefined) needed.busybox = 'busybox-static';
  else needed.mmdebstrap = 'mmdebstrap';
  const programs = Object.entries(needed).filter(([program]) => which(program) === null);
  const has = ({ header, program }) => (program ? which(program) !== null : existsSync(join('/usr/include', header)));
  const headers = sources.filter(({ needs }) => needs && !has(needs));
  const packages = [...programs.map(([, name]) => name), ...headers.map(({ needs }) => needs.package)];
  if (packages.length > 0) return `apt-get install ${packages.join(' ')}`;
  return deb !== undefined || existsSync(join(root, 'build/Release/calltap.node')) ? '' : 'run npm run setup first';
}

/** Builds them for the guests, where there is no compiler; one that lacks a header here is left out, and says so there. */
async function buildAllCanaries() {
  const built = join(root, 'dist/test/live/canary-build.js');
  if (!existsSync(built)) throw new Error('run npm run build first: the canaries are built by it');
  const { buildCanaries } = await import(pathToFileURL(built).href);
  await buildCanaries(CANARIES);
}

async function runGuest(kernel, options) {
  const start = performance.now();
  const result = { name: kernel.name, release: '', claims: [], code: null };
  const consoleLog = join(folder, `console-${kernel.name}.log`);
  result.code = await boot({ ...options, kernel: kernel.path, consoleLog, limitS: LIMIT_S }, (line) => {
    const [, version] = /^kernel (.*)$/.exec(line) ?? [];
    const [, word, check, user, claim, words] = /^(ok|not ok) (\S+) (\S+) ([^:]*): (.*)$/.exec(line) ?? [];
    if (version !== undefined) result.release = version;
    else if (word !== undefined) result.claims.push({ isTrue: word === 'ok', check, user, claim, words });
    process.stdout.write(`${options.isCommand ? '' : `${kernel.name}: `}${line}\n`);
  });
  const ended = result.code === null ? `it did not come to its end; see ${consoleLog}` : `exit code ${result.code}`;
  say(`kernels: ${kernel.name} ${result.release}: ${ended}, ${seconds(start)}`);
  return result;
}

async function main() {
  const options = asked();
  const { checks, command, deb, machine } = options;
  // A package is tried with what Debian has; the checkout with what this host has and compiles.
  const each = (key) => (deb === undefined ? checks.flatMap((check) => check[key] ?? []) : []);
  const lacks = missing({ sources: each('sources'), deb, machine });
  if (lacks !== '') throw new Error(lacks);
  mkdirSync(folder, { recursive: true });
  if (checks.some(({ name }) => name === 'canaries')) await buildAllCanaries();
  const architecture = machine.deb;
  const kernels = options.kernels.map((kernel) => ({ ...kernel, path: kernelImage(kernel, architecture, options) }));
  const cpu = options.cpu ?? machine.cpu;
  const accel = accelerator(machine, kernels[0].path, cpu);
  say(`kernels: ${accel === 'kvm' ? 'with' : 'without'} virtualisation (${accel})`);
  const imageOf = (installed) =>
    makeImage(folder, {
      plan: { command, checks },
      installed,
      programs: [...each('programs'), ...options.with],
      sources: each('sources'),
      files: each('files'),
    });
  const results = [];
  const ofCheckout = deb === undefined ? imageOf(null) : null;
  for (const kernel of kernels) {
    const image = ofCheckout ?? imageOf({ deb, architecture, userland: kernel.userland });
    results.push(await runGuest(kernel, { machine, image, accel, cpu, isCommand: command !== undefined }));
  }
  if (command === undefined) process.stdout.write(`\n${table(results)}\n`);
  process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;
}

try {
  await main();
} catch (error) {
  say(`kernels: ${error.message}`);
  process.exitCode = 2;
}
