/** --hep-spool: what waits for a collector on disk, across runs; its bound, its gate, a full disk, and strange files. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Block, wholePackets } from '../../../../src/actions/hep-out/block.ts';
import { encodeHep3 } from '../../../../src/actions/hep-out/hep-encode.ts';
import type { HepOutOptions } from '../../../../src/actions/hep-out/hep-out.ts';
import { HepOut } from '../../../../src/actions/hep-out/hep-out.ts';
import { hepOutCounters } from '../../../../src/actions/hep-out/link.ts';
import { PacketSpool } from '../../../../src/actions/hep-out/spool.ts';
import { ServiceError } from '../../../../src/core/errors.ts';
import { StreamCollector } from '../../../helpers/hep-collectors.ts';
import { hepOf, payloadOf } from '../../../helpers/hep-packet.ts';
import { freePort, untilHolds } from '../../../helpers/patience.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

const FACTS = {
  ...{ ipVersion: 4 as const, proto: 17, addresses: new Uint8Array(32), srcOff: 0, dstOff: 16, srcPort: 1, dstPort: 2 },
  ...{ tsUs: 1_700_000_000_000_000, protocolType: 1, vlan: 0, tos: 0, tcpFlags: 0 },
};
const MIB = 1024 * 1024;

/** `count` messages of about 1,000 bytes, numbered from `first` on. */
function block(first: number, count: number): Block {
  const packets = Array.from({ length: count }, (_, i) => {
    const text = Buffer.alloc(900, `${String(first + i).padStart(10, '0')} `);
    return encodeHep3({ agentId: 1 }, FACTS, text) ?? assert.fail();
  });
  return wholePackets(Buffer.concat(packets));
}

function numbersOf({ bytes }: Block): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt16BE(at + 4))
    numbers.push(Number(payloadOf(hepOf(bytes.subarray(at, at + bytes.readUInt16BE(at + 4)))).slice(0, 10)));
  return numbers;
}

function opened(folder: string, mostBytes = 64 * MIB, mayWrite = () => true) {
  const counters = hepOutCounters();
  const spool = new PacketSpool(folder, mostBytes, counters, mayWrite);
  spool.open();
  return { spool, counters };
}

