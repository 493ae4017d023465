// The programs that are tried: how each is installed, and how it comes to speak SIP over TLS. In a row:
//
//   name, packages            what the table calls it; what is installed, first the package that tells the version
//   npm                       instead: the major of the Node that npm brings; it runs in the root of this machine
//   role                      'server': the partner asks it; 'client': it asks the partner; 'gate': a server of TLS that
//                             passes the plaintext on to the partner
//   files(at)                 name -> text, written into the folder where it starts; c.pem, k.pem and both.pem are there
//   line(at)                  the line of a shell that starts it there, in the root of its release
//   library                   how the file of its TLS library begins; libssl.so. when nothing is said
//   isTyped                   a server that answers what is typed
//   connections               of the partner to it; 4 when nothing is said
//   peers                     sources of test/live/peers that are copied into the folder
//   can                       { line, says, else }: what it must say to be tried, and the words where it does not
//
// `at` is { address, port, partner, partnerPort, plainPort }: where a server listens, and where the partner does; `node`
// is the path of a Node of npm's.
import { CLIENTS } from './clients.mjs';

/** Servers that come with a shell line and a file of settings. */
const SERVERS = [
  {
    name: 'OpenSSL (`s_server`)',
    packages: ['openssl'],
    role: 'server',
    isTyped: true,
    connections: 1,
    line: ({ address, port }) => `openssl s_server -accept ${address}:${port} -cert c.pem -key k.pem -quiet`,
  },
  {
    name: 'GnuTLS (a server of ours)',
    library: 'libgnutls.so.',
    packages: ['libgnutls28-dev', 'gcc', 'libc6-dev'],
    role: 'server',
    connections: 1,
    peers: ['gnutls_server.c', 'sip_answer.h'],
    line: ({ address, port }) =>
      `gcc -O1 -o gnutls-peer gnutls_server.c -lgnutls && exec ./gnutls-peer ${address} ${port}`,
  },
  {
    name: 'wolfSSL (a server of ours)',
    library: 'libwolfssl.so.',
    packages: ['libwolfssl-dev', 'gcc', 'libc6-dev'],
    role: 'server',
    connections: 1,
    peers: ['wolf_server.c', 'sip_answer.h'],
    line: ({ address, port }) => `gcc -O1 -o wolf-peer wolf_server.c -lwolfssl && exec ./wolf-peer ${address} ${port}`,
  },
  {
    name: 'Python (`ssl`)',
    packages: ['python3'],
    role: 'server',
    peers: ['tls_sip.py'],
    line: ({ address, port }) => `exec python3 -u tls_sip.py uas ${address} ${port} ${address}`,
  },
  {
    name: 'Kamailio',
    packages: ['kamailio-tls-modules', 'kamailio'],
    role: 'server',
    files: ({ address, port }) => ({
      'tls.cfg': '[server:default]\nmethod = TLSv1.2+\nprivate_key = /srv/k.pem\ncertificate = /srv/c.pem\n',
      'kamailio.cfg': [
        '#!KAMAILIO',
        ...['debug=0', 'log_stderror=yes', 'children=2', 'tcp_children=4', 'enable_tls=yes', 'auto_aliases=no'],
        `listen=tls:${address}:${port}`,
        ...['tm', 'sl', 'pv', 'textops', 'tls'].map((name) => `loadmodule "${name}.so"`),
        'modparam("tls", "config", "/srv/tls.cfg")',
        'request_route { sl_send_reply("200", "OK"); }',
        '',
      ].join('\n'),
    }),
    line: () => 'exec kamailio -DD -E -f kamailio.cfg -P /srv/kamailio.pid -m 64 -M 8 -w /srv -Y /srv',
  },
  {
    name: 'Asterisk (chan_pjsip)',
    packages: ['asterisk'],
    role: 'server',
    files: ({ address, port, partner }) => ({
      'asterisk.conf': `[directories]
astetcdir => /srv
astmoddir => MODULES
astvarlibdir => /var/lib/asterisk
astdbdir => /srv
astdatadir => /usr/share/asterisk
astspooldir => /srv
astrundir => /srv
astlogdir => /srv
`,
      'modules.conf': '[modules]\nautoload = yes\nnoload = chan_sip.so\n',
      'logger.conf': '[logfiles]\nconsole = error\n',
      'pjsip.conf': `[over-tls]
type = transport
protocol = tls
bind = ${address}:${port}
cert_file = /srv/c.pem
priv_key_file = /srv/k.pem
method = tlsv1_2
[alice]
type = aor
max_contacts = 100
[alice]
type = endpoint
context = default
disallow = all
allow = ulaw
aors = alice
[partner]
type = identify
endpoint = alice
match = ${partner}
`,
    }),
    line: () =>
      'sed -i "s|MODULES|$(dirname "$(find /usr/lib -name chan_pjsip.so)")|" asterisk.conf; exec asterisk -f -C /srv/asterisk.conf',
  },
  {
    name: 'ejabberd (mod_sip)',
    packages: ['ejabberd', 'erlang-p1-sip'],
    role: 'server',
    files: ({ address, port }) => ({
      'ejabberd.yml': `hosts: ["${address}"]
loglevel: 3
certfiles: [/srv/both.pem]
listen:
  - port: ${port}
    ip: "${address}"
    module: ejabberd_sip
    tls: true
modules:
  mod_sip: {}
`,
    }),
    line: () =>
      'mkdir -p /run/ejabberd && chmod 777 /run/ejabberd && cp ejabberd.yml /etc/ejabberd/ && exec ejabberdctl foreground',
  },
];

/** Programs that end TLS for others. */
const GATES = [
  {
    name: 'stunnel',
    packages: ['stunnel4'],
    role: 'gate',
    files: ({ address, port, partner, plainPort }) => ({
      'stunnel.conf': `foreground = yes
pid =
[sip]
accept = ${address}:${port}
connect = ${partner}:${plainPort}
cert = /srv/both.pem
`,
    }),
    line: () => 'exec stunnel4 stunnel.conf',
  },
  {
    name: 'haproxy',
    packages: ['haproxy'],
    role: 'gate',
    files: ({ address, port, partner, plainPort }) => ({
      'haproxy.cfg': `defaults
  mode tcp
  timeout connect 9s
  timeout client 99s
  timeout server 99s
listen sip
  bind ${address}:${port} ssl crt /srv/both.pem
  server partner ${partner}:${plainPort}
`,
    }),
    line: () => 'exec haproxy -db -f haproxy.cfg',
  },
  {
    name: 'nginx (stream)',
    packages: ['nginx-light', 'libnginx-mod-stream'],
    role: 'gate',
    files: ({ address, port, partner, plainPort }) => ({
      'nginx.conf': `load_module /usr/lib/nginx/modules/ngx_stream_module.so;
daemon off;
pid nginx.pid;
error_log stderr;
worker_processes 2;
events {}
stream {
  server {
    listen ${address}:${port} ssl;
    ssl_certificate /srv/c.pem;
    ssl_certificate_key /srv/k.pem;
    proxy_pass ${partner}:${plainPort};
  }
}
`,
    }),
    line: () => 'exec nginx -p /srv -c nginx.conf',
  },
];

/** Node as npm brings it, with an OpenSSL of its own. */
const NODES = ['22', '24'].map((major) => ({
  name: `Node ${major} (\`tls\`)`,
  npm: major,
  role: 'server',
  library: 'node',
  peers: ['sip_node.mjs'],
  line: ({ node, address, port }) => `exec ${node} sip_node.mjs server ${address} ${port}`,
}));

export const PROGRAMS = [...SERVERS, ...GATES, ...CLIENTS, ...NODES];
