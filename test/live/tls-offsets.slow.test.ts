/** A stripped program with OpenSSL linked in is read by offsets, by its build id, and by its separate debug file. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { TLS_FLAG } from '../../src/sources/records.ts';
import { TlsOffsets } from '../../src/sources/tls/offsets.ts';
import { until } from '../helpers/patience.ts';
import { buildLinked, buildNameless, converse, LINKED, run, untilSeen, watch } from './nameless.ts';
import { certificateFolder, checkAddresses, kernelSkip } from './tls-kernel-lab.ts';

const CONNECTIONS = 200;
const MESSAGES = 10;
const NAMES = LINKED.OpenSSL.functions;

test('a stripped program', { skip: kernelSkip() }, async (t) => {
  const folder = certificateFolder(t);

  await t.test('by offsets: every message at both ends, with the right address', async (s) => {
    const peer = buildNameless(folder, 'by-offsets');
    const given = NAMES.map((name) => `${name}=${peer.address(name)}`).join(' ');
    const watched = await watch(s, peer.stripped, new TlsOffsets([`${peer.stripped} ${given}`]));
    assert.match(watched.said.join('\n'), /uprobe attached: by-offsets \(no process yet, by option, shown when /);
    const port = await converse(s, folder, peer.stripped, CONNECTIONS, MESSAGES);
    // Written and read, at the client and at the server.
    const total = 4 * CONNECTIONS * MESSAGES;
    await untilSeen(watched, total);
    const check = checkAddresses(watched.events, port);
    s.diagnostic(JSON.stringify({ ...check, dropped: watched.source.unproven }));
    assert.deepEqual([check.right, check.wrong, check.unknown, check.weakWrong], [total, [], 0, 0]);
    assert.equal(watched.source.unproven, 0);
    assert.ok(!watched.events.some((e) => e.bytes.includes('nobody sent this')));
    const proven = watched.said.filter((line) => line.startsWith('uprobe proven: by-offsets: '));
    assert.deepEqual(proven.toSorted(), [
      `uprobe proven: by-offsets: SSL_read=${hex(peer.address('SSL_read'))} carries plaintext of TLS`,
      `uprobe proven: by-offsets: SSL_write=${hex(peer.address('SSL_write'))} carries plaintext of TLS`,
    ]);
  });

  await t.test('by its build id, from a file', async (s) => {
    const peer = buildNameless(folder, 'by-build-id', '-no-pie');
    const list = join(folder, 'offsets');
    const given = ['SSL_read', 'SSL_write'].map((name) => `${name}=${peer.address(name)}`).join(' ');
    writeFileSync(list, `# our own build\n\n${peer.buildId.toUpperCase()} ${given}\n`);
    const watched = await watch(s, peer.stripped, TlsOffsets.read(list));
    const port = await converse(s, folder, peer.stripped, 20, MESSAGES);
    await untilSeen(watched, 4 * 20 * MESSAGES);
    assert.deepEqual(checkAddresses(watched.events, port).wrong, []);
    assert.equal(watched.source.files().find((f) => f.name === 'by-build-id')?.foundBy, 'build id');
  });

  for (const way of ['build id', 'debug link'] as const)
    await t.test(`by its separate debug file, found by its ${way}`, async (s) => {
      const peer = buildNameless(folder, `by-${way.replace(' ', '-')}`, ...(way === 'build id' ? [] : ['-DOTHER=1']));
      const debug = `${peer.stripped}.debug`;
      run('objcopy', '--only-keep-debug', peer.twin, debug);
      run('objcopy', `--add-gnu-debuglink=${debug}`, peer.stripped);
      if (way === 'build id') {
        const { buildId } = peer;
        const place = `/usr/lib/debug/.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}.debug`;
        const made = mkdirSync(dirname(place), { recursive: true });
        s.after(() => rmSync(made ?? place, { recursive: true }));
        copyFileSync(debug, place);
        rmSync(debug);
      }
      const watched = await watch(s, peer.stripped, new TlsOffsets());
      const port = await converse(s, folder, peer.stripped, 20, MESSAGES);
      await untilSeen(watched, 4 * 20 * MESSAGES);
      assert.deepEqual(checkAddresses(watched.events, port).wrong, []);
      assert.equal(watched.source.files().find((f) => peer.stripped === f.path)?.foundBy, 'debug file');
    });

  for (const library of ['GnuTLS', 'wolfSSL', 'Mbed TLS'] as const) {
    const { header, functions } = LINKED[library];
    const skip = !existsSync(join('/usr/include', header)) && `no ${library}`;
    await t.test(`${library} by offsets`, { skip }, async (s) => {
      const peer = buildLinked(library, folder, `by-offsets-${library.replace(' ', '-')}`);
      const given = functions.map((name) => `${name}=${peer.address(name)}`).join(' ');
      const watched = await watch(s, peer.stripped, new TlsOffsets([`${peer.stripped} ${given}`]));
      const port = await converse(s, folder, peer.stripped, 20, MESSAGES);
      await untilSeen(watched, 4 * 20 * MESSAGES);
      const check = checkAddresses(watched.events, port);
      s.diagnostic(JSON.stringify(check));
      assert.deepEqual([check.right, check.wrong, check.weakWrong], [4 * 20 * MESSAGES, [], 0]);
      // Mbed TLS shares a RET with its handshake: a thread that was seen to begin anything missed no read.
      assert.equal(watched.source.counter('return_without_entry'), 0);
    });
  }

  for (const force of [{ probes: 'perf' }, { sysExit: true }] as const)
    await t.test(`by lesser mechanisms: ${Object.keys(force).join()}`, async (s) => {
      const peer = buildNameless(folder, `forced-${Object.keys(force).join()}`);
      const given = NAMES.map((name) => `${name}=${peer.address(name)}`).join(' ');
      const watched = await watch(s, peer.stripped, new TlsOffsets([`${peer.stripped} ${given}`]), force);
      const port = await converse(s, folder, peer.stripped, 20, MESSAGES);
      await untilSeen(watched, 4 * 20 * MESSAGES);
      assert.deepEqual(checkAddresses(watched.events, port).wrong, []);
    });

  await t.test('a client that takes records in small parts', async (s) => {
    const peer = buildNameless(folder, 'in-parts');
    const given = NAMES.map((name) => `${name}=${peer.address(name)}`).join(' ');
    const watched = await watch(s, peer.stripped, new TlsOffsets([`${peer.stripped} ${given}`]));
    await converse(s, folder, peer.stripped, 20, MESSAGES, '100');
    await untilSeen(watched, 4 * 20 * MESSAGES);
    assert.equal(watched.source.unproven, 0);
  });

  await t.test(
    'threads that send and receive for others: the ClientHello in the object proves the address',
    async (s) => {
      const peer = buildNameless(folder, 'handed-over');
      const given = NAMES.slice(0, 3).map((name) => `${name}=${peer.address(name)}`);
      const watched = await watch(s, peer.stripped, new TlsOffsets([`${peer.stripped} ${given.join(' ')}`]));
      const port = await converse(s, folder, peer.stripped, 80, MESSAGES, '65536', '4');
      const total = 4 * 80 * MESSAGES;
      await untilSeen(watched, total);
      const check = checkAddresses(watched.events, port);
      s.diagnostic(JSON.stringify(check));
      assert.deepEqual([check.right, check.wrong, check.unknown, check.weakWrong], [total, [], 0, 0]);
      // Events before the proof are likely. On a loaded machine a connection or two may end before theirs is there.
      const last = new Map(watched.events.filter((e) => e.kind !== 'close').map((e) => [`${e.pid} ${e.conn}`, e]));
      const unproven = [...last.values()].filter((e) => (e.flags & TLS_FLAG.WEAK_TUPLE) !== 0);
      assert.equal(last.size, 160);
      assert.ok(unproven.length <= 2, `${unproven.length} connections ended without a proof`);
    },
  );

  await t.test('where a probe cannot say at which site it is, such a file is refused', async (s) => {
    const peer = buildNameless(folder, 'without-cookies');
    const given = NAMES.map((name) => `${name}=${peer.address(name)}`).join(' ');
    const { said } = await watch(s, peer.stripped, new TlsOffsets([`${peer.stripped} ${given}`]), { oldHelpers: true });
    assert.equal(
      said[0],
      'uprobe not attached: without-cookies: functions that the file does not name need Linux 5.17',
    );
  });

  await t.test('a debug file of another build is not taken', async (s) => {
    const peer = buildNameless(folder, 'other-debug');
    const other = buildNameless(folder, 'other-build', '-DOTHER=2', '-O1');
    run('objcopy', '--only-keep-debug', other.twin, `${peer.stripped}.debug`);
    run('objcopy', `--add-gnu-debuglink=${peer.stripped}.debug`, peer.stripped);
    const watched = await watch(s, peer.stripped, new TlsOffsets());
    assert.deepEqual(
      watched.source.files().filter((f) => f.path === peer.stripped),
      [],
    );
  });

  await t.test('an offset that starts no function is refused before anything is attached', async (s) => {
    const peer = buildNameless(folder, 'no-function');
    const inside = hex(Number(peer.address('SSL_write')) + 4);
    const given = `SSL_read=${peer.address('SSL_read')} SSL_write=${inside}`;
    const { source, said } = await watch(s, peer.stripped, new TlsOffsets([`${peer.stripped} ${given}`]));
    const reason = `SSL_write=${inside} (option) starts no function: it lies 4 bytes into the one at ${hex(peer.address('SSL_write'))}`;
    assert.equal(said[0], `uprobe not attached: no-function: ${reason}`);
    assert.ok(!said.some((line) => line.includes('attached: no-function') && line !== said[0]));
    assert.ok(!source.files().some((f) => f.path === peer.stripped && f.isAttached));
  });

  await t.test('an offset of another function is detached and named, and nothing it read is shown', async (s) => {
    for (const other of ['note_text', 'BIO_write']) {
      const name = `other-${other.toLowerCase()}`;
      const peer = buildNameless(folder, name);
      const given = `SSL_read=${peer.address('SSL_read')} SSL_write=${peer.address(other)}`;
      const { source, said, events } = await watch(s, peer.stripped, new TlsOffsets([`${peer.stripped} ${given}`]));
      await converse(s, folder, peer.stripped, 20, MESSAGES);
      const reason = `SSL_write=${hex(peer.address(other))} is another function: 20 of its calls fit no TLS record; nothing of it was shown`;
      await until(
        () => said.includes(`uprobe detached: ${name}: ${reason}`),
        () => said.join('\n'),
      );
      assert.ok(!source.files().some((f) => f.path === peer.stripped && f.isAttached));
      assert.ok(!events.some((e) => e.written || e.bytes.includes('nobody sent this')));
      source.close();
    }
  });
});

function hex(address: string | number): string {
  return `0x${Number(address).toString(16)}`;
}
