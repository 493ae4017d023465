/** Certificates that a test makes with openssl, in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

function openssl(folder: string, ...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
}

/** A CA in `<ca>.pem`, and in `<ca>-server.pem` and `.key` a certificate of it for a name, valid for `days`. */
export function certified(folder: string, ca: string, name: string, days = 1): void {
  const subject = (of: string): string[] => ['-subj', `/CN=${of}`];
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  openssl(folder, 'req', '-x509', ...key, '-keyout', `${ca}.key`, '-out', `${ca}.pem`, '-days', '2', ...subject(ca));
  openssl(folder, 'req', ...key, '-keyout', `${ca}-server.key`, '-out', `${ca}.csr`, ...subject(name));
  writeFileSync(join(folder, 'names'), `subjectAltName=DNS:${name}\n`);
  const signed = ['-CA', `${ca}.pem`, '-CAkey', `${ca}.key`, '-CAcreateserial', '-extfile', 'names'];
  openssl(folder, 'x509', '-req', '-in', `${ca}.csr`, ...signed, '-days', `${days}`, '-out', `${ca}-server.pem`);
}
