// The certificate of a server of TLS in a guest.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';

/** Makes one in a folder of its own, where the process then is. Returns the words by which servers of OpenSSL take it. */
export function makeCertificate() {
  process.chdir(mkdtempSync('/tmp/tls-'));
  chmodSync('.', 0o700);
  writeFileSync('req.cnf', '[req]\ndistinguished_name=dn\n[dn]\n');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'k.pem', '-out', 'c.pem'];
  spawnSync('openssl', ['req', '-config', 'req.cnf', '-x509', '-subj', '/CN=localhost', '-days', '2', ...key]);
  return ['-cert', 'c.pem', '-key', 'k.pem'];
}