async function takeAll(spool: PacketSpool): Promise<number[]> {
  const all: number[] = [];
  for (let taken = await spool.takeOldest(); taken !== null; taken = await spool.takeOldest())
    all.push(...numbersOf(taken));
  return all;
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe('HEP spool', { timeout: 120_000 }, () => {
  it('gives back what was written, oldest first, also to the next run; only its user reads it', async (t) => {
    const folder = join(temporaryFolder(t), 'spool', 'tcp-127.0.0.1_9060');
    const first = opened(folder);
    for (let i = 0; i < 40; i++) first.spool.append(block(i * 100, 100));
    first.spool.close();
    const names = readdirSync(folder);
    assert.ok(names.length > 3);
    for (const name of names) {
      const { mode, size } = statSync(join(folder, name));
      assert.equal(mode & 0o777, 0o600);
      assert.ok(size <= MIB);
    }
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    const next = opened(folder);
    const oldest = (await next.spool.takeOldest()) ?? assert.fail();
    // Half of it could not be sent.
    const half = wholePackets(oldest.bytes, oldest.bytes.length / 2);
    next.spool.putBack(wholePackets(oldest.bytes.subarray(half.bytes.length)));
    next.spool.append(block(4_000, 5));
    assert.deepEqual([...numbersOf(half), ...(await takeAll(next.spool))], upTo(4_005));
    assert.equal(next.spool.isEmpty, true);
    assert.deepEqual(readdirSync(folder), []);
    assert.equal(next.counters.get('spoolErrors'), 0);
  });

  it('reads files by their names alone, the smallest number first, and counts on from the largest', async (t) => {
    const folder = temporaryFolder(t);
    for (const [name, first] of [
      ['0000010000000009', 30],
      ['000000fffffffffe', 0],
      ['0000010000000001', 10],
    ] as const)
      writeFileSync(join(folder, `${name}.hep`), block(first, 10).bytes, { mode: 0o600 });
    const { spool, counters } = opened(folder);
    spool.append(block(40, 1));
    assert.ok(readdirSync(folder).includes('000001000000000a.hep'));
    assert.deepEqual(await takeAll(spool), [...upTo(20), ...upTo(41).slice(30)]);
    assert.deepEqual([counters.get('unspooled'), counters.get('spoolErrors')], [31, 0]);
  });

  it('uses no folder that another user may write', (t) => {
    const folder = join(temporaryFolder(t), 'spool');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    assert.throws(() => opened(folder), /--hep-spool \S+: others may write to it; /);
  });

  it('drops the oldest beyond its size, and counts them', async (t) => {
    const folder = temporaryFolder(t);
    const before = opened(folder);
    before.spool.append(block(0, 500));
    before.spool.close();
    const { spool, counters } = opened(folder, 3 * MIB);
    for (let i = 5; i < 60; i++) spool.append(block(i * 100, 100));
    const used = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    assert.ok(used <= 3 * MIB);
    const rest = await takeAll(spool);
    assert.equal(rest.length + counters.get('spoolFull'), 6_000);
    assert.deepEqual(rest, upTo(6_000).slice(-rest.length));
    assert.equal(counters.get('spooled'), 5_500);
    assert.equal(counters.get('unspooled'), rest.length);
  });

  it('writes nothing while the persistence gate is closed', async (t) => {
    const folder = temporaryFolder(t);
    let isOpen = true;
    const { spool, counters } = opened(folder, MIB, () => isOpen);
    spool.append(block(0, 10));
    isOpen = false;
    spool.append(block(10, 7));
    assert.equal(counters.get('gateClosed'), 7);
    const taken = (await spool.takeOldest()) ?? assert.fail();
    assert.deepEqual(readdirSync(folder), []);
    spool.putBack(taken);
    assert.deepEqual(readdirSync(folder), []);
    isOpen = true;
    spool.append(block(17, 3));
    assert.deepEqual(await takeAll(spool), [17, 18, 19]);
  });

  it('cuts a torn end, passes over what is no HEP, and leaves other files alone', async (t) => {
    const folder = temporaryFolder(t);
    const first = opened(folder);
    first.spool.append(block(0, 10));
    first.spool.close();
    const [name = ''] = readdirSync(folder);
    truncateSync(join(folder, name), statSync(join(folder, name)).size - 1);
    writeFileSync(join(folder, '000000000000000a.hep'), 'no HEP at all');
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    writeFileSync(join(folder, 'ffffffffffffffff.hep'), 'a number beyond all');
    symlinkSync('/etc/passwd', join(folder, '000000000000000b.hep'));
    const { spool, counters } = opened(folder);
    assert.deepEqual(await takeAll(spool), upTo(9));
    assert.equal(counters.get('spoolErrors'), 2);
    assert.deepEqual(readdirSync(folder).sort(), ['000000000000000b.hep', 'ffffffffffffffff.hep', 'notes.txt']);
  });

  it('counts what a disk refuses, and takes no folder that it cannot use', (t) => {
    const folder = temporaryFolder(t);
    const { spool, counters } = opened(folder);
    symlinkSync('/dev/full', join(folder, `${(2 ** 40 + 1).toString(16).padStart(16, '0')}.hep`));
    spool.append(block(0, 4));
    assert.equal(counters.get('spoolErrors'), 4);
    writeFileSync(join(folder, 'file'), '');
    assert.throws(
      () => opened(join(folder, 'file')),
      (error) => error instanceof ServiceError && /^--hep-spool .*file: it is not a folder; /.test(error.message),
    );
  });
});

describe('HEP mirror with a spool', { timeout: 120_000 }, () => {
  const carrier = { ...FACTS, origin: 0, dscp: 255 };
  function mirror(t: TestContext, folder: string, port: number, more: Partial<HepOutOptions> = {}): HepOut {
    const times = { firstRetryMs: 20, lastRetryMs: 50, connectMs: 10_000, stallMs: 10_000 };
    const collectors = [{ transport: 'tcp' as const, host: '127.0.0.1', port }];
    const spool: HepOutOptions['spool'] = (_name, counters) => new PacketSpool(folder, 64 * MIB, counters, () => true);
    const out = new HepOut({ collectors, failsOver: false, tls: {}, agentId: 1, times, spool, ...more });
    t.after(() => out.close());
    return out;
  }
  const send = (out: HepOut, from: number, to: number): void => {
    for (let n = from; n < to; n++) {
      const text = Buffer.alloc(900, `${String(n).padStart(10, '0')} `);
      out.mirrorSip(text, 0, text.length, carrier, 17);
    }
  };

  it('what an ended run could not send the next one sends, once and in order', async (t) => {
    const folder = join(temporaryFolder(t), 'spool');
    const got: number[] = [];
    const collector = new StreamCollector(t, (packet) => got.push(Number(payloadOf(hepOf(packet)).slice(0, 10))));
    await collector.start();
    collector.kill();
    const first = mirror(t, folder, collector.port);
    await first.start();
    // More than memory holds.
    send(first, 0, 20_000);
    first.close();
    assert.equal(first.counters.get('spooled'), 20_000);
    assert.equal(first.counters.get('queueFull') + first.counters.get('unsentAtEnd'), 0);
    const second = mirror(t, folder, collector.port);
    await second.start();
    send(second, 20_000, 20_100);
    await collector.start();
    await untilHolds(() => got.length >= 20_100);
    assert.deepEqual(got, upTo(20_100));
    await second.drain(60_000);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('goes to the disk a moment after nobody took it, so that a crash loses little', async (t) => {
    const folder = join(temporaryFolder(t), 'spool');
    const out = mirror(t, folder, await freePort());
    await out.start();
    send(out, 0, 10);
    await untilHolds(() => out.counters.get('spooled') === 10);
    assert.ok(existsSync(folder) && readdirSync(folder).length === 1);
    assert.equal(out.waitingBytes, 0);
  });
});
