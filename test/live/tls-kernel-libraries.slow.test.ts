/** Other libraries than Python's OpenSSL, and files that are not where their path says. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Turns } from '../../src/core/turns.ts';
import { scanHost } from '../../src/sources/tls/scan-rows.ts';
import { freePort, until } from '../helpers/patience.ts';
import { chosenSites, exportedSites } from '../helpers/tls-probes.ts';
import {
  attachLibrary,
  certificateFolder,
  checkAddresses,
  kernelSkip,
  libraryPath,
  openLab,
  peerPath,
  privateLibrary,
  pythonLibssl,
  runPeer,
  startPeer,
  type TlsEvent,
  type TlsLab,
  wholeStream,
} from './tls-kernel-lab.ts';

/** stat()'s device number as the kernel has it. */
function kernelDevice(dev: number): number {
  const major = (dev >>> 8) & 0xfff;
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00);
  return (major << 20) | minor;
}

function has(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

test('libraries', { skip: kernelSkip() }, async (t) => {
  const shared = openLab(t);
  const folder = certificateFolder(t);

  const gnutls = libraryPath('libgnutls.so.30');
  const noGnutls = (gnutls === '' || !has('gnutls-serv') || !has('gnutls-cli')) && 'no GnuTLS (gnutls-bin)';
  await t.test('GnuTLS, server and client', { skip: noGnutls }, async (s) => {
    const lab = await shared.again();
    attachLibrary(lab, privateLibrary(folder, gnutls));
    const port = await freePort();
    const server = ['gnutls-serv', '--echo', '-p', String(port), '--x509certfile', 'c.pem', '--x509keyfile', 'k.pem'];
    const { child } = await startPeer(s, server, /Echo Server listening on IPv4/, folder);
    const client = spawn('gnutls-cli', ['--insecure', '-p', String(port), '127.0.0.1'], {
      cwd: folder,
      env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    s.after(() => client.kill('SIGKILL'));
    let output = '';
    client.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const said = (text: string): Promise<true> =>
      until(
        () => output.includes(text),
        () => `no ${text} in ${output}`,
        10,
      );
    await said('Simple Client Mode');
    for (let i = 0; i < 5; i++) {
      client.stdin.write(`MESSAGE sip:gnutls ${i}\n`);
      await said(`sip:gnutls ${i}`);
    }
    client.stdin.end();
    await until(
      () => lab.events.some((e) => e.kind === 'close' && e.conn !== 0n),
      () => 'no end of a connection is told',
    );
    await lab.settle();
    for (const [pid, written] of [
      [client.pid, true],
      [client.pid, false],
      [child.pid, true],
      [child.pid, false],
    ] as const) {
      const texts = lab.data().filter((e) => e.pid === pid && e.written === written && e.bytes.includes('sip:gnutls'));
      assert.deepEqual(
        texts.map((e) => e.bytes.toString('latin1')),
        Array.from({ length: 5 }, (_, i) => `MESSAGE sip:gnutls ${i}\n`),
      );
      for (const e of texts) {
        assert.equal(e.library, 2);
        const local = pid === child.pid ? e.local : e.remote;
        assert.equal(local, `127.0.0.1:${port}`);
      }
    }
  });

  const wolfssl = libraryPath('libwolfssl.so.35') || libraryPath('libwolfssl.so.42') || libraryPath('libwolfssl.so');
  await t.test('wolfSSL, server and client', { skip: wolfssl === '' && 'no wolfSSL (libwolfssl35)' }, async () => {
    const lab = await shared.again();
    const copy = privateLibrary(folder, wolfssl);
    attachLibrary(lab, copy);
    const output = await runPeer(['env', `WOLFSSL=${copy}`, 'python3', peerPath('tls_wolfssl.py'), '100'], folder);
    await lab.settle();
    const check = checkAddresses(lab.events, Number(/port (\d+)/.exec(output)?.[1]));
    assert.deepEqual(check, { right: 400, wrong: [], unknown: 0, late: 0, weak: 0, weakWrong: 0 });
    assert.ok(lab.data().every((e) => e.library === 3));
  });

  const mbedtls = existsSync('/usr/include/mbedtls/ssl.h') && has('gcc');
  await t.test('Mbed TLS, server and client', { skip: !mbedtls && 'no Mbed TLS (libmbedtls-dev)' }, async (s) => {
    const lab = await shared.again();
    const program = join(folder, 'mbed_talk');
    const built = spawnSync(
      'gcc',
      ['-O1', '-o', program, peerPath('mbed_talk.c'), '-lmbedtls', '-lmbedx509', '-lmbedcrypto'],
      { encoding: 'utf8' },
    );
    assert.equal(built.status, 0, built.stderr);
    const linked = spawnSync('ldd', [program], { encoding: 'utf8' }).stdout;
    const library = /=> (\S*libmbedtls\S*)/.exec(linked)?.[1];
    assert.ok(library !== undefined, linked);
    lab.attach(privateLibrary(folder, library), chosenSites(library));
    const { match } = await startPeer(s, [program, 'server', '0'], /port (\d+)/, folder);
    await runPeer([program, 'client', match[1] ?? '', '4', '25', '20000'], folder);
    await lab.settle();
    const check = checkAddresses(lab.events, Number(match[1]));
    assert.deepEqual([check.wrong, check.unknown, check.late], [[], 0, 0]);
    assert.ok(lab.data().every((e) => e.library === 4));
    // Whole, though a message is longer than a TLS record: both directions at both ends of each connection.
    const ways = new Map<string, TlsEvent[]>();
    for (const e of lab.data()) {
      const way = `${e.conn} ${e.written}`;
      ways.set(way, [...(ways.get(way) ?? []), e]);
    }
    assert.deepEqual(
      [...ways.values()].map((events) => wholeStream(events).length).toSorted((a, b) => a - b),
      [...Array<number>(8).fill(500_000), ...Array<number>(8).fill(500_004)],
    );
    const closes = () => lab.events.filter((e) => e.kind === 'close' && e.conn !== 0n).length;
    await until(
      () => closes() >= 7,
      () => `${closes()} closes`,
    );
  });

  const node = realpathSync(process.execPath);
  const nodeSites = exportedSites(node);
  const noNode = nodeSites.length === 0 && 'this node has its OpenSSL elsewhere';
  await t.test('OpenSSL inside an executable: node both ends', { skip: noNode }, async (s) => {
    const lab = await shared.again();
    const copy = privateLibrary(folder, node);
    lab.attach(copy, nodeSites);
    const output = await runPeer([copy, peerPath('tls_node.mjs'), '20', '50'], folder);
    await lab.settle();
    const check = checkAddresses(lab.events, Number(/port (\d+)/.exec(output)?.[1]));
    s.diagnostic(`${JSON.stringify(check)} ${JSON.stringify(lab.counters())}`);
    assert.deepEqual([check.wrong, check.unknown], [[], 0]);
    assert.equal(check.right, 4000);
  });

  await t.test('a proxy that ends TLS and writes to other sockets from the callbacks', { skip: noNode }, async (s) => {
    const lab = await shared.again();
    const copy = privateLibrary(folder, node);
    const attachment = lab.attach(copy, nodeSites);
    s.after(() => lab.native.detach(attachment));
    const { match } = await startPeer(s, [copy, peerPath('tls_terminator.mjs')], /port (\d+)/, folder);
    const [script, port] = [peerPath('tls_talk.py'), match[1] ?? ''];
    for (const mode of ['thread', 'async'])
      await runPeer(['python3', script, 'client', mode, '127.0.0.1', port, '20', '25', '600'], folder);
    await lab.settle();
    // The client's library is another: what is seen is the proxy's end.
    const check = checkAddresses(lab.events, Number(port));
    s.diagnostic(`${JSON.stringify(check)} ${JSON.stringify(lab.counters())}`);
    assert.deepEqual([check.wrong, check.unknown], [[], 0]);
    assert.equal(check.right, 2000);
    assert.ok(lab.counter('not_tls') > 100, 'the other sockets were looked at, and not believed');
  });
});

test('files', { skip: kernelSkip() }, async (t) => {
  const shared = openLab(t);
  const folder = certificateFolder(t);
  const libssl = realpathSync(pythonLibssl());
  const crypto = realpathSync(libssl.replace('libssl', 'libcrypto'));
  const script = peerPath('tls_talk.py');
  const loads = (dir: string): string[] => ['env', `LD_LIBRARY_PATH=${dir}`];

  /** Copies of the two libraries in a folder of their own. */
  function copies(name: string): string {
    const dir = join(folder, name);
    mkdirSync(dir);
    copyFileSync(libssl, join(dir, 'libssl.so.3'));
    copyFileSync(crypto, join(dir, 'libcrypto.so.3'));
    return dir;
  }

  async function converse(lab: TlsLab, port: string, pid: number): Promise<number> {
    await runPeer(['python3', script, 'client', 'thread', '127.0.0.1', port, '2', '10', '400'], folder);
    await lab.settle();
    assert.deepEqual(checkAddresses(lab.events, Number(port)).wrong, []);
    assert.ok(lab.data().every((e) => e.pid === pid));
    return lab.data().filter((e) => e.bytes.includes('X-Port')).length;
  }

  const noCopies = !/libssl\.so\.3$/.test(pythonLibssl()) && 'python3 does not use libssl.so.3';

  await t.test('a library that an upgrade has deleted', { skip: noCopies }, async (s) => {
    const dir = copies('deleted');
    const sites = exportedSites(join(dir, 'libssl.so.3'));
    const { child, match } = await startPeer(
      s,
      [...loads(dir), 'python3', script, 'server', 'thread', '127.0.0.1'],
      /port (\d+)/,
      folder,
    );
    rmSync(dir, { recursive: true });
    const lab = await shared.again();
    const { rows } = await scanHost(lab.native, new Turns(() => performance.now()));
    const row = rows.find((r) => r.pid === child.pid && r.path.endsWith('/deleted/libssl.so.3'));
    assert.ok(row?.deleted);
    assert.equal(row.comm.startsWith('python3'), true);
    const area = `${row.start.toString(16)}-${row.end.toString(16)}`;
    lab.attach(`/proc/${row.pid}/map_files/${area}`, sites);
    assert.equal(await converse(lab, match[1] ?? '', row.pid), 40);
  });

  await t.test('a private mount namespace', { skip: noCopies }, async (s) => {
    const dir = copies('private');
    const inside = join(folder, 'inside');
    mkdirSync(inside);
    const line = `mount -t tmpfs none ${inside} && cp ${dir}/* ${inside}/ && LD_LIBRARY_PATH=${inside} exec python3 ${script} server thread 127.0.0.1`;
    const { child, match } = await startPeer(s, ['unshare', '-m', 'sh', '-c', line], /port (\d+)/, folder);
    const lab = await shared.again();
    const { rows } = await scanHost(lab.native, new Turns(() => performance.now()));
    const row = rows.find((r) => r.pid === child.pid && r.path === `${inside}/libssl.so.3`);
    assert.ok(row !== undefined && !row.deleted);
    const own = rows.find((r) => r.pid === process.pid);
    assert.notEqual(row.mntns, own?.mntns);
    const path = `/proc/${row.pid}/root${row.path}`;
    lab.attach(path, exportedSites(path));
    assert.equal(await converse(lab, match[1] ?? '', row.pid), 40);
  });

  await t.test(
    'overlayfs: the scan tells the real inode, and one attachment is enough',
    { skip: noCopies },
    async (s) => {
      const lower = copies('lower');
      const [merged, upper, work] = ['merged', 'upper', 'work'].map((name) => join(folder, name));
      const line = `mount -t tmpfs none ${folder}/layers && mkdir ${folder}/layers/u ${folder}/layers/w && mount -t overlay overlay -o lowerdir=${lower},upperdir=${folder}/layers/u,workdir=${folder}/layers/w ${merged} && LD_LIBRARY_PATH=${merged} exec python3 ${script} server thread 127.0.0.1`;
      for (const dir of [merged, upper, work, join(folder, 'layers')]) mkdirSync(dir ?? '');
      if (spawnSync('unshare', ['-m', 'sh', '-c', line.replace(/&& LD_.*$/, '')]).status !== 0)
        return s.skip('no overlayfs here');
      const { child, match } = await startPeer(s, ['unshare', '-m', 'sh', '-c', line], /port (\d+)/, folder);
      const lab = await shared.again();
      // The path is one of the layer or of the merged tree, by the kernel's version; the inode is always the real one.
      const { rows } = await scanHost(lab.native, new Turns(() => performance.now()));
      const row = rows.find((r) => r.pid === child.pid && r.path.endsWith('/libssl.so.3'));
      assert.ok(row !== undefined);
      s.diagnostic(`${row.path} of ${merged}`);
      const real = statSync(join(lower, 'libssl.so.3'));
      assert.deepEqual([row.ino, row.dev], [real.ino, kernelDevice(real.dev)]);
      lab.attach(join(lower, 'libssl.so.3'), exportedSites(libssl));
      assert.equal(await converse(lab, match[1] ?? '', row.pid), 40);
    },
  );
});
