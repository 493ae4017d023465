/** Processes whose TLS no probe sees are counted while they live, and named once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TlsMovers } from '../../../../src/sources/tls/native-tls.ts';
import { UnseenProcesses } from '../../../../src/sources/tls/unseen.ts';

const MINUTE_MS = 60_000;

function mover(pid: number, comm: string): TlsMovers['rows'][number] {
  return { pid, comm, sent: 1, received: 0 };
}

class Host {
  movers: TlsMovers = { error: '', rows: [] };
  readonly observed = new Set<number>();
  readonly dead = new Set<number>();
  readonly said: string[] = [];
  watches = 0;
  readonly unseen = new UnseenProcesses({
    watch: () => {
      this.watches++;
      return Promise.resolve(this.movers);
    },
    observes: (pid) => this.observed.has(pid),
    isMeant: (pid) => pid !== 99,
    isAlive: (pid) => !this.dead.has(pid),
    say: (line) => this.said.push(line),
  });
}

test('who is observed, is not meant or has ended is not counted; a program is named once', async () => {
  const host = new Host();
  host.observed.add(2);
  host.dead.add(4);
  const rows = [mover(1, 'go'), mover(2, 'ssl'), mover(3, 'go'), mover(4, 'gone'), mover(99, 'other')];
  host.movers = { error: '', rows: [...rows, mover(process.pid, 'self'), mover(5, '\x1b[31mred')] };
  await host.unseen.look(0);
  assert.equal(host.unseen.count, 3);
  assert.equal(host.said.length, 2);
  assert.match(host.said[0] ?? '', /^uprobe: go \(1\) speaks TLS that no probe sees; calltap --uprobe-list says why$/);
  assert.ok(!host.said.join('').includes('\x1b'));
});

test('it looks once a minute, and forgets who ended or came to be seen', async () => {
  const host = new Host();
  host.movers = { error: '', rows: [mover(1, 'go'), mover(3, 'go')] };
  await host.unseen.look(0);
  await host.unseen.look(MINUTE_MS - 1);
  assert.equal(host.watches, 1);
  assert.equal(host.unseen.count, 2);
  host.movers = { error: '', rows: [] };
  host.dead.add(1);
  await host.unseen.look(MINUTE_MS);
  assert.equal(host.unseen.count, 1);
  host.observed.add(3);
  await host.unseen.look(2 * MINUTE_MS);
  assert.deepEqual([host.watches, host.unseen.count], [3, 0]);
});

test('a kernel that does not tell is named once', async () => {
  const host = new Host();
  host.movers = { error: 'no right', rows: [] };
  for (let i = 0; i < 3; i++) await host.unseen.look(i * MINUTE_MS);
  assert.deepEqual(host.said, ['uprobe: cannot tell whose TLS no probe sees: no right']);
});

test('a flood of programs fills neither the count nor the log', async () => {
  const host = new Host();
  host.movers = { error: '', rows: Array.from({ length: 3000 }, (_, i) => mover(1000 + i, `p${i}`)) };
  await host.unseen.look(0);
  assert.equal(host.unseen.count, 1024);
  assert.equal(host.said.length, 1024);
});

test('a look that fails is passed on, and the next one is made', async () => {
  let looks = 0;
  const watch = (): Promise<TlsMovers> => {
    looks++;
    return Promise.reject(new Error('no memory'));
  };
  const is = (): boolean => true;
  const unseen = new UnseenProcesses({ watch, observes: is, isMeant: is, isAlive: is, say: () => undefined });
  await assert.rejects(unseen.look(0), /no memory/);
  await assert.rejects(unseen.look(MINUTE_MS), /no memory/);
  assert.equal(looks, 2);
});
