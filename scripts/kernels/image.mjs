// Makes the file system of a guest: busybox, node, the built checkout or an installed package, and the programs the checks
// call, all in memory.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeRoot } from '../steps/apt.mjs';
import { root } from '../steps/files.mjs';
import { capture, which } from '../steps/run.mjs';

/** Copies a host's file to the same path below `to`, with the libraries it needs. */
function put(to, file) {
  const target = join(to, file);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(realpathSync(file), target);
  for (const [, library] of capture('ldd', [file]).output.matchAll(/(\/\S+) \(0x/g)) put(to, library);
}

/** Paths of libbpf as the loader of this host would find it: the addon may load it late, and ldd then does not name it. */
function libbpf() {
  const { output } = capture('/sbin/ldconfig', ['-p']);
  return [...output.matchAll(/libbpf\.so\.1 .*=> (\/\S+)/g)].map(([, path]) => path);
}

/** What the checkout needs to run: of the modules those that the product has. */
function putCheckout(to) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const modules = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const isTest = /\/dist\/(test|bench)(\/|$)/;
  for (const part of ['dist', 'deploy', 'fixtures/demo', 'package.json', 'build/Release/calltap.node', 'build/bpf'])
    cpSync(join(root, part), join(to, part), { recursive: true, filter: (path) => !isTest.test(path) });
  for (const [path] of modules) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(to, path), { recursive: true });
  }
}

/** Where a guest has the program, its unit and the demo capture. */
const CHECKOUT = {
  node: process.execPath,
  program: [process.execPath, '/calltap/dist/program/calltap.js'],
  demo: '/calltap/fixtures/demo/demo.pcap',
  unit: '/calltap/deploy/calltap.service',
  dropIns: '/calltap/deploy/calltap.service.d',
};
const PACKAGE = {
  node: '/usr/lib/calltap/bin/node',
  program: ['/usr/bin/calltap'],
  demo: '/usr/lib/calltap/fixtures/demo/demo.pcap',
  unit: '/usr/lib/systemd/system/calltap.service',
  dropIns: '/usr/share/doc/calltap/examples/calltap.service.d',
};

/** What a package depends on and what its checks call, of the guest's own release. */
const DEBIAN = ['base-files', 'libc6', 'libstdc++6', 'libgcc-s1', 'busybox-static', 'util-linux', 'openssl'];

/** A root of the release with the package unpacked in it; scripts of packages are not run, for it may be another processor. */
function putPackage(to, { deb, architecture, userland }) {
  makeRoot(to, { release: userland, variant: 'extract', include: DEBIAN, architecture });
  const unpacked = capture('dpkg-deb', ['-x', deb, to]);
  if (unpacked.code !== 0) throw new Error(unpacked.output.trim());
}

/** The built checkout, node, and what they need of this host. */
function putBuild(to) {
  // Debian has one that is linked statically and one that is not; either may be installed.
  for (const path of [
    '/bin/busybox',
    which('setpriv'),
    process.execPath,
    ...libbpf(),
    join(root, 'build/Release/calltap.node'),
  ])
    put(to, path);
  rmSync(join(to, root), { recursive: true, force: true });
  putCheckout(join(to, 'calltap'));
}

/** Compiles a check's program beside the others; throws what the compiler says. */
function compile(source, to, libraries) {
  mkdirSync(dirname(to), { recursive: true });
  if (source.endsWith('.go')) {
    // Without C: the program needs no library of the host.
    const env = { ...process.env, CGO_ENABLED: '0', GO111MODULE: 'off' };
    const built = capture('go', ['build', '-ldflags=-s -w', '-o', to, source], { env });
    if (built.code !== 0) throw new Error(`${source} does not compile: ${built.output.trim()}`);
    return;
  }
  const flags = ['-std=gnu11', '-O1', '-g', '-Wall', '-pthread', source, '-o', to, ...libraries.map((l) => `-l${l}`)];
  const made = capture('gcc', flags);
  if (made.code !== 0) throw new Error(`${source} does not compile: ${made.output.trim()}`);
}

/** Takes the names of a program away; returns the virtual addresses of those functions. */
function stripped(binary, functions) {
  const found = [...capture('nm', [binary]).output.matchAll(/^0*([0-9a-f]+) [Tt] (\w+)$/gm)];
  const addresses = new Map(found.map(([, address, name]) => [name, `0x${address}`]));
  const done = capture('strip', ['--strip-all', binary]);
  if (done.code !== 0) throw new Error(done.output.trim());
  return Object.fromEntries(functions.map((name) => [name, addresses.get(name)]));
}

/**
 * Writes an initramfs that runs `plan` (see guest/run.mjs): with the checkout, or with a package, { deb, architecture,
 * userland }, on a release of Debian. `programs` are paths or names of the host, `sources` are programs in C or Go:
 * {source, libraries}, in the guest at /kernels/bin/NAME; both go with the checkout only.
 */
export function makeImage(folder, { plan, installed, programs, sources, files }) {
  const to = join(folder, 'root');
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  if (installed === null) putBuild(to);
  else putPackage(to, installed);
  for (const part of ['proc', 'sys', 'dev', 'tmp', 'root', 'etc', 'run', 'kernels/bin'])
    mkdirSync(join(to, part), { recursive: true });
  chmodSync(join(to, 'tmp'), 0o1777);
  for (const name of programs) {
    const path = name.startsWith('/') ? name : which(name);
    if (path === null || !existsSync(path)) throw new Error(`${name} is missing here; a check needs it in the guest`);
    put(to, path);
  }
  cpSync(join(root, 'scripts/kernels/guest'), join(to, 'kernels'), { recursive: true });
  for (const file of files)
    cpSync(file, join(to, 'kernels', file.slice(file.lastIndexOf('/') + 1)), { recursive: true });
  for (const { source, libraries = [], given = [] } of sources) {
    const name = source.slice(source.lastIndexOf('/') + 1).replace(/\.(c|go)$/, '');
    const binary = join(folder, 'bin', name);
    compile(source, binary, libraries);
    if (given.length > 0) writeFileSync(join(to, `kernels/bin/${name}.json`), JSON.stringify(stripped(binary, given)));
    cpSync(binary, join(to, 'kernels/bin', name));
    for (const [, library] of capture('ldd', [binary]).output.matchAll(/(\/\S+) \(0x/g)) put(to, library);
  }
  const place = installed === null ? CHECKOUT : PACKAGE;
  writeFileSync(join(to, 'kernels/plan.json'), JSON.stringify({ ...plan, place }));
  writeFileSync(join(to, 'kernels/node'), place.node);
  chmodSync(join(to, 'kernels/init'), 0o755);
  execFileSync('ln', ['-sf', 'kernels/init', join(to, 'init')]);
  // Not compressed: under emulation the guest takes longer to unpack it than the host to read it.
  const image = join(folder, 'initramfs.cpio');
  execFileSync('sh', ['-c', `cd "$1" && find . | cpio -o -H newc --quiet > "$2"`, 'sh', to, image]);
  rmSync(to, { recursive: true });
  return image;
}
