/** Loading and attaching: every mechanism, what a refusal says, the rights that are enough, and what stays behind. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeTlsOptions, TlsStatus } from '../../src/sources/tls/native-tls.ts';
import { START } from '../../src/sources/tls/native-tls.ts';
import { asOtherUser } from '../helpers/other-user.ts';
import { until } from '../helpers/patience.ts';
import { exportedSites } from '../helpers/tls-probes.ts';
import type { TlsEvent } from './tls-kernel-lab.ts';
import {
  attachLibrary,
  certificateFolder,
  kernelSkip,
  openLab,
  peerPath,
  privateLibssl,
  runPeer,
  says,
  startPeer,
  wholeStream,
} from './tls-kernel-lab.ts';

const SERVER = ['openssl', 's_server', '-accept', '127.0.0.1:0', '-cert', 'c.pem', '-key', 'k.pem', '-naccept', '1'];

type Answer = { refusal: string; attached: string; status: TlsStatus; rows: number; scanError: string };

/** Runs tls-kernel-child under `wrapper`; its first line. End its stdin for the second. */
async function child(
  libssl: string,
  wrapper: readonly string[],
  options: Partial<NativeTlsOptions> = {},
): Promise<{ child: ChildProcess; answer: Answer; rest: () => Promise<string> }> {
  const script = join(import.meta.dirname, 'tls-kernel-child.js');
  const [program = '', ...args] = [...wrapper, process.execPath, script, libssl, JSON.stringify(options)];
  const started = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  let ended = false;
  started.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  started.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  started.on('close', () => (ended = true));
  await until(
    () => output.includes('\n') || ended,
    () => `it says nothing: ${errors}`,
    10,
  );
  const rest = async (): Promise<string> => {
    const [first = ''] = output.split('\n', 1);
    started.stdin.end();
    await until(
      () => ended,
      () => `it does not end: ${errors}`,
      10,
    );
    return output.slice(first.length + 1);
  };
  // Written by tls-kernel-child.ts, next door.
  return { child: started, answer: JSON.parse(output.split('\n', 1)[0] ?? '') as Answer, rest };
}

/** Only these capabilities, as a user who is not root. */
function nobodyWith(...capabilities: string[]): readonly string[] {
  const list = capabilities.map((c) => `+${c}`).join(',');
  const only = list === '' ? '-all' : `-all,${list}`;
  return asOtherUser(
    'setpriv',
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    `--inh-caps=${only}`,
    `--ambient-caps=${only}`,
    `--bounding-set=${only}`,
  );
}

function byProcess(events: readonly TlsEvent[]): Map<number, TlsEvent[]> {
  const of = new Map<number, TlsEvent[]>();
  for (const e of events) of.set(e.pid, [...(of.get(e.pid) ?? []), e]);
  return of;
}

/** Instructions that the verifier walked for each eBPF program that this process has open, by the program's number. */
function verifiedPrograms(): Map<string, number> {
  const found = new Map<string, number>();
  for (const fd of readdirSync('/proc/self/fdinfo')) {
    const path = `/proc/self/fdinfo/${fd}`;
    // The descriptor of the listing itself is gone.
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const id = /^prog_id:\s*(\d+)$/m.exec(text)?.[1];
    if (id !== undefined) found.set(id, Number(/^verified_insns:\s*(\d+)$/m.exec(text)?.[1] ?? 0));
  }
  return found;
}

const hasSetpriv = spawnSync('setpriv', ['--version']).status === 0;

