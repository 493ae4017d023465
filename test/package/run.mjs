// Installs the packages of build/packages in fresh roots, as a user would, and tries them there:
//
//   npm run package && npm run test:package                 all checks; as root on Debian 12
//   npm run test:package -- deb-bookworm tar                some
//
// It needs mmdebstrap, rpm, lintian and Debian's mirror, and takes minutes, so it is no part of `npm test`.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { capture, say, seconds } from '../../scripts/steps/run.mjs';
import { freshRoot, packages, rootAt } from './root.mjs';

const RELEASES = ['bookworm', 'trixie', 'sid'];
/** What systemd-analyze says at most, without drop-ins and with the one for kernels before 6.6. */
const EXPOSURE = { plain: 3.0, admin: 3.3 };

/** The package whose name ends so; throws when there is not exactly one. */
function made(ending) {
  const [name, ...more] = readdirSync(packages).filter((each) => each.endsWith(ending));
  if (name === undefined || more.length > 0)
    throw new Error(`build/packages has no single *${ending}; run: npm run package`);
  return join(packages, name);
}

/** Runs a line in a root; throws what it printed when it fails or prints something else than `expected`. */
function must(root, line, expected = /(?:)/) {
  const { code, output } = root.run(line);
  if (code !== 0 || !expected.test(output))
    throw new Error(`${line}\n  exit ${code}, not as expected (${expected}): ${output.trimEnd().slice(-800)}`);
  return output;
}

/** The program as it was installed: the demo, live capture on loopback, probes, the report of the host. */
function tryProgram(root, program, demo) {
  must(root, `${program} --version`, /^calltap /);
  must(root, `${program} -I ${demo}`, /Completed +INVITE/);
  must(root, `${program} --check; test $? -le 1`, /^(ok|limited|missing) +program/m);
  must(root, `${program} --uprobe-list`, /probes work here/);
  const live = `(sleep 2; printf 'OPTIONS sip:a@b SIP/2.0\\r\\nCall-ID: seen-live\\r\\nCSeq: 1 OPTIONS\\r\\n\\r\\n' | cat >/dev/udp/127.0.0.1/5060; sleep 1)`;
  must(
    root,
    `bash -c "${live.replaceAll('"', '\\"')} & timeout --preserve-status -s INT 5 ${program} -d lo --json"`,
    /seen-live/,
  );
}

function deb(release) {
  const root = freshRoot(release);
  const before = root.run('command -v node gcc || echo neither').output;
  if (!before.includes('neither')) throw new Error(`the root of ${release} is not fresh: ${before}`);
  root.put(made('_amd64.deb'), 'tmp/calltap.deb');
  must(root, 'apt-get install -y --no-install-recommends /tmp/calltap.deb');
  must(root, 'test ! -e /etc/systemd/system/multi-user.target.wants/calltap.service');
  must(root, 'stat -c %a:%U /etc/calltap.env', /^600:root$/m);
  must(root, 'calltap --config /etc/calltap.toml --print-config', /127\.0\.0\.1:8080/);
  tryProgram(root, 'calltap', '/usr/lib/calltap/fixtures/demo/demo.pcap');
  must(root, 'systemd-analyze verify /usr/lib/systemd/system/calltap.service');
  checkExposure(root, 'plain');
  must(
    root,
    'install -D -m 644 -t /etc/systemd/system/calltap.service.d /usr/share/doc/calltap/examples/calltap.service.d/old-kernels.conf',
  );
  checkExposure(root, 'admin');
  must(root, 'rm -r /etc/systemd/system/calltap.service.d && echo "# mine" >>/etc/calltap.toml');
  must(root, 'apt-get install -y --reinstall /tmp/calltap.deb && tail -1 /etc/calltap.toml', /# mine/);
  must(root, 'apt-get purge -y calltap');
  must(
    root,
    'find / -xdev -iname "*calltap*" -not -path "/tmp/*" -not -path "/proc/*" -not -path "/var/log/*" -not -path "/sys/*"',
    /^\s*$/,
  );
  must(root, '! getent passwd calltap');
  root.remove();
}

function checkExposure(root, kind) {
  const output = must(root, 'systemd-analyze security --offline=true --no-pager calltap.service', /exposure level/);
  const level = Number(/exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
  if (!(level <= EXPOSURE[kind]))
    throw new Error(`systemd-analyze security (${kind}): ${level}, and ${EXPOSURE[kind]} is the most`);
}

/** By rpm itself in a root that has a C library and nothing that rpm knows. */
function rpm() {
  const root = freshRoot('bookworm');
  const installed = capture('rpm', ['--root', root.path, '--nodeps', '-i', made('.x86_64.rpm')]);
  if (installed.code !== 0) throw new Error(`rpm -i: ${installed.output}`);
  tryProgram(root, 'calltap', '/usr/lib/calltap/fixtures/demo/demo.pcap');
  const erased = capture('rpm', ['--root', root.path, '-e', 'calltap']);
  if (erased.code !== 0) throw new Error(`rpm -e: ${erased.output}`);
  must(root, 'test ! -e /usr/lib/calltap && test ! -e /usr/bin/calltap');
  root.remove();
}

/** Unpacked in some folder, without libbpf. */
function tar() {
  const root = freshRoot('bookworm');
  root.put(made('-linux-amd64.tar.gz'), 'tmp/calltap.tar.gz');
  must(
    root,
    'mkdir -p "/srv/a folder" && tar -xzf /tmp/calltap.tar.gz -C "/srv/a folder" && mv "/srv/a folder"/calltap-* "/srv/a folder/here"',
  );
  must(root, 'ln -s "/srv/a folder/here" /srv/here && ! ldconfig -p | grep -q libbpf');
  tryProgram(root, '/srv/here/bin/calltap', '/srv/here/lib/calltap/fixtures/demo/demo.pcap');
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

/** Nothing that systems with glibc 2.34 lack. */
function symbols() {
  const root = rootAt(join(packages, 'unpacked'));
  capture('rm', ['-rf', root.path]);
  const unpacked = capture('dpkg-deb', ['-x', made('_amd64.deb'), root.path]);
  if (unpacked.code !== 0) throw new Error(unpacked.output);
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
};

const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(CHECKS) : asked) {
  const start = performance.now();
  try {
    if (!Object.hasOwn(CHECKS, name)) throw new Error(`no such check; there are ${Object.keys(CHECKS).join(', ')}`);
    CHECKS[name]();
    say(`${name}: ok (${seconds(start)})`);
  } catch (error) {
    say(`${name}: failed: ${error.message}`);
    process.exitCode = 1;
  }
}
