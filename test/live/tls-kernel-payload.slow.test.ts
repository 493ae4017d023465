/** The plaintext of TLS calls: whole, in order, once, lost only with a count and a place, and SIP only when asked. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TLS_FLAG } from '../../src/sources/records.ts';
import type { TlsSite } from '../../src/sources/tls/native-tls.ts';
import { until } from '../helpers/patience.ts';
import { chosenSites, exportedSites } from '../helpers/tls-probes.ts';
import {
  attachLibrary,
  certificateFolder,
  checkAddresses,
  kernelSkip,
  openLab,
  peerPath,
  privateLibssl,
  runPeer,
  startPeer,
  type TlsEvent,
  type TlsLab,
  wholeStream,
} from './tls-kernel-lab.ts';

/** What came behind the upgrade, at either end. */
function messagesOf(lab: TlsLab): TlsEvent[] {
  return lab.data().filter((e) => e.bytes.length > 0 && !/^(?:GET|HTTP\/1\.1) /.test(e.bytes.toString('latin1')));
}

function streams(events: readonly TlsEvent[]): Map<string, TlsEvent[]> {
  const found = new Map<string, TlsEvent[]>();
  for (const e of events) {
    const key = `${e.conn}${e.written ? ' written' : ' read'}`;
    const list = found.get(key);
    if (list === undefined) found.set(key, [e]);
    else list.push(e);
  }
  return found;
}

