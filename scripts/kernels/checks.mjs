/**
 * What `npm run kernels` runs in every guest. A check is a program of the guest that prints lines `ok CLAIM: words` and
 * `not ok CLAIM: why`; it fails by such a line, by its exit code, or by saying nothing.
 *
 * - run: the words; guest/NAME is at /kernels/NAME there, a compiled source at /kernels/bin/NAME, the checkout at /calltap
 * - users: root, unit (deploy/calltap.service), unit+DROP-IN (with deploy/calltap.service.d/DROP-IN.conf)
 * - programs: of the host, by path or name; they come with their libraries
 * - sources: C programs of this repository, compiled here: { source, libraries: ['ssl', 'crypto'] }
 * - files: files or folders of this repository, copied to /kernels
 */
const NODE = process.execPath;
const EVERYBODY = ['root', 'unit'];

export const CHECKS = [
  { name: 'files', run: [NODE, '/kernels/files.mjs'], users: EVERYBODY },
  { name: 'filter', run: [NODE, '/kernels/filter.mjs'], users: EVERYBODY },
  { name: 'list', run: [NODE, '/kernels/list.mjs'], users: EVERYBODY, programs: ['openssl'] },
  { name: 'tls', run: [NODE, '/kernels/tls.mjs'], users: EVERYBODY, programs: ['openssl'] },
];
