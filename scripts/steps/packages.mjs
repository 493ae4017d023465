// Decides which distribution packages are missing, installs them as root, or names the command that would.
//
// A row is looked for by what it brings, not by dpkg: other distributions pass, and a fresh run costs no process.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { capture, say, sayAgain, seconds, which } from './run.mjs';

/** Debian asks this program before it starts a service. */
const POLICY = '/usr/sbin/policy-rc.d';

const program = (name) => () => which(name) !== null;
const file = (path) => () => existsSync(path);

/** Needed to build and run. Rows of eBPF appear with the first program under bpf/. */
const PRODUCT = [
  { name: 'gcc', present: program('gcc') },
  { name: 'g++', present: program('g++') },
  { name: 'make', present: program('make') },
  { name: 'python3', present: program('python3') },
  { name: 'pkg-config', present: program('pkg-config') },
  { name: 'zlib1g-dev', present: () => existsSync('/usr/include/zlib.h') || pkgConfigKnows('zlib') },
];

const BPF = [
  { name: 'clang', present: program('clang') },
  { name: 'llvm', present: program('llvm-strip') },
  { name: 'bpftool', present: program('bpftool') },
  { name: 'libbpf-dev', present: file('/usr/include/bpf/libbpf.h') },
  { name: 'libelf-dev', present: file('/usr/include/libelf.h') },
];

/** Needed by `npm test` and `npm run check`. */
const DEV = [
  { name: 'clang-format', present: program('clang-format') },
  { name: 'openssl', present: program('openssl') },
  { name: 'zstd', present: program('zstd') },
  { name: 'xz-utils', present: program('xz') },
  { name: 'bzip2', present: program('bzip2') },
  { name: 'lz4', present: program('lz4') },
  { name: 'libpcap0.8', present: hasLibrary('libpcap.so.') },
];

/** Needed by `npm run test:slow` and `npm run store` beside those: peers, terminals, browsers, other readers. */
const SLOW = [
  { name: 'clang', present: program('clang') },
  { name: 'libclang-rt-14-dev', present: hasFuzzerRuntime },
  { name: 'clang-tidy', present: program('clang-tidy') },
  { name: 'iproute2', present: program('ip') },
  { name: 'nftables', present: program('nft') },
  { name: 'sip-tester', present: program('sipp') },
  { name: 'kamailio', present: program('kamailio') },
  { name: 'kamailio-tls-modules', present: () => hasKamailio('tls') },
  { name: 'kamailio-websocket-modules', present: () => hasKamailio('websocket') },
  { name: 'baresip', present: program('baresip') },
  { name: 'nginx-light', present: program('nginx') },
  { name: 'gnutls-bin', present: program('gnutls-serv') },
  { name: 'libnss3-tools', present: program('tstclnt') },
  { name: 'stunnel4', present: program('stunnel4') },
  { name: 'libwolfssl-dev', present: file('/usr/include/wolfssl/ssl.h') },
  { name: 'libmbedtls-dev', present: file('/usr/include/mbedtls/ssl.h') },
  { name: 'golang-go', present: program('go') },
  { name: 'binutils', present: program('objdump') },
  { name: 'chromium', present: program('chromium') },
  { name: 'tmux', present: program('tmux') },
  { name: 'tshark', present: program('tshark') },
  { name: 'tcpdump', present: program('tcpdump') },
  { name: 'groff-base', present: program('groff') },
  { name: 'zsh', present: program('zsh') },
  { name: 'fail2ban', present: program('fail2ban-server') },
  { name: 'systemd-standalone-tmpfiles', present: program('systemd-tmpfiles') },
  { name: 'sipvicious', present: program('svcrack') },
  { name: 'nmap', present: program('nmap') },
  { name: 'sipsak', present: program('sipsak') },
  // Its number differs by distribution; the tests take any.
  { name: 'libwolfssl35', present: hasLibrary('libwolfssl.so.') },
  { name: 'prometheus', present: program('promtool') },
  { name: 'logrotate', present: () => which('logrotate') !== null || existsSync('/usr/sbin/logrotate') },
];

/** Needed by scripts/package.mjs, beside those of PRODUCT and BPF. */
const PACKAGING = [
  { name: 'dpkg-dev', present: program('dpkg-source') },
  { name: 'm4', present: program('m4') },
  { name: 'rpm', present: program('rpmbuild') },
  { name: 'gcc-aarch64-linux-gnu', present: program('aarch64-linux-gnu-gcc') },
  { name: 'g++-aarch64-linux-gnu', present: program('aarch64-linux-gnu-g++') },
];