test('loading and attaching', { skip: kernelSkip() }, async (t) => {
  const folder = certificateFolder(t);
  const libssl = privateLibssl(folder);
  // Readable for the user that is not root.
  chmodSync(folder, 0o755);
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') };

  for (const force of [{}, { sysExit: true }, { oldHelpers: true }]) {
    const way = Object.keys(force).join() || 'the best way';
    await t.test(`no program is too much for an older kernel's verifier: ${way}`, (s) => {
      const before = verifiedPrograms();
      openLab(s, { force });
      const ours = [...verifiedPrograms()].filter(([id]) => !before.has(id)).map(([, n]) => n);
      s.diagnostic(`instructions verified: ${ours.toSorted((a, b) => b - a).join(' ')}`);
      if (ours.every((n) => n === 0)) return s.skip('this kernel does not say how many it verified (Linux 5.16)');
      assert.ok(ours.length >= 4, `${ours.length} programs`);
      // 6.1 needs three times as many and gives up at a million, after minutes.
      assert.ok(Math.max(...ours) < 50_000);
    });
  }

  for (const probes of ['multi', 'perf'] as const) {
    for (const sysExit of [false, true]) {
      await t.test(`${probes} links, ${sysExit ? 'sys_exit' : 'socket tracepoints'}: openssl both ends`, async (s) => {
        const force = { sysExit, ...(probes === 'multi' ? {} : { probes }) };
        const lab = openLab(s, { force });
        const status = lab.native.status();
        s.diagnostic(JSON.stringify(status));
        // An older kernel may have to take a lesser one; then it must say why.
        if (status.probes !== probes) assert.notEqual(status.probesWhy, '');
        assert.equal(status.sockets === 'sys-exit', sysExit || status.socketsWhy !== '');
        // Perf events are taken away one by one, in a fifth of a second each: no more than the conversation needs.
        const needed = exportedSites(libssl).filter(({ kind }) => /-(read|write|handshake)/.test(kind));
        if (status.probes === 'perf') lab.attach(libssl, needed);
        else attachLibrary(lab, libssl);
        const { child: server, match } = await startPeer(s, SERVER, /ACCEPT 127\.0\.0\.1:(\d+)/, folder);
        const args = ['s_client', '-quiet', '-connect', `127.0.0.1:${match[1]}`];
        const client = spawn('openssl', args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
        s.after(() => client.kill('SIGKILL'));
        const heard = says(server, /OPTIONS sip:calltap/);
        client.stdin.write('OPTIONS sip:calltap\n');
        await heard;
        const answered = says(client, /SIP\/2.0 200 OK/);
        server.stdin?.write('SIP/2.0 200 OK\n');
        await answered;
        await until(
          () => lab.data().length >= 4,
          () => `${lab.data().length} events`,
        );
        await lab.settle();
        const seen = lab
          .data()
          .map((e) =>
            `${e.pid === client.pid ? 'client' : 'server'} ${e.written ? 'wrote' : 'read'} ${e.bytes}`.trim(),
          );
        assert.deepEqual(seen.toSorted(), [
          'client read SIP/2.0 200 OK',
          'client wrote OPTIONS sip:calltap',
          'server read OPTIONS sip:calltap',
          'server wrote SIP/2.0 200 OK',
        ]);
        for (const e of lab.data())
          assert.ok([e.local, e.remote].includes(`127.0.0.1:${match[1]}`), `${e.local} ${e.remote}`);
        // A write is told at its entry, a read at its return: the order of time is that of the conversation.
        const times = lab
          .data()
          .filter((e) => e.bytes.includes('OPTIONS'))
          .sort((a, b) => a.tsUs - b.tsUs);
        assert.equal(times[0]?.written, true);
        assert.ok(Math.abs(Date.now() * 1000 - (times[0]?.tsUs ?? 0)) < 20e6, 'wall clock');
      });
    }
  }

  await t.test('files, sites and processes that are not there', (s) => {
    const lab = openLab(s);
    const sites = exportedSites(libssl);
    const missing = lab.native.attach({ path: '/nowhere/libssl.so.3', sites });
    assert.equal(missing.id, 0);
    assert.match(missing.error, /^attaching to \/nowhere\/libssl\.so\.3: No such file or directory \(Linux [^)]+\)$/);
    const beyond = lab.native.attach({ path: libssl, sites: [{ kind: 'openssl-read', offset: 1e12, exits: null }] });
    assert.equal(beyond.id, 0);
    assert.match(beyond.error, /^attaching to .*libssl\.so\.3: Invalid argument \(Linux [^)]+\)$/);
    const nobody = lab.native.attach({ path: libssl, sites, pid: 0x3ffffff });
    assert.match(nobody.error, /No such process/);
    assert.equal(lab.native.attach({ path: libssl, sites: [] }).id, 0);
    assert.throws(
      () =>
        lab.native.attach({
          path: libssl,
          sites: [{ kind: 'openssl-peek' as 'openssl-read', offset: 1, exits: null }],
        }),
      /unknown kind/,
    );
    assert.equal(lab.native.status().attachments, 0);
    assert.equal(lab.native.detach(77), false);
    const id = lab.attach(libssl, sites);
    assert.equal(lab.native.status().attachments, 1);
    assert.equal(lab.native.detach(id), true);
    assert.equal(lab.native.detach(id), false);
  });

  const shared = openLab(t);
  attachLibrary(shared, libssl);
  await t.test('only listed processes are observed', async (s) => {
    const lab = await shared.again();
    const command = SERVER.map((word) => (word === '1' ? '4' : word));
    const { child: listening, match } = await startPeer(s, command, /ACCEPT 127\.0\.0\.1:(\d+)/, folder);
    const line = `(echo hello; sleep 0.2) | openssl s_client -quiet -no_ign_eof -connect 127.0.0.1:${match[1]}`;
    const talk = (): Promise<string> => runPeer(['sh', '-c', line], folder);
    assert.equal(lab.native.allow(Uint32Array.of(1)), 0);
    await talk();
    await lab.settle();
    assert.equal(lab.data().length, 0);
    assert.equal(lab.native.allow(Uint32Array.of(1, listening.pid ?? 0)), 0);
    await talk();
    await until(
      () => lab.data().length > 0,
      () => 'nothing is observed',
    );
    await lab.settle();
    assert.ok(lab.data().every((e) => e.pid === listening.pid));
    const before = lab.data().length;
    assert.equal(lab.native.allow(new Uint32Array(0)), 0);
    await talk();
    await lab.settle();
    assert.equal(lab.data().length, before, 'an empty list is nobody, not everybody');
    assert.equal(lab.native.allow(null), 0);
    await talk();
    await until(
      () => lab.data().some((e) => e.pid !== listening.pid),
      () => 'the client is not observed',
    );
  });

  await t.test('who is forked by a listed process is observed from the first byte', async (s) => {
    const lab = await shared.again();
    const script = peerPath('tls_talk.py');
    const { child: server, match } = await startPeer(
      s,
      ['python3', script, 'server', 'fork', '127.0.0.1'],
      /(\d+)/,
      folder,
    );
    const talk = (connections: number): Promise<string> =>
      runPeer(
        ['python3', script, 'client', 'thread', '127.0.0.1', match[1] ?? '', String(connections), '2', '600'],
        folder,
      );
    const list = Uint32Array.of(server.pid ?? 0);
    assert.equal(lab.native.allow(list), 0);
    await talk(20);
    await lab.settle();
    const workers = byProcess(lab.data());
    assert.equal(workers.size, 20);
    assert.ok(!workers.has(server.pid ?? 0), 'each connection is of a worker');
    for (const events of workers.values())
      for (const written of [false, true]) {
        const way = wholeStream(events.filter((e) => e.written === written));
        // The client says the size of a message first, in four bytes.
        assert.equal(way.length, written ? 1200 : 1204);
        assert.equal(way.indexOf('MESSAGE sip:b@example.org'), written ? 0 : 4);
      }
    // Lists made before a worker was born pass it by: one does not take it away.
    lab.events.length = 0;
    const busy = talk(60);
    const isOver = busy.then(() => true);
    // In the middle of it: some workers are talking, others are yet to be born.
    while (byProcess(lab.data()).size < 10 && !(await Promise.race([isOver, sleep(1, false)])));
    lab.native.allow(list);
    await busy;
    await lab.settle();
    const again = byProcess(lab.data());
    assert.equal(again.size, 60);
    // And those that have ended leave nothing behind: 8192 fit on the list.
    assert.equal(lab.counter('no_room'), 0);
  });

  await t.test(
    'who starts a program is observed from its first byte when that was foreseen, and else not',
    async (s) => {
      const lab = await shared.again();
      const { match } = await startPeer(
        s,
        SERVER.map((word) => (word === '1' ? '9' : word)),
        /ACCEPT 127\.0\.0\.1:(\d+)/,
        folder,
      );
      const line = `(echo hello; sleep 0.1) | openssl s_client -quiet -no_ign_eof -connect 127.0.0.1:${match[1]}`;
      const { child: shell } = await startPeer(
        s,
        ['sh', '-c', `echo up; while read x; do ${line}; echo done; done`],
        /up/,
        folder,
      );
      const path = spawnSync('sh', ['-c', 'realpath "$(command -v openssl)"'], { encoding: 'utf8' }).stdout.trim();
      const program = { ino: statSync(path).ino, name: basename(path) };
      const byName = { ino: 0, name: 'openssl' };
      const [nobody, parent] = [Uint32Array.of(1), Uint32Array.of(shell.pid ?? 0)];
      for (const [listed, rule, programs, expected] of [
        [parent, 0, [], 0],
        [parent, START.BORN, [], 1],
        [nobody, START.BORN, [], 0],
        [nobody, START.FILE, [{ ...program, ino: program.ino + 1 }], 0],
        [nobody, START.FILE, [program], 1],
        [nobody, START.ANY | START.NAME, [], 0],
        [parent, START.BORN | START.NAME, [], 0],
        [nobody, START.ANY | START.NAME, [byName], 1],
        [parent, START.BORN | START.NAME, [], 1],
      ] as const) {
        // The one list that there is was made before the program started.
        assert.equal(lab.native.allow(listed), 0);
        assert.equal(lab.native.starts(rule, programs), 0);
        lab.events.length = 0;
        const done = says(shell, /done/);
        shell.stdin?.write('go\n');
        await done;
        await lab.settle();
        const written = lab.data().filter((e) => e.written);
        assert.deepEqual(
          written.map((e) => [e.offset, e.bytes.toString('latin1')]),
          expected === 1 ? [[0, 'hello\n']] : [],
          `rule ${rule}, ${JSON.stringify(programs)}`,
        );
      }
    },
  );

  await t.test(
    'rights: none, half, and CAP_BPF with CAP_PERFMON',
    { skip: !hasSetpriv && 'no setpriv (util-linux)' },
    async (s) => {
      const remedy = 'run as root, or give the service AmbientCapabilities=CAP_BPF CAP_PERFMON';
      for (const [held, missing] of [
        [[], 'CAP_BPF and CAP_PERFMON'],
        [['perfmon'], 'CAP_BPF'],
        [['bpf'], 'CAP_PERFMON'],
      ] as const) {
        const { answer, rest } = await child(libssl, nobodyWith(...held));
        await rest();
        assert.match(answer.refusal, new RegExp(`: missing ${missing}; ${remedy}$`));
        assert.equal(answer.rows, 0);
        assert.match(answer.scanError, new RegExp(`missing ${missing}; `));
      }
      const { answer, rest, child: process_ } = await child(libssl, nobodyWith('bpf', 'perfmon'));
      if (answer.status.probes !== 'multi') return s.skip('no multi links here');
      assert.deepEqual([answer.refusal, answer.attached], ['', '']);
      assert.ok(answer.rows > 10);
      const { child: server, match } = await startPeer(s, SERVER, /ACCEPT 127\.0\.0\.1:(\d+)/, folder);
      const heard = says(server, /hello/);
      await runPeer(
        ['sh', '-c', `(echo hello; sleep 0.3) | openssl s_client -quiet -no_ign_eof -connect 127.0.0.1:${match[1]}`],
        folder,
      );
      await heard;
      const seen = JSON.parse(await rest()) as { events: number; bound: number };
      assert.ok(seen.bound >= 2, `${JSON.stringify(seen)} as nobody (${process_.pid})`);
      // Perf events want more, and say so.
      const perf = await child(libssl, nobodyWith('bpf', 'perfmon'), { force: { probes: 'perf' } });
      await perf.rest();
      assert.match(perf.answer.refusal, /^attaching a probe: /);
    },
  );

  await t.test('a process that is stopped again and again while it loads', async () => {
    const starting = child(libssl, ['sh', '-c', 'echo $$ > "$0"; exec "$@"', join(folder, 'pid')]);
    const pid = await until(
      // The shell makes the file before it writes to it: no number is 0, which means this whole group of processes.
      () => existsSync(join(folder, 'pid')) && (Number(readFileSync(join(folder, 'pid'), 'utf8')) || null),
      () => 'it does not start',
      5,
    );
    for (const end = performance.now() + 1000; performance.now() < end; ) {
      process.kill(pid, 'SIGSTOP');
      await sleep(2);
      process.kill(pid, 'SIGCONT');
      await sleep(3);
    }
    const { answer, rest } = await starting;
    await rest();
    assert.deepEqual([answer.refusal, answer.attached, answer.scanError], ['', '', '']);
  });

  const noBpftool = spawnSync('bpftool', ['version']).status !== 0 && 'no bpftool';
  await t.test('nothing is left when the process is killed', { skip: noBpftool }, async () => {
    const started = await child(libssl, []);
    const folder = `/proc/${started.child.pid}/fdinfo`;
    const owned = new Set<string>();
    for (const fd of readdirSync(folder))
      for (const [, kind, id] of readFileSync(join(folder, fd), 'utf8').matchAll(/^(prog|link)_id:\s*(\d+)$/gm))
        owned.add(`${kind} ${id}`);
    const isThere = (what: string): boolean =>
      spawnSync('bpftool', [...what.replace(' ', ' show id ').split(' ')]).status === 0;
    assert.ok([...owned].filter((what) => what.startsWith('prog')).length >= 5, [...owned].join());
    assert.ok([...owned].filter((what) => what.startsWith('link')).length >= 4, [...owned].join());
    assert.ok([...owned].every(isThere));
    started.child.kill('SIGKILL');
    await until(
      () => ![...owned].some(isThere),
      () => [...owned].filter(isThere).join(),
    );
  });

  await t.test('descriptors are closed on exec', (s) => {
    const lab = openLab(s);
    attachLibrary(lab, libssl);
    const inherited = spawnSync('ls', ['-l', '/proc/self/fd'], { encoding: 'utf8' }).stdout;
    assert.doesNotMatch(inherited, /bpf|perf/);
  });
});
