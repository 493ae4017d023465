/** Certificates as tests need them, made by openssl. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

function openssl(folder: string, ...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
}

/** In `folder`: the CA `<ca>.pem`, and `<ca>-<of>.pem` with `<ca>-<of>.key`, which it signed for a name. */
export function certified(folder: string, ca: string, name: string, of = 'server'): void {
  const subject = (text: string): string[] => ['-subj', `/CN=${text}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(folder, 'req', '-x509', ...key, '-keyout', `${ca}.key`, '-out', `${ca}.pem`, '-days', '2', ...subject(ca));
  openssl(folder, 'req', ...key, '-keyout', `${ca}-${of}.key`, '-out', `${ca}.csr`, ...subject(name));
  writeFileSync(join(folder, 'names'), `subjectAltName=DNS:${name}\n`);
  const signed = ['-CA', `${ca}.pem`, '-CAkey', `${ca}.key`, '-CAcreateserial', '-extfile', 'names', '-days', '1'];
  openssl(folder, 'x509', '-req', '-in', `${ca}.csr`, ...signed, '-out', `${ca}-${of}.pem`);
}
