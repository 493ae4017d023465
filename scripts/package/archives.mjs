// Makes .deb, .rpm and .tar.gz of a tree, and the tarball of npm; each the same, byte for byte, for the same sources.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle } from '../steps/bundle.mjs';
import { root } from '../steps/files.mjs';
import { capture } from '../steps/run.mjs';
import { MACHINES, NODES, work } from './machines.mjs';
import { below, description, license, MAINTAINER, sourceDate, version } from './tree.mjs';

/** Where finished packages lie. */
export const packages = join(root, 'build/packages');

const LONG_DESCRIPTION = [
  'calltap watches SIP signaling and RTP media on a voice server and answers what',
  'happened to a call, and why. It reads interfaces, capture files, HEP mirrors and,',
  'through probes on the TLS library, SIP inside TLS. Answers come as a table, as',
  'JSON, and over an HTTP API with Prometheus metrics.',
];
const CONFFILES = ['/etc/calltap.toml', '/etc/logrotate.d/calltap'];

/** Runs what makes a package, with its clock stopped. Throws what it said. */
function run(program, args, options = {}) {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(sourceDate()), LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  const { code, output } = capture(program, args, { env, ...options });
  if (code !== 0) throw new Error(`${program}: ${output.trimEnd()}`);
}

/** The tar of a folder's content, compressed by gzip. */
function tarball(folder, names, path) {
  const order = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${sourceDate()}`];
  const words = ['--format=gnu', ...order, '--use-compress-program=gzip -9n', '-cf', path, '-C', folder, ...names];
  run('tar', words);
  return path;
}

export function makeDeb({ arch, deb }, tree) {
  const at = join(work, `deb-${arch}`);
  rmSync(at, { recursive: true, force: true });
  cpSync(tree, at, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const control = join(at, 'DEBIAN');
  mkdirSync(control);
  const size = Math.ceil(
    below(tree).reduce((sum, { entry, path }) => sum + (entry.isFile() ? statSync(path).size : 0), 0) / 1024,
  );
  const fields = [
    'Package: calltap',
    `Version: ${version}`,
    `Architecture: ${deb}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${size}`,
    'Depends: libc6 (>= 2.34), libstdc++6 (>= 11), libgcc-s1, passwd, procps',
    'Recommends: libpcap0.8t64 | libpcap0.8',
    'Suggests: zstd, xz-utils, bzip2, lz4',
    'Section: net',
    'Priority: optional',
    `Description: ${description.slice(0, 1).toLowerCase()}${description.slice(1)}`,
    ...LONG_DESCRIPTION.map((line) => ` ${line}`),
  ];
  writeFileSync(join(control, 'control'), `${fields.join('\n')}\n`);
  writeFileSync(join(control, 'conffiles'), `${CONFFILES.join('\n')}\n`);
  for (const name of ['postinst', 'prerm', 'postrm']) {
    cpSync(join(root, 'deploy/package', name), join(control, name));
    run('chmod', ['755', join(control, name)]);
  }
  const sums = below(tree)
    .filter(({ entry, path }) => entry.isFile() && !CONFFILES.includes(path.slice(tree.length)))
    .map(({ path }) => capture('md5sum', [path.slice(tree.length + 1)], { cwd: tree }).output);
  writeFileSync(join(control, 'md5sums'), sums.join(''));
  for (const { entry, path } of below(control)) if (entry.isFile()) utimesSync(path, sourceDate(), sourceDate());
  const path = join(packages, `calltap_${version}_${deb}.deb`);
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z9', '--threads-max=1', '--build', at, path]);
  rmSync(at, { recursive: true });
  return path;
}

export function makeRpm({ arch, rpm }, tree) {
  const at = join(work, `rpm-${arch}`);
  rmSync(at, { recursive: true, force: true });
  mkdirSync(at, { recursive: true });
  const script = (name) => readFileSync(join(root, 'deploy/package', name), 'utf8').replace(/^#!.*\n/, '');
  const date = new Date(sourceDate() * 1000);
  const files = below(tree)
    .filter(({ entry, path }) => !entry.isDirectory() || path.startsWith(join(tree, 'usr/lib/calltap')))
    .map(({ entry, path }) => {
      const name = path.slice(tree.length);
      if (CONFFILES.includes(name)) return `%config(noreplace) "${name}"`;
      return entry.isDirectory() ? `%dir "${name}"` : `"${name}"`;
    });
  const spec = [
    '%global debug_package %{nil}',
    '%global __os_install_post %{nil}',
    '%global _build_id_links none',
    '%global _binary_payload w9.xzdio',
    '%global _buildhost calltap',
    '%global use_source_date_epoch_as_buildtime 1',
    '%global clamp_mtime_to_source_date_epoch 1',
    'Name: calltap',
    `Version: ${version.replaceAll('-', '~')}`,
    'Release: 1',
    `Summary: ${description}`,
    `License: ${license}`,
    'AutoReqProv: no',
    'Requires: glibc >= 2.34, libstdc++, shadow-utils, procps-ng',
    'Recommends: libpcap',
    'Suggests: zstd, xz, bzip2, lz4',
    '%description',
    ...LONG_DESCRIPTION,
    '%install',
    `mkdir -p %{buildroot} && cp -a ${tree}/. %{buildroot}/`,
    '%post',
    `set -- configure\n${script('postinst')}`,
    '%preun',
    `[ "$1" = 0 ] || exit 0\nset -- remove\n${script('prerm')}`,
    '%postun',
    `[ "$1" = 0 ] || exit 0\nset -- remove\n${script('postrm')}`,
    '%files',
    '%defattr(-,root,root,-)',
    '%dir "/usr/lib/calltap"',
    ...new Set(files),
    `%changelog\n* ${date.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+).*/, '$1 $3 $2 $4')} ${MAINTAINER} - ${version}-1\n- see changelog.gz`,
  ];
  writeFileSync(join(at, 'calltap.spec'), `${spec.join('\n')}\n`);
  run('rpmbuild', ['-bb', '--quiet', `--target=${rpm}-linux`, `--define=_topdir ${at}`, join(at, 'calltap.spec')]);
  const path = join(packages, `calltap-${version}-1.${rpm}.rpm`);
  renameSync(join(at, 'RPMS', rpm, basename(path)), path);
  rmSync(at, { recursive: true });
  return path;
}

/** The same files, to be unpacked in any folder: what lies below /usr, and etc/ beside it. */
export function makeTar({ arch, deb }, tree) {
  const name = `calltap-${version}-linux-${deb}`;
  const at = join(work, `tar-${arch}`);
  rmSync(at, { recursive: true, force: true });
  cpSync(join(tree, 'usr'), join(at, name), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  cpSync(join(tree, 'etc'), join(at, name, 'etc'), { recursive: true, preserveTimestamps: true });
  const path = tarball(at, [name], join(packages, `${name}.tar.gz`));
  rmSync(at, { recursive: true });
  return path;
}

/** The tarball of npm: the program with addons of every processor and release of Node. `addonOf` gives their paths. */
export async function makeNpm(addonOf) {
  const at = join(work, 'npm');
  rmSync(at, { recursive: true, force: true });
  const folder = join(at, 'package');
  for (const machine of MACHINES)
    for (const node of NODES)
      cpSync(addonOf(machine, node), join(folder, `prebuilds/linux-${machine.arch}/node-${node.abi}.node`));
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const shipped = about.files.filter((path) => !path.startsWith('build/') && path !== 'dist/program');
  for (const path of shipped) cpSync(join(root, path), join(folder, path), { recursive: true });
  await bundle(join(folder, 'dist/program'));
  // Headers that only a build needs; scripts of a checkout.
  const { nan, ...dependencies } = about.dependencies;
  const { scripts, devDependencies, overrides, private: isPrivate, gypfile, files, ...rest } = about;
  const kept = { ...rest, os: ['linux'], cpu: MACHINES.map(({ arch }) => arch), dependencies };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
  run('chmod', ['755', join(folder, 'dist/program/calltap.js')]);
  const path = tarball(at, ['package'], join(packages, `calltap-${version}.tgz`));
  rmSync(at, { recursive: true });
  return path;
}
