// Installs the packages of build/packages in fresh roots, as a user would, and tries them there:
//
//   npm run package && npm run test:package                 all checks; as root on Debian 12
//   npm run test:package -- deb-bookworm tar                some
//
// It needs mmdebstrap, rpm, lintian and Debian's mirror, and takes minutes, so it is no part of the tests.
import { readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MACHINES, NODE_INSIDE, NODES, nodes } from '../../scripts/package/machines.mjs';
import { root as checkout } from '../../scripts/steps/files.mjs';
import { fetchNode } from '../../scripts/steps/node.mjs';
import { judge, rootAt } from '../../scripts/steps/root.mjs';
import { capture, say, seconds, which } from '../../scripts/steps/run.mjs';
import { arm64 } from './arm64.mjs';
import { freshRoot, packages } from './root.mjs';
import { service } from './service.mjs';

const RELEASES = ['bookworm', 'trixie', 'sid'];
/** The processor of this machine. */
const [HERE] = MACHINES;
/** One that the tarball of npm has no addon for. */
const OTHER_NODE = { version: '23.11.1' };
const DEB_BYTES = 35e6;
/** What systemd-analyze says at most, without drop-ins and with the one for kernels before 6.6. */
const EXPOSURE = { plain: 3.0, admin: 3.3 };

/** The package whose name ends so; throws when there is not exactly one. */
function made(ending) {
  const [name, ...more] = readdirSync(packages).filter((each) => each.endsWith(ending));
  if (name === undefined || more.length > 0)
    throw new Error(`build/packages has no single *${ending}; run: npm run package`);
  return join(packages, name);
}

/** The program as it was installed: demo, report of the host, probes, API, live capture on loopback. */
function tryProgram(root, program, demo) {
  root.put(join(checkout, 'test/package/trial.sh'), 'tmp/trial.sh');
  root.must(`bash /tmp/trial.sh ${demo} ${program}`);
}

function deb(release) {
  const root = freshRoot(release);
  root.must('! command -v node && ! command -v gcc');
  root.put(made('_amd64.deb'), 'tmp/calltap.deb');
  root.mustOnline('apt-get -q update && apt-get install -y --no-install-recommends /tmp/calltap.deb');
  root.must('test ! -e /etc/systemd/system/multi-user.target.wants/calltap.service');
  root.must('stat -c %a:%U:%G /etc/calltap/key', /^640:root:calltap$/m);
  root.must('wc -c </etc/calltap/key', /^65$/m);
  root.must('calltap --config /etc/calltap.toml --print-config', /127\.0\.0\.1:8080/);
  tryProgram(root, 'calltap', '/usr/lib/calltap/fixtures/demo/demo.pcap');
  root.must('systemd-analyze verify /usr/lib/systemd/system/calltap.service');
  checkExposure(root, 'plain');
  root.must(
    'install -D -m 644 -t /etc/systemd/system/calltap.service.d /usr/share/doc/calltap/examples/calltap.service.d/old-kernels.conf',
  );
  checkExposure(root, 'admin');
  root.must('rm -r /etc/systemd/system/calltap.service.d');
  upgrade(root);
  root.must(
    'install -D /dev/null /var/lib/calltap/kept.pcap && apt-get remove -y calltap && ls /var/lib/calltap',
    /kept\.pcap/,
  );
  root.must('test -e /etc/calltap.toml && test -e /etc/calltap/key && ! command -v calltap');
  root.must('apt-get purge -y calltap');
  const elsewhere = ['/tmp', '/proc', '/sys', '/var/log'].map((path) => `-not -path "${path}/*"`).join(' ');
  root.must(`find / -xdev -iname "*calltap*" ${elsewhere}`, /^\s*$/);
  root.must('! getent passwd calltap');
  root.remove();
}