function pkgConfigKnows(library) {
  return which('pkg-config') !== null && capture('pkg-config', ['--exists', library]).code === 0;
}

/** The folder carries the machine's name. */
function hasKamailio(module) {
  return ['x86_64', 'aarch64'].some((m) => existsSync(`/usr/lib/${m}-linux-gnu/kamailio/modules/${module}.so`));
}

/** libFuzzer and the sanitizers come in a package of their own; the folder carries clang's version. */
function hasFuzzerRuntime() {
  for (const base of ['/usr/lib/clang', '/usr/lib/llvm-14/lib/clang']) {
    if (!existsSync(base)) continue;
    for (const version of readdirSync(base)) {
      const folder = `${base}/${version}/lib/linux`;
      if (existsSync(folder) && readdirSync(folder).some((f) => f.startsWith('libclang_rt.fuzzer'))) return true;
    }
  }
  return false;
}

/** Whether a shared library whose name begins so lies where the loader looks. */
function hasLibrary(name) {
  const folders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib'];
  return () =>
    folders.some((folder) => existsSync(folder) && readdirSync(folder).some((file) => file.startsWith(name)));
}

/** Names of those that eBPF is built with and that are missing. */
export function missingForBpf() {
  return BPF.filter((row) => !row.present()).map((row) => row.name);
}

/** Names of those that packages are made with and that are missing. */
export function missingForPackages() {
  return [...PRODUCT, ...BPF, ...PACKAGING].filter((row) => !row.present()).map((row) => row.name);
}

/** Names of the packages that are missing, each once. */
export function missingPackages({ dev, slow, bpf }) {
  const rows = [...PRODUCT, ...(bpf ? BPF : []), ...(dev || slow ? DEV : []), ...(slow ? SLOW : [])];
  return [...new Set(rows.filter((row) => !row.present()).map((row) => row.name))];
}

/**
 * Installs what is missing. Returns the names still missing afterwards: the caller goes on with what can be built.
 */
export function installPackages(need) {
  return install(() => missingPackages(need));
}

/** The same for Debian's packages by their names: what dpkg does not have. */
export function installNamed(names) {
  const has = (name) => / installed$/.test(capture('dpkg-query', ['-W', '-f', '${Status}', name]).output);
  return install(() => names.filter((name) => !has(name)));
}

/** `stillMissing` is asked before and after. */
function install(stillMissing) {
  const missing = stillMissing();
  if (missing.length === 0) return [];
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (which('apt-get') === null) {
    say(`packages: missing ${missing.join(', ')} (Debian names); install them with this system's package manager`);
    return missing;
  }
  if (process.getuid?.() !== 0) {
    say(`packages: missing ${missing.join(', ')}; run: sudo ${command}`);
    return missing;
  }
  const start = performance.now();
  say(`packages: installing ${missing.join(', ')} with apt-get; a minute or two`);
  const allowServices = withoutServices();
  const result = aptInstall(missing, stillMissing);
  allowServices();
  const left = stillMissing();
  if (left.length === 0) say(`packages: installed ${missing.join(', ')} (${seconds(start)})`);
  else say(`packages: could not install ${left.join(', ')}; try: ${command}\n${lastLines(result.output, 3)}`);
  return left;
}

/** Another apt-get may hold the lock for a while. */
const APT = ['-o', 'DPkg::Lock::Timeout=120', '-o', 'Acquire::Retries=2'];

/** The last answer of apt-get. */
function aptInstall(names, stillMissing) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const bring = (list) => capture('apt-get', [...APT, 'install', '-y', '--no-install-recommends', ...list], { env });
  let result = bring(names);
  if (result.code === 0) return result;
  // Package lists of a fresh image are empty or old.
  capture('apt-get', [...APT, 'update'], { env });
  result = bring(names);
  if (result.code === 0) return result;
  if (/^E: (Unable to locate package|Package '.*' has no installation candidate)/m.test(result.output)) {
    // One that this system does not have keeps all others from being installed.
    for (const name of stillMissing()) result = bring([name]);
    return result;
  }
  sayAgain('packages', result.output);
  // What was interrupted leaves packages half set up.
  capture('dpkg', ['--configure', '-a'], { env });
  return bring(names);
}

/** Until the returned function is called, a package that brings a service does not start it: tests start their own. */
function withoutServices() {
  if (existsSync(POLICY)) return () => undefined;
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(POLICY, { force: true });
}

function lastLines(text, n) {
  return text
    .trimEnd()
    .split('\n')
    .slice(-n)
    .map((line) => `  ${line}`)
    .join('\n');
}
