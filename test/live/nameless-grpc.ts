/**
 * Reads a stripped BoringSSL by offsets: node nameless-grpc.js PYTHON ROOT FOLDER [CONNECTIONS MESSAGES], a
 * certificate in the folder.
 * scripts/nameless-grpc.mjs prepares it. Prints one line; exit code 1 when something is missing or wrong.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withElf } from '../../src/sources/tls/elf.ts';
import { lookForSites } from '../../src/sources/tls/look.ts';
import { PROOF_STATE } from '../../src/sources/tls/native-tls.ts';
import { TlsOffsets } from '../../src/sources/tls/offsets.ts';
import { until } from '../helpers/patience.ts';
import type { TlsEvent } from './tls-kernel-lab.ts';
import { checkAddresses, TlsLab } from './tls-kernel-lab.ts';

const [python = '', root = '', folder = '', connections = '200', messages = '10'] = process.argv.slice(2);
const peers = join(root, 'test/live/peers');
const script = join(peers, 'grpc_talk.py');
process.chdir(folder);

/** The sites of the library as the list has them, each read or write with a proof. */
function sitesOf(path: string) {
  const offsets = new TlsOffsets([], join(peers, 'grpcio.offsets'));
  const found = withElf(path, (image) => {
    const given = offsets.of(image, { ino: statSync(path).ino, name: basename(path) });
    assert.notEqual(given, null, 'this build of grpcio is not in grpcio.offsets');
    return lookForSites(image, given, { root: '', path });
  });
  assert.ok('libraries' in found && found.refusal === '', JSON.stringify(found));
  return found.libraries
    .flatMap((library) => library.sites)
    .map(({ kind, offset, exits }, i) => ({ kind, offset, exits, proof: i + 1, isEndless: true }));
}

/** One direction of a connection begins each message in one of its events: gRPC may put two into one call. */
function texts(events: readonly TlsEvent[]): number {
  return events.reduce((n, e) => n + (e.bytes.toString('latin1').match(/X-Port: \d+;/g)?.length ?? 0), 0);
}

const lab = new TlsLab({ ringBytes: 256 * 1024 * 1024 }, 64);
assert.equal(lab.refusal, '');
const library = execFileSync(python, ['-c', 'import grpc._cython.cygrpc as m; print(m.__file__)'], {
  encoding: 'utf8',
});
const sites = sitesOf(library.trim());
lab.attach(library.trim(), sites);
const server = spawn(python, [script, 'server'], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  let said = '';
  server.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const port = await until(
    () => /port (\d+)\n/.exec(said)?.[1],
    () => `the server says ${said}`,
  );
  const client = spawn(python, [script, 'client', port, connections, messages], { stdio: 'inherit' });
  const [code] = await once(client, 'exit');
  assert.equal(code, 0);
  const total = 4 * Number(connections) * Number(messages);
  await until(
    () => texts(lab.data()) >= total,
    () => `${texts(lab.data())} of ${total} messages`,
  );
  await lab.settle();
  const states = sites.map(({ proof }) => lab.native.proof(proof));
  const { wrong, ...rest } = checkAddresses(lab.events, Number(port));
  const line = {
    messages: texts(lab.data()),
    of: total,
    ...rest,
    wrong: wrong.length,
    states,
    lost: lab.counter('lost_calls'),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  assert.ok(states.every(({ state }) => state === PROOF_STATE.PROVEN));
  assert.deepEqual([wrong, rest.unknown, rest.weakWrong], [[], 0, 0]);
} finally {
  server.kill('SIGKILL');
  lab.close();
}