/** From a package with a lower version and another configuration to ours: changes and the key stay. */
function upgrade(root) {
  const unpacked = join(root.path, 'tmp/older');
  const make = [
    `dpkg-deb -R '${join(root.path, 'tmp/calltap.deb')}' '${unpacked}'`,
    `sed -i 's/^Version: .*/Version: 0.0.1/' '${unpacked}/DEBIAN/control'`,
    `echo '# of an older version' >>'${unpacked}/etc/calltap.toml'`,
    `dpkg-deb -Zgzip --build '${unpacked}' '${unpacked}.deb'`,
  ].join(' && ');
  judge(make, capture('sh', ['-c', make]));
  root.must(
    'apt-get purge -y calltap && apt-get install -y --no-install-recommends /tmp/older.deb && calltap --version',
  );
  root.must('sed -i "1i # mine" /etc/calltap.toml && cp /etc/calltap/key /tmp/key');
  root.must(
    'apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-confold /tmp/calltap.deb && dpkg-query -W calltap',
    /calltap\s+(?!0\.0\.1)\d/,
  );
  root.must('head -1 /etc/calltap.toml', /# mine/);
  root.must('cmp /etc/calltap/key /tmp/key && calltap --config /etc/calltap.toml --print-config');
}

function checkExposure(root, kind) {
  const output = root.must('systemd-analyze security --offline=true --no-pager calltap.service', /exposure level/);
  const level = Number(/exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
  if (!(level <= EXPOSURE[kind]))
    throw new Error(`systemd-analyze security (${kind}): ${level}, and ${EXPOSURE[kind]} is the most`);
}

/** By rpm itself in a root that has a C library and nothing that rpm knows. */
function rpm() {
  const root = freshRoot('bookworm');
  judge('rpm -i', capture('rpm', ['--root', root.path, '--nodeps', '-i', made('.x86_64.rpm')]));
  tryProgram(root, 'calltap', '/usr/lib/calltap/fixtures/demo/demo.pcap');
  judge('rpm -e', capture('rpm', ['--root', root.path, '-e', 'calltap']));
  root.must('test ! -e /usr/lib/calltap && test ! -e /usr/bin/calltap');
  root.remove();
}

/** Unpacked in some folder, without libbpf. */
function tar() {
  const root = freshRoot('bookworm');
  root.put(made('-linux-amd64.tar.gz'), 'tmp/calltap.tar.gz');
  root.must(
    'mkdir -p "/srv/a folder" && tar -xzf /tmp/calltap.tar.gz -C "/srv/a folder" && mv "/srv/a folder"/calltap-* "/srv/a folder/here"',
  );
  root.must('ln -s "/srv/a folder/here" /srv/here && ! ldconfig -p | grep -q libbpf');
  tryProgram(root, '/srv/here/bin/calltap', '/srv/here/lib/calltap/fixtures/demo/demo.pcap');
  root.remove();
}

/** By npm on each Node, without a compiler; one Node that it has nothing for. */
function byNpm() {
  const root = freshRoot('bookworm', ['ca-certificates', 'libstdc++6']);
  root.put(made('.tgz'), 'tmp/calltap.tgz');
  // npm itself is JavaScript.
  root.put(dirname(dirname(realpathSync(which('npm')))), 'opt/npm');
  const registry = capture('npm', ['config', 'get', 'registry']).output.trim();
  root.must('! command -v gcc && ! command -v python3');
  for (const node of [...NODES, OTHER_NODE]) {
    root.put(fetchNode(nodes, HERE.arch, node.version), `opt/node-${node.version}`);
    // Whatever is started by this name finds that Node alone.
    const on = `/opt/on-${node.version}`;
    const lines = [
      '#!/bin/sh',
      `export PATH=/opt/node-${node.version}/bin:$PATH npm_config_registry=${registry}`,
      'export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
      'exec "$@"',
    ];
    writeFileSync(join(root.path, on), `${lines.join('\n')}\n`, { mode: 0o755 });
    root.mustOnline(`${on} node /opt/npm/bin/npm-cli.js install -g --prefix /opt/app /tmp/calltap.tgz`);
    const program = `${on} /opt/app/bin/calltap`;
    const demo = '/opt/app/lib/node_modules/calltap/fixtures/demo/demo.pcap';
    if (node === OTHER_NODE)
      root.must(`! ${program} -I ${demo}`, /^calltap: this package runs on Node 20, 22, 24.*\n$/);
    else tryProgram(root, program, demo);
    if (node === NODE_INSIDE)
      root.mustOnline(
        `${on} node /opt/npm/bin/npx-cli.js --yes --package=/tmp/calltap.tgz calltap --version`,
        /^calltap /m,
      );
  }
  root.remove();
}

function lintian() {
  const { code, output } = capture('lintian', ['--fail-on', 'error', '--no-tag-display-limit', made('_amd64.deb')]);
  if (code !== 0)
    throw new Error(
      output
        .split('\n')
        .filter((line) => line.startsWith('E:'))
        .join('\n'),
    );
}

function size() {
  for (const ending of ['_amd64.deb', '_arm64.deb']) {
    const bytes = statSync(made(ending)).size;
    if (bytes > DEB_BYTES) throw new Error(`*${ending} has ${bytes} bytes, and ${DEB_BYTES} is the most`);
  }
}

/** Nothing that systems with glibc 2.34 lack. */
function symbols() {
  const root = rootAt(join(packages, 'unpacked'));
  capture('rm', ['-rf', root.path]);
  judge('dpkg-deb -x', capture('dpkg-deb', ['-x', made('_amd64.deb'), root.path]));
  const script = `find '${root.path}' \\( -name '*.node' -o -name node \\) -type f -exec objdump -T {} + | grep -oE 'GLIBC(XX)?_[0-9.]+' | sort -uV`;
  const versions = capture('sh', ['-c', script]).output.match(/GLIBC(XX)?_[\d.]+/g) ?? [];
  if (versions.length === 0) throw new Error('objdump names no version');
  const limits = { GLIBC_: [2, 34, 0], GLIBCXX_: [3, 4, 29] };
  const isAbove = (version) => {
    const [, name, text] = /^(GLIBC(?:XX)?_)([\d.]+)$/.exec(version) ?? [];
    const [limit, found] = [limits[name], (text ?? '').split('.').map(Number)];
    const at = limit.findIndex((n, i) => n !== (found[i] ?? 0));
    return at >= 0 && (found[at] ?? 0) > limit[at];
  };
  const above = versions.filter(isAbove);
  root.remove();
  if (above.length > 0) throw new Error(`symbols of newer libraries: ${above.join(', ')}`);
}

const CHECKS = {
  lintian,
  symbols,
  ...Object.fromEntries(RELEASES.map((release) => [`deb-${release}`, () => deb(release)])),
  rpm,
  tar,
  npm: byNpm,
  ...Object.fromEntries(['6.1', '6.12'].map((name) => [`service-${name}`, () => service(made('_amd64.deb'), name)])),
  arm64: () => arm64(made('_arm64.deb')),
  size,
};

const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(CHECKS) : asked) {
  const start = performance.now();
  try {
    if (!Object.hasOwn(CHECKS, name)) throw new Error(`no such check; there are ${Object.keys(CHECKS).join(', ')}`);
    await CHECKS[name]();
    say(`${name}: ok (${seconds(start)})`);
  } catch (error) {
    say(`${name}: failed: ${error.message}`);
    process.exitCode = 1;
  }
}
