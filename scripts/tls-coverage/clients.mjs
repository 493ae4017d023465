// Programs that ask the partner: rows as in programs.mjs, and
//
//   requests                  how many it sends
//   library                   how the file of its TLS library begins: calltap knows it before the client starts
//   drive({ lab, type, prefix, at }) makes it send them, where it does not by itself; `type` writes to its standard input
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root as checkout } from '../steps/files.mjs';
import { request } from './sip.mjs';

const REQUESTS = 100;
/** So that the requests last as long as --uprobe-list watches the host. */
const PACE_MS = 80;

/** Types the requests, one after the other. */
async function typeRequests({ type, prefix, at: { address, partner, partnerPort } }) {
  for (let number = 0; number < REQUESTS; number++) {
    type(request({ prefix, number, local: `${address}:5061`, remote: `${partner}:${partnerPort}` }));
    await sleep(PACE_MS);
  }
}

const JANUS_PORT = 8088;

/** One registration, and messages from then on. */
async function driveJanus({ lab, at: { address, partner, partnerPort } }) {
  await lab.listening('a', JANUS_PORT, 'tcp');
  const server = `${partner}:${partnerPort};transport=tls`;
  const words = [
    `http://${address}:${JANUS_PORT}/janus`,
    ...[`sip:alice@${partner}:${partnerPort}`, `sip:${server}`, '59', String(PACE_MS)],
  ];
  const driver = lab.start('a', process.execPath, [join(checkout, 'scripts/tls-coverage/janus.mjs'), ...words]);
  if ((await driver.ended) !== 0) throw new Error(driver.output().trim().split('\n').at(-1));
}

const SIPP = `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="options">
  <send retrans="500"><![CDATA[
      OPTIONS sip:bob@[remote_ip]:[remote_port];transport=tls SIP/2.0
      Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
      From: <sip:alice@[local_ip]>;tag=[call_number]
      To: <sip:bob@[remote_ip]>
      Call-ID: [call_id]
      CSeq: 1 OPTIONS
      Max-Forwards: 70
      Content-Length: 0

  ]]></send>
  <recv response="200"/>
</scenario>
`;

export const CLIENTS = [
  {
    name: 'OpenSSL (`s_client`)',
    packages: ['openssl'],
    role: 'client',
    library: 'libssl.so.',
    requests: REQUESTS,
    line: ({ partner, partnerPort }) => `exec openssl s_client -connect ${partner}:${partnerPort} -quiet`,
    drive: typeRequests,
  },
  {
    name: 'GnuTLS (`gnutls-cli`)',
    packages: ['gnutls-bin'],
    role: 'client',
    library: 'libgnutls.so.',
    requests: REQUESTS,
    line: ({ partner, partnerPort }) => `exec gnutls-cli --insecure -p ${partnerPort} ${partner}`,
    drive: typeRequests,
  },
  {
    name: 'SIPp',
    packages: ['sip-tester'],
    role: 'client',
    library: 'libssl.so.',
    requests: REQUESTS,
    files: () => ({ 'options.xml': SIPP }),
    line: ({ address, partner, partnerPort }) =>
      `exec sipp ${partner}:${partnerPort} -sf options.xml -t l1 -tls_cert c.pem -tls_key k.pem -i ${address} -m ${REQUESTS} -r ${1000 / PACE_MS} -nostdin`,
    // Debian 13's has wolfSSL, and sends before its handshake is over: it talks to no server, with or without probes.
    can: { line: 'ldd "$(command -v sipp)"', says: /libssl\.so/, else: 'built without OpenSSL' },
  },
  {
    name: 'baresip',
    packages: ['baresip-core'],
    role: 'client',
    library: 'libssl.so.',
    /** One for each of its accounts. */
    requests: 20,
    files: ({ address, partner, partnerPort }) => ({
      accounts: Array.from(
        { length: 20 },
        (_, i) => `<sip:user${i}@${partner}:${partnerPort};transport=tls>;auth_pass=x;regint=60\n`,
      ).join(''),
      config: `sip_listen ${address}:5060\nmodule_path /usr/lib/baresip/modules\nmodule account.so\nmodule_app account.so\nmodule g711.so\n`,
      contacts: '',
    }),
    line: () => 'exec baresip -f /srv',
  },
  {
    name: 'janus (SIP plugin)',
    packages: ['janus'],
    role: 'client',
    library: 'libssl.so.',
    requests: 60,
    files: ({ address }) => ({
      'janus.jcfg':
        'general: {\n  configs_folder = "/srv"\n  plugins_folder = "/srv/plugins"\n  transports_folder = "/srv/transports"\n}\n',
      'janus.plugin.sip.jcfg': `general: {\n  local_ip = "${address}"\n  sips_certs_dir = "/srv/certs"\n}\n`,
      'janus.transport.http.jcfg': `general: {\n  http = true\n  ip = "${address}"\n  port = ${JANUS_PORT}\n}\n`,
    }),
    line: () =>
      [
        'mkdir plugins transports certs',
        'cp both.pem certs/agent.pem && cp c.pem certs/cafile.pem',
        'ln -s /usr/lib/*/janus/plugins/libjanus_sip.so plugins/',
        'ln -s /usr/lib/*/janus/transports/libjanus_http.so transports/',
        'exec janus -F /srv',
      ].join(' && '),
    drive: driveJanus,
  },
];
