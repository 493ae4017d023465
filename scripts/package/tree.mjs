// The files of a package as they lie on a host, for .deb, .rpm and .tar.gz alike: below /usr, with Node inside.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle } from '../steps/bundle.mjs';
import { bundleConsole } from '../steps/console.mjs';
import { root } from '../steps/files.mjs';
import { capture, captureTwice, npm } from '../steps/run.mjs';
import { NODE_INSIDE, work } from './machines.mjs';

export const { version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Seconds since the epoch of the last commit: the time of every file and package, so that two builds are equal. */
export function sourceDate() {
  const { code, output } = capture('git', ['log', '-1', '--format=%ct']);
  if (code !== 0) throw new Error('packages are made in a git checkout: their files carry the time of its last commit');
  return Number(output.trim());
}

export const MAINTAINER = 'calltap developers <calltap@localhost.invalid>';

/** Debian asks each package for a changelog of this form; ours lies beside it. */
function debianChangelog() {
  const date = new Date(sourceDate() * 1000).toUTCString().replace('GMT', '+0000');
  return `calltap (${version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- ${MAINTAINER}  ${date}\n`;
}

/**
 * What packages of npm bring beside what runs: files by their names; folders only where they lie directly in a package,
 * for further below a folder `doc` may hold a part of the program.
 */
const UNUSED_FILE = /\.([cm]?ts|map|md)$|\/\.[^/]+$/;
const UNUSED_FOLDER = /\/node_modules\/(@[^/]+\/)?[^/]+\/(tests?|docs?|examples?|benchmarks?|integration|bin)$/;

/** Node's programs of npm for the runtime, without what only a build needs: the folder that holds node_modules. */
export function runtimePackages() {
  const at = join(work, 'runtime');
  rmSync(at, { recursive: true, force: true });
  mkdirSync(at, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(root, name), join(at, name));
  const [program, lead] = npm();
  const words = [...lead, 'ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = captureTwice('packages of npm', program, words, { cwd: at });
  if (code !== 0) throw new Error(output.trimEnd());
  return at;
}

function isUsed(source) {
  if (statSync(source).isDirectory()) return !UNUSED_FOLDER.test(source);
  return !UNUSED_FILE.test(source) || /licen[cs]e|notice/i.test(basename(source));
}

/** Copies what runs of node_modules: no types, tests or documents, and not nan, which is headers. */
function copyRuntime(from, to) {
  for (const entry of readdirSync(join(from, 'node_modules'))) {
    if (entry === 'nan' || entry.startsWith('.')) continue;
    cpSync(join(from, 'node_modules', entry), join(to, 'node_modules', entry), {
      recursive: true,
      filter: isUsed,
    });
  }
}

/** Every file and folder below a folder, in one order. */
export function below(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => ({ entry, path: join(entry.parentPath ?? entry.path, entry.name) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Owner, rights and time of all files become those of a package. */
function settle(tree) {
  const date = sourceDate();
  for (const { entry, path } of below(tree)) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = entry.isDirectory() || (statSync(path).mode & 0o100 && /\/bin\/|\.sh$/.test(path));
    chmodSync(path, isProgram ? 0o755 : 0o644);
    utimesSync(path, date, date);
  }
}

/** Files of the checkout and where they go. A name that ends in .gz is compressed. */
const FILES = {
  'deploy/package/calltap': 'usr/lib/calltap/bin/calltap',
  'package.json': 'usr/lib/calltap/package.json',
  'fixtures/demo': 'usr/lib/calltap/fixtures/demo',
  'deploy/store': 'usr/lib/calltap/deploy/store',
  'deploy/calltap.service': 'usr/lib/systemd/system/calltap.service',
  'deploy/calltap.toml': 'etc/calltap.toml',
  'deploy/logrotate/calltap': 'etc/logrotate.d/calltap',
  'docs/calltap.1': 'usr/share/man/man1/calltap.1.gz',
  'deploy/completion/calltap.bash': 'usr/share/bash-completion/completions/calltap',
  'deploy/completion/_calltap': 'usr/share/zsh/vendor-completions/_calltap',
  'deploy/completion/calltap.fish': 'usr/share/fish/vendor_completions.d/calltap.fish',
  'README.md': 'usr/share/doc/calltap/README.md',
  'CHANGELOG.md': 'usr/share/doc/calltap/CHANGELOG.md.gz',
  docs: 'usr/share/doc/calltap/docs',
  'deploy/package/copyright': 'usr/share/doc/calltap/copyright',
  'deploy/package/lintian-overrides': 'usr/share/lintian/overrides/calltap',
  'deploy/calltap.service.d': 'usr/share/doc/calltap/examples/calltap.service.d',
  'deploy/tmpfiles.d': 'usr/share/doc/calltap/examples/tmpfiles.d',
  'deploy/fail2ban': 'usr/share/doc/calltap/examples/fail2ban',
  'deploy/prometheus': 'usr/share/doc/calltap/examples/prometheus',
  'deploy/grafana': 'usr/share/doc/calltap/examples/grafana',
  'deploy/kubernetes': 'usr/share/doc/calltap/examples/kubernetes',
  'deploy/examples': 'usr/share/doc/calltap/examples/config',
};

/** Makes the tree of a processor and returns its folder. `bom` is the text of the bill of materials. */
export async function makeTree({ arch, cc }, { nodeFolder, addon, runtime, bom }) {
  const tree = join(work, `tree-${arch}`);
  rmSync(tree, { recursive: true, force: true });
  for (const [from, to] of Object.entries(FILES)) {
    const path = join(tree, to);
    mkdirSync(dirname(path), { recursive: true });
    if (to.endsWith('.gz')) writeFileSync(path, gzipSync(readFileSync(join(root, from)), { level: 9 }));
    else cpSync(join(root, from), path, { recursive: true });
  }
  const lib = join(tree, 'usr/lib/calltap');
  const node = join(lib, 'bin/node');
  cpSync(join(nodeFolder, 'bin/node'), node);
  const stripped = capture(`${cc}strip`, ['--strip-unneeded', node]);
  if (stripped.code !== 0) throw new Error(stripped.output);
  await bundle(join(lib, 'dist/program'));
  await bundleConsole(join(lib, 'dist/console'));
  copyRuntime(runtime, lib);
  mkdirSync(join(lib, `prebuilds/linux-${arch}`), { recursive: true });
  cpSync(addon, join(lib, `prebuilds/linux-${arch}/node-${NODE_INSIDE.abi}.node`));
  const doc = join(tree, 'usr/share/doc/calltap');
  cpSync(join(nodeFolder, 'LICENSE'), join(doc, 'LICENSE.node'));
  writeFileSync(join(doc, 'bom.cdx.json'), bom);
  writeFileSync(join(doc, 'changelog.gz'), gzipSync(debianChangelog(), { level: 9 }));
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  symlinkSync('../lib/calltap/bin/calltap', join(tree, 'usr/bin/calltap'));
  settle(tree);
  return tree;
}
