/** A started program is looked at by itself, twice; the host is looked at where one maps what is not known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartedPrograms } from '../../../../src/sources/tls/started.ts';

class Host {
  pids: number[] = [];
  isRemembered = true;
  readonly looked: number[] = [];
  readonly news = new Set<number>();
  readonly started = new StartedPrograms({
    execs: () => this.pids.length,
    started: (from) => (this.isRemembered ? this.pids.slice(from) : null),
    hasNews: (pid) => {
      this.looked.push(pid);
      return this.news.has(pid);
    },
  });
}

test('each process is looked at 50 ms and 500 ms after it started a program, and nobody else', () => {
  const host = new Host();
  host.pids.push(7);
  assert.equal(host.started.needScan(1000), false);
  assert.equal(host.started.needScan(1049), false);
  assert.deepEqual(host.looked, []);
  assert.equal(host.started.needScan(1050), false);
  assert.deepEqual(host.looked, [7]);
  assert.equal(host.started.needScan(1500), false);
  assert.equal(host.started.needScan(3000), false);
  assert.deepEqual(host.looked, [7, 7]);
});

test('one that maps what is not known asks for a look at the host; its second look may too', () => {
  const host = new Host();
  host.news.add(8);
  host.pids.push(7, 8, 9);
  host.started.needScan(0);
  assert.equal(host.started.needScan(60), true);
  assert.equal(host.started.needScan(61), false);
  assert.equal(host.started.needScan(600), true);
});

test('a process that starts one program after the other waits from the last', () => {
  const host = new Host();
  host.pids.push(7);
  host.started.needScan(0);
  host.pids.push(7);
  host.started.needScan(40);
  host.started.needScan(60);
  assert.deepEqual(host.looked, []);
  host.started.needScan(90);
  assert.deepEqual(host.looked, [7]);
});

test('starts that are not remembered, or too many, are a look at the host, once for each delay', () => {
  const forgotten = new Host();
  forgotten.isRemembered = false;
  forgotten.pids.push(7, 8);
  assert.equal(forgotten.started.needScan(0), false);
  forgotten.pids.push(9);
  assert.equal(forgotten.started.needScan(25), false);
  assert.equal(forgotten.started.needScan(50), true);
  assert.equal(forgotten.started.needScan(75), false);
  assert.equal(forgotten.started.needScan(500), true);
  const flood = new Host();
  for (let i = 0; i < 5000; i++) flood.pids.push(i);
  flood.started.needScan(0);
  assert.equal(flood.started.needScan(50), true);
  assert.deepEqual(flood.looked, []);
});