test('payload', { skip: kernelSkip() }, async (t) => {
  const folder = certificateFolder(t);
  const libssl = privateLibssl(folder);
  const shared = openLab(t);
  /** The tests' common capture, attached for one of them. */
  async function attached(s: TestContext, sites: readonly TlsSite[] = exportedSites(libssl)): Promise<TlsLab> {
    const lab = await shared.again();
    const attachment = lab.attach(libssl, sites);
    s.after(() => lab.native.detach(attachment));
    return lab;
  }
  const raw = (mode: string): string[] => ['env', `LIBSSL=${libssl}`, 'python3', peerPath('tls_raw.py'), mode];

  for (const [megabytes, force] of [
    [8, {}],
    [2, { oldHelpers: true }],
  ] as const) {
    const way = Object.keys(force).join();
    await t.test(
      `${megabytes} MB each way, odd sizes, refused and partial writes: every byte at both ends ${way}`,
      async (s) => {
        const lab = openLab(s, { ringBytes: 32 << 20, force }, 128);
        attachLibrary(lab, libssl);
        const output = await runPeer(['python3', peerPath('tls_bulk.py'), String(megabytes)], folder);
        await lab.settle();
        const port = /client port (\d+)/.exec(output)?.[1];
        const all = streams(lab.data());
        assert.equal(all.size, 4);
        for (const list of all.values()) {
          const first = list[0];
          assert.ok(first !== undefined);
          const end = first.local.endsWith(`:${port}`) ? 'client' : 'server';
          const file = readFileSync(join(folder, `${end}.${first.written ? 'tx' : 'rx'}`));
          assert.ok(wholeStream(list).equals(file), `${end} ${first.written ? 'written' : 'read'}`);
        }
        assert.ok(lab.counter('no_plaintext') > 20, 'there were refusals');
        assert.equal(lab.counter('lost_bytes'), 0);
      },
    );
  }

  await t.test(
    'SSL_read and SSL_write, their _ex forms, peeking, partial writes: every byte once, at both ends',
    async (s) => {
      const lab = openLab(s, { ringBytes: 32 << 20 }, 128);
      attachLibrary(lab, libssl);
      const program = join(folder, 'tls_modes');
      execFileSync('gcc', ['-O1', '-o', program, peerPath('tls_modes.c'), '-lssl', '-lcrypto']);
      await runPeer([program, '1500000'], folder);
      await lab.settle();
      const names = readdirSync(folder).filter((name) => /^\d\.(client|server)\.tx$/.test(name));
      assert.equal(names.length, 8);
      const seen = new Map<string, string[]>();
      for (const list of streams(lab.data()).values()) {
        const whole = wholeStream(list);
        const name = `${/^\d\.\w+/.exec(whole.toString('latin1', 0, 16))?.[0]}.tx`;
        assert.ok(whole.equals(readFileSync(join(folder, name))), name);
        seen.set(name, [...(seen.get(name) ?? []), list[0]?.written === true ? 'written' : 'read']);
      }
      assert.deepEqual([...seen.keys()].toSorted(), names.toSorted());
      for (const [name, ways] of seen) assert.deepEqual(ways.toSorted(), ['read', 'written'], name);
      assert.ok(lab.counter('no_plaintext') > 20, 'there were refusals');
      assert.equal(lab.counter('lost_bytes') + lab.counter('faults'), 0);
    },
  );

  await t.test('buffers that were never touched', async (s) => {
    const lab = await attached(s);
    await runPeer(raw('cold'), folder);
    await lab.settle();
    const written = lab.data().filter((e) => e.written && e.bytes.length === 12_288);
    // Each of the 100 goes out by SSL_write and comes back by sendall.
    assert.equal(written.length, 200);
    assert.equal(lab.counter('faults'), 0);
    const client = [...streams(lab.data()).values()].find((list) => list[0]?.written === true);
    assert.ok(client !== undefined);
    const want = Buffer.concat(
      Array.from({ length: 100 }, (_, i) => Buffer.from(String(i).padStart(8, '0').repeat(1536))),
    );
    assert.ok(wholeStream(client).equals(want));
  });

  for (const [where, sites] of [
    ['the exported functions', exportedSites(libssl)],
    ['the sites that calltap takes', chosenSites(libssl)],
  ] as const) {
    await t.test(`early data (RFC 8446 s2.3) of client and server, seen at ${where}`, async (s) => {
      const lab = await attached(s, sites);
      const output = await runPeer(raw('early'), folder);
      await lab.settle();
      assert.match(output, /^early 0\nearly 10700\n/, 'the server took the early data of the second connection');
      const check = checkAddresses(lab.events, Number(/port (\d+)/.exec(output)?.[1]));
      assert.deepEqual(check.wrong, []);
      assert.equal(check.unknown, 0);
      // The connection with early data: who wrote or read, how much, and what it began with. Every byte, once.
      const early = [...streams(lab.data()).values()].filter((list) => list.some((e) => e.bytes.includes('early')));
      const seen = early.map((list) => {
        const text = wholeStream(list).toString('latin1');
        const parts = [
          ...text.matchAll(/MESSAGE sip:b@example\.org SIP\/2\.0\r\nX-Who: (\w+ \w+)\r\nX-Port: \d+;\r\n\r\n\.*/g),
        ];
        assert.equal(parts.map(([part]) => part).join(''), text);
        return `${list[0]?.written === true ? 'wrote' : 'read'} ${parts.map(([part, who]) => `${who} ${part.length}`).join(', ')}`;
      });
      const [client, server] = [
        'client early 200, client early 1500, client early 9000, client late 400',
        'server early 300, server late 500',
      ];
      assert.deepEqual(seen.toSorted(), [`read ${client}`, `read ${server}`, `wrote ${client}`, `wrote ${server}`]);
    });
  }

  await t.test('early data of openssl s_client, at both ends', async (s) => {
    const lab = await attached(s);
    const text = 'MESSAGE sip:early@example.org SIP/2.0\r\nContent-Length: 0\r\n\r\n';
    writeFileSync(join(folder, 'early.txt'), text);
    const server = ['s_server', '-accept', '127.0.0.1:0', '-cert', 'c.pem', '-key', 'k.pem', '-early_data'];
    const { child, match } = await startPeer(s, ['openssl', ...server], /ACCEPT 127\.0\.0\.1:(\d+)/, folder);
    const client = ['openssl', 's_client', '-connect', `127.0.0.1:${match[1]}`];
    // The first connection brings the session that the second one takes up; it ends once the ticket is there.
    const line = (isDone: string, args: string): string => `(${isDone}; echo Q) | ${client.join(' ')} ${args}`;
    const ticket = 'until test -s s.pem; do sleep 0.05; done';
    await runPeer(['sh', '-c', line(ticket, '-sess_out s.pem')], folder);
    await runPeer(['sh', '-c', line('sleep 0.2', '-sess_in s.pem -early_data early.txt')], folder);
    const earlyData = () => lab.data().filter((e) => e.bytes.includes('early@example.org'));
    await until(
      () => earlyData().length >= 2,
      () => 'no early data',
    );
    await lab.settle();
    const early = earlyData();
    assert.deepEqual(
      early
        .map((e) => `${e.pid === child.pid ? 'server read' : 'client wrote'} ${e.bytes.toString('latin1')}`)
        .toSorted(),
      [`client wrote ${text}`, `server read ${text}`],
    );
    assert.ok(early.every((e) => e.offset === 0));
    const bound = new Map(lab.events.filter((e) => e.ipVersion !== 0).map((e) => [e.conn, e]));
    for (const e of early) {
      const by = bound.get(e.conn);
      assert.ok(by !== undefined && [by.local, by.remote].includes(`127.0.0.1:${match[1]}`), JSON.stringify(by?.local));
    }
  });

  await t.test('what is peeked at is reported once, when it is read', async (s) => {
    const lab = await attached(s);
    await runPeer(raw('peek'), folder);
    await lab.settle();
    const reads = lab.data().filter((e) => !e.written && e.bytes.includes('CSeq'));
    assert.deepEqual(
      reads.map((e) => /CSeq: (\d+)/.exec(e.bytes.toString('latin1'))?.[1]),
      Array.from({ length: 50 }, (_, i) => String(i).padStart(4, '0')),
    );
  });

  await t.test('a call longer than what is carried of one: cut, said, and its place kept', async (s) => {
    const lab = openLab(s, { maxCallBytes: 20_000 });
    attachLibrary(lab, libssl);
    const script = peerPath('tls_talk.py');
    const { match } = await startPeer(s, ['python3', script, 'server', 'thread', '127.0.0.1'], /port (\d+)/, folder);
    await runPeer(['python3', script, 'client', 'thread', '127.0.0.1', match[1] ?? '', '1', '3', '50000'], folder);
    await lab.settle();
    const client = [...streams(lab.data()).values()].find(
      (list) => list[0]?.written === true && list[0].bytes.length === 4,
    );
    assert.deepEqual(
      client?.slice(1).map((e) => [e.offset - 4, e.bytes.length, e.callBytes, (e.flags & TLS_FLAG.TRUNCATED) !== 0]),
      [0, 1, 2].flatMap((i) => [
        [i * 50_000, 16_384, 50_000, false],
        [i * 50_000 + 16_384, 3616, 50_000, true],
      ]),
    );
    assert.equal(lab.counter('truncated'), 6);
  });

  await t.test(
    'a small ring and a stalled reader: what was emitted and what was lost is what was called',
    async (s) => {
      const lab = openLab(s, { ringBytes: 65_536 }, 2);
      attachLibrary(lab, libssl);
      const script = peerPath('tls_talk.py');
      const { match } = await startPeer(s, ['python3', script, 'server', 'thread', '127.0.0.1'], /port (\d+)/, folder);
      const [connections, messages, bytes] = [8, 60, 3000];
      lab.stallMs = 700;
      const numbers = [match[1], connections, messages, bytes].map(String);
      await runPeer(['python3', script, 'client', 'thread', '127.0.0.1', ...numbers], folder);
      lab.stallMs = 0;
      await lab.settle(300);
      const {
        calls = 0,
        events = 0,
        lost_events = 0,
        lost_calls = 0,
        lost_bytes = 0,
        bytes: emitted = 0,
      } = lab.counters();
      const total = connections * (2 * (messages * bytes + 4) + 2 * messages * bytes);
      s.diagnostic(JSON.stringify(lab.counters()));
      assert.ok(lost_events > 50, 'the ring did overflow');
      assert.equal(events + lost_events, calls);
      assert.equal(lost_calls, lost_events);
      assert.equal(lab.data().length, events);
      assert.equal(lab.counter('records'), lab.events.length, 'those moved just before the slabs were full too');
      assert.equal(emitted + lost_bytes, total);
      // Each gap is where the offset jumps; what a stream lost at its end shows by its length.
      let located = 0;
      for (const list of streams(lab.data()).values()) {
        let at = 0;
        for (const e of list) {
          assert.ok(e.offset >= at, 'offsets never go back');
          located += e.offset - at;
          at = e.offset + e.bytes.length;
          const text = e.bytes.toString('latin1');
          assert.ok(
            text.length === 4 || text.startsWith('MESSAGE sip:') || /^[.]+$/.test(text) || text.includes('X-Port'),
            'no other memory',
          );
        }
        const isClients = list.some((e) => e.offset === 0 && e.bytes.length === 4) || at % bytes === 4;
        located += messages * bytes + (isClients ? 4 : 0) - at;
      }
      const seen = streams(lab.data()).size;
      assert.equal(located + (connections * 4 - seen) * messages * bytes, lost_bytes);
    },
  );
});

