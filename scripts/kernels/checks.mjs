/**
 * What `npm run kernels` runs in every guest. A check is a script of the guest that prints lines `ok CLAIM: words` and
 * `not ok CLAIM: why`; it fails by such a line, by its exit code, or by saying nothing. It is run by root; calltap in it
 * is run by the user who is tried (guest/agent.mjs).
 *
 * - run: the script and its words; guest/NAME is at /kernels/NAME there, a compiled source at /kernels/bin/NAME, the
 *   checkout at /calltap
 * - users: root, unit (deploy/calltap.service), unit+DROP-IN (with deploy/calltap.service.d/DROP-IN.conf)
 * - programs: of the host, by path or name; they come with their libraries
 * - sources: programs of this repository in C or Go, compiled here: { source, libraries: ['ssl', 'crypto'] }, and what
 *   they need: { header or program, package }; { given: functions }: it is stripped, and where they were is in NAME.json
 * - files: files or folders of this repository, copied to /kernels
 * - isOfPackage: it is run of an installed package too (--deb)
 * - isRepeated: it takes how many times as its last word (--runs)
 */
import { join } from 'node:path';
import { root } from '../steps/files.mjs';

/** Where the canaries are built to. */
export const CANARIES = join(root, 'build/canaries');
const CAPTURING = ['root', 'unit'];
/** Servers over other libraries than OpenSSL. */
const PEERS = join(root, 'test/live/peers');
const SERVERS = [
  {
    source: join(PEERS, 'gnutls_server.c'),
    libraries: ['gnutls'],
    needs: { header: 'gnutls/gnutls.h', package: 'libgnutls28-dev' },
  },
  {
    source: join(PEERS, 'wolf_server.c'),
    libraries: ['wolfssl'],
    needs: { header: 'wolfssl/ssl.h', package: 'libwolfssl-dev' },
  },
];
const PROBING = ['root', 'unit+tls-probes', 'unit+old-kernels'];

export const CHECKS = [
  { name: 'files', run: ['/kernels/files.mjs'], users: CAPTURING, isOfPackage: true },
  { name: 'filter', run: ['/kernels/filter.mjs'], users: CAPTURING, isOfPackage: true },
  {
    name: 'clock',
    run: ['/kernels/clock.mjs'],
    users: CAPTURING,
    sources: [{ source: join(PEERS, 'set_clock.c'), libraries: [] }],
  },
  { name: 'list', run: ['/kernels/list.mjs'], users: PROBING, programs: ['openssl'], isOfPackage: true },
  { name: 'exchange', run: ['/kernels/exchange.mjs'], users: PROBING, programs: ['openssl'], isOfPackage: true },
  { name: 'tls', run: ['/kernels/tls.mjs'], users: PROBING, programs: ['openssl'], sources: SERVERS },
  {
    name: 'go',
    run: ['/kernels/go.mjs'],
    users: PROBING,
    sources: [{ source: join(PEERS, 'tls_go.go'), needs: { program: 'go', package: 'golang-go' } }],
  },
  {
    name: 'offsets',
    run: ['/kernels/offsets.mjs'],
    users: PROBING,
    programs: ['openssl'],
    sources: [
      {
        source: join(PEERS, 'nameless_talk.c'),
        libraries: [':libssl.a', ':libcrypto.a'],
        given: ['SSL_read', 'SSL_write', 'SSL_new', 'SSL_free'],
        needs: { header: 'openssl/ssl.h', package: 'libssl-dev' },
      },
    ],
  },
  {
    name: 'canaries',
    run: ['/kernels/canaries.mjs'],
    users: PROBING,
    isRepeated: true,
    // Their folder, and those that bring the libraries of all of them.
    files: [CANARIES],
    programs: ['nice', ...['fiber', 'throw', 'gnutls-fiber', 'wolfssl-fiber'].map((name) => join(CANARIES, name))],
  },
];
