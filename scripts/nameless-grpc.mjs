// Reads a BoringSSL without symbols, that of PyPI's grpcio, by offsets: `npm run nameless -- [CONNECTIONS MESSAGES]`, as root.
//
// Fetches the one build whose addresses test/live/peers/grpcio.offsets has (Python 3.11, x86-64) into a folder of its own.
// Every message of a gRPC server and its clients must be seen at both ends with the right address.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './steps/files.mjs';
import { capture, pass } from './steps/run.mjs';

const PACKAGE = 'grpcio==1.85.3';
const PYTHON = 'python3.11';

const built = join(root, 'dist/test/live/nameless-grpc.js');
const folder = mkdtempSync(join(tmpdir(), 'calltap-nameless-'));
try {
  const why = prepare();
  if (why === '') {
    process.env['PYTHONPATH'] = folder;
    process.exitCode = pass(process.execPath, [built, PYTHON, root, folder, ...process.argv.slice(2)]);
  } else {
    process.stderr.write(`nameless: ${why}\n`);
    process.exitCode = 2;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What is missing; '' when all is there. */
function prepare() {
  if (!existsSync(built)) return 'run `npm run build` first';
  if (process.arch !== 'x64' || capture(PYTHON, ['--version']).code !== 0) return `needs ${PYTHON} on x86-64`;
  const installed = capture(PYTHON, ['-m', 'pip', 'install', '--quiet', '--target', folder, PACKAGE]);
  if (installed.code !== 0) return installed.output;
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'k.pem'];
  const args = ['req', '-x509', ...key, '-days', '2', '-subj', '/CN=localhost', '-out', 'c.pem'];
  execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  return '';
}