test('SIP only', { skip: kernelSkip() }, async (t) => {
  const folder = certificateFolder(t);
  const shared = openLab(t, { sipOnly: true });
  attachLibrary(shared, privateLibssl(folder));

  await t.test('40 KB messages whole, of HTTPS not one byte', async (s) => {
    const lab = await shared.again();
    const script = peerPath('tls_talk.py');
    const { match } = await startPeer(s, ['python3', script, 'server', 'thread', '127.0.0.1'], /port (\d+)/, folder);
    const numbers = [match[1], 5, 10, 40_000].map(String);
    const [, noise] = await Promise.all([
      runPeer(['python3', script, 'client', 'thread', '127.0.0.1', ...numbers], folder),
      runPeer(['python3', peerPath('tls_https.py'), '30'], folder),
    ]);
    await until(
      () => lab.events.filter((e) => e.kind === 'close').length >= 5,
      () => 'no closes',
    );
    await lab.settle();
    let bytes = 0;
    for (const e of lab.data()) {
      assert.ok(e.local.endsWith(`:${match[1]}`) || e.remote.endsWith(`:${match[1]}`), `${e.local} ${e.remote}`);
      assert.ok(!e.bytes.includes('SECRET'));
      bytes += e.bytes.length;
    }
    assert.equal(bytes, 5 * 10 * 40_000 * 4);
    const requests = Number(/requests (\d+)/.exec(noise)?.[1]);
    // The noise and the four bytes in front of each conversation, seen at both ends.
    assert.ok(lab.counter('filtered') >= requests * 4 + 10, `${lab.counter('filtered')} filtered`);
    assert.equal(lab.counter('upgrades'), 0);
    // That the other connections and their process were there is not told either.
    const [told, pids] = [new Set(lab.data().map((e) => e.conn)), new Set(lab.data().map((e) => e.pid))];
    const notices = lab.events.filter((e) => e.kind !== 'data');
    assert.deepEqual(
      notices.filter((e) => (e.conn === 0n ? !pids.has(e.pid) : !told.has(e.conn))),
      [],
    );
    const closed = notices.filter((e) => e.kind === 'close');
    assert.ok(closed.length >= 5 && lab.counter('closed') >= closed.length + 2, `${closed.length} closes`);
  });

  for (const protocol of ['sip', 'chat']) {
    await t.test(`an upgrade to WebSocket for ${protocol} waits for the verdict`, async () => {
      const lab = await shared.again();
      rmSync(join(folder, 'judged'), { force: true });
      const running = runPeer(['python3', peerPath('tls_wss.py'), 'upgrade', protocol], folder);
      const judged = new Set<bigint>();
      const judge = (): boolean => {
        for (const e of lab.data().filter((x) => (x.flags & TLS_FLAG.UNDECIDED) !== 0 && !judged.has(x.conn))) {
          judged.add(e.conn);
          lab.native.verdict(Number(e.conn & 0xffffffffn), Number(e.conn >> 32n), protocol === 'sip');
        }
        return judged.size >= 2;
      };
      await until(judge, () => `${judged.size} upgrades are seen`, 10);
      writeFileSync(join(folder, 'judged'), '');
      await running;
      await lab.settle();
      assert.equal(judged.size, 2);
      assert.equal(lab.counter('upgrades'), 2);
      const undecided = lab.data().filter((e) => (e.flags & TLS_FLAG.UNDECIDED) !== 0);
      // That it was asked for is told; what was asked stays in the kernel.
      assert.equal(undecided.filter((e) => (e.flags & TLS_FLAG.UPGRADE) !== 0 && e.bytes.length === 0).length, 2);
      assert.ok(lab.data().every((e) => !e.bytes.includes('GET /')));
      assert.equal(messagesOf(lab).length, protocol === 'sip' ? 80 : 0);
    });
  }

  await t.test('an upgrade that nobody judges passes 16384 bytes and no more', async () => {
    const lab = await shared.again();
    await runPeer(['python3', peerPath('tls_wss.py'), 'upgrade', 'chat', '50'], folder);
    await lab.settle();
    const passed = new Map<bigint, number>();
    for (const e of lab.data()) passed.set(e.conn, (passed.get(e.conn) ?? 0) + e.bytes.length);
    assert.deepEqual([...passed.values()], [16384, 16384]);
    assert.ok(lab.counter('probation_over') > 10);
  });

  await t.test('an upgrade that nobody judges in time: a message of SIP lets all of it pass', async () => {
    const lab = await shared.again();
    await runPeer(['python3', peerPath('tls_wss.py'), 'upgrade', 'sip'], folder);
    await lab.settle();
    assert.equal(messagesOf(lab).length, 80);
    assert.equal(lab.counter('probation_over'), 0);
  });

  await t.test('WebSocket frames whose upgrade was not seen', async () => {
    const lab = await shared.again();
    await runPeer(['python3', peerPath('tls_wss.py'), 'frames'], folder);
    await lab.settle();
    assert.equal(lab.data().length, 80);
  });
});
